import assert from "node:assert/strict";
import { type BrowserVisit, browserTest } from "./browser.ts";
import { bundleNextModule } from "./react-app.ts";

async function loadWith(visit: BrowserVisit, extras: string, body = "") {
  const { page, site, ingest } = visit;
  site.showHead(
    `<script async src="${ingest.url}/sdk/v2.js" data-key="pk_test" data-extras="${extras}"></script>${body}`,
  );
  await page.goto(`${site.url}/start`);
  await page.waitForFunction(
    (count) => (window as { headwaterExtras?: Set<string> }).headwaterExtras?.size === count,
    extras.split(" ").length,
  );
}
const eventNamed = ({ ingest }: BrowserVisit, name: string) =>
  ingest.until(() => ingest.events().find((event) => event.name === name));

browserTest("Clicks on links to other hosts and to files are counted, without the query.", async (visit) => {
  const { page, ingest } = visit;
  await loadWith(
    visit,
    "outbound-links downloads",
    `<a id="out" href="https://elsewhere.example/path?token=1#x">out</a>
    <a id="file" href="/files/report.pdf?token=1">file</a><a id="in" href="/inside">in</a>
    <script>document.addEventListener("click", (event) => event.preventDefault());</script>`,
  );
  for (const id of ["out", "file", "in"])
    await page.evaluate((id) => document.getElementById(id)?.click(), id);
  await eventNamed(visit, "file_download");
  assert.deepEqual(
    ingest.events().map(({ name, properties }) => [name, properties?.url]),
    [
      [undefined, undefined],
      ["outbound_link", "https://elsewhere.example/path"],
      ["file_download", `${visit.site.url}/files/report.pdf`],
    ],
  );
});

browserTest("Clicks with the main and the middle button count, others do not.", async (visit) => {
  const { page, ingest } = visit;
  await loadWith(visit, "outbound-links", `<a href="https://elsewhere.example/">out</a>`);
  await page.evaluate(() => {
    const press = (button: number) =>
      document.links[0]?.dispatchEvent(new MouseEvent("auxclick", { button, bubbles: true }));
    for (const button of [2, 3, 4, 1]) press(button);
    (window as unknown as { headwater(...call: string[]): void }).headwater("track", "last");
  });
  await eventNamed(visit, "last");
  assert.deepEqual(
    ingest.events().map(({ name }) => name),
    [undefined, "outbound_link", "last"],
  );
});

browserTest(
  "Engagement counts the visible seconds of a view, at the next view and at the end.",
  async (visit) => {
    const { page, ingest } = visit;
    await page.addInitScript(() => {
      const { performance } = window;
      const now = performance.now.bind(performance);
      Object.assign(window, { addMs: 0 });
      performance.now = () => now() + (window as unknown as { addMs: number }).addMs;
    });
    await loadWith(visit, "engagement");
    const pass = (ms: number) =>
      page.evaluate((ms) => {
        (window as unknown as { addMs: number }).addMs += ms;
      }, ms);
    await pass(60_000);
    await page.evaluate(() => history.pushState(null, "", "/next"));
    await pass(120_000);
    await page.goto("about:blank");
    // A slow machine may add a few seconds.
    const engagement = await ingest.until(() => {
      const minutes = ingest.events().filter(({ properties }) => Number(properties?.seconds) >= 60);
      return minutes.length >= 2 && minutes;
    });
    assert.deepEqual(
      engagement.map(({ properties }) => [properties?.path, Math.floor(Number(properties?.seconds) / 60)]),
      [
        ["/start", 1],
        ["/next", 2],
      ],
    );
  },
);

browserTest("Web vitals are counted once, when the page is hidden.", async (visit) => {
  const { page, ingest } = visit;
  await loadWith(visit, "web-vitals", "<h1>Large</h1>");
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  await page.goto("about:blank");
  const { properties } = await eventNamed(visit, "web_vitals");
  assert.ok(Number(properties?.ttfb) >= 0 && Number(properties?.fcp) > 0, JSON.stringify(properties));
  assert.equal(ingest.events().filter(({ name }) => name === "web_vitals").length, 1);
});

browserTest("Extras passed to startAnalytics count once, however often it is called.", async (visit) => {
  const { page, ingest, site } = visit;
  const options = JSON.stringify({ publicKey: "pk_test", apiBaseUrl: ingest.url });
  const script = await bundleNextModule(`
    import { forms } from "../../src/extras/index.ts";
    import { startAnalytics } from "../../src/next.ts";
    for (let n = 0; n < 2; n += 1) startAnalytics({ ...${options}, extras: [forms] });`);
  site.showHead(`<form id="search" onsubmit="return false"></form>`);
  await page.goto(`${site.url}/start`);
  await page.addScriptTag({ content: script });
  await page.evaluate(() => document.forms[0]?.dispatchEvent(new Event("submit", { bubbles: true })));
  await eventNamed(visit, "form_submit");
  assert.deepEqual(
    ingest.events().map(({ name, page, properties }) => [name ?? page?.path, properties]),
    [
      ["/start", undefined],
      ["form_submit", { id: "search", path: "/start" }],
    ],
  );
});
