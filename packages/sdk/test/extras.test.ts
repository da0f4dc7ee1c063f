import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
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

/** Makes the page's clock, visibility and focus scripted: `pass(ms)`, `show(isVisible, isFocused)`. */
function scriptTime(): void {
  const now = performance.now.bind(performance);
  let addMs = 0;
  let [isVisible, isFocused] = [true, true];
  performance.now = () => now() + addMs;
  Object.defineProperty(document, "visibilityState", { get: () => (isVisible ? "visible" : "hidden") });
  Document.prototype.hasFocus = () => isFocused;
  Object.assign(window, {
    pass: (ms: number) => {
      addMs += ms;
    },
    show: (visible: boolean, focused: boolean) => {
      [isVisible, isFocused] = [visible, focused];
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
      window.dispatchEvent(new Event(focused ? "focus" : "blur"));
    },
  });
}
interface ScriptedWindow {
  pass(ms: number): void;
  show(isVisible: boolean, isFocused: boolean): void;
}
/** An event that is sent twice counts once. */
const countedEvents = ({ ingest }: BrowserVisit) => [
  ...new Map(ingest.events().map((event) => [event.id, event])).values(),
];
const secondsOn = (visit: BrowserVisit, path: string) =>
  countedEvents(visit)
    .filter(({ name, page }) => name === "engagement" && page?.path === path)
    .reduce((sum, { properties }) => sum + Number(properties?.seconds), 0);
const isNear = (seconds: number, expected: number) => Math.abs(seconds - expected) <= expected * 0.1;

browserTest(
  "Engagement counts the seconds in which a view was visible and focused, at the next view and at the end.",
  async (visit) => {
    const { page, ingest } = visit;
    await page.addInitScript(scriptTime);
    await loadWith(visit, "engagement");
    await page.evaluate(() => {
      const { pass, show } = window as unknown as ScriptedWindow;
      pass(60_000);
      // another window, then another tab
      show(true, false);
      pass(500_000);
      show(false, false);
      pass(500_000);
      show(true, true);
      pass(60_000);
      history.pushState(null, "", "/next");
      pass(200_000);
    });
    await page.goto("about:blank");
    await ingest.until(() => secondsOn(visit, "/next") > 0);
    const [start, next] = [secondsOn(visit, "/start"), secondsOn(visit, "/next")];
    assert.ok(isNear(start, 120) && isNear(next, 200), `${start} s and ${next} s`);
    assert.ok(ingest.events().every(({ name, passive }) => name === undefined || passive === true));
  },
);

browserTest(
  "The last events of a page are sent once if they are answered before the next page comes.",
  async (visit) => {
    const { page, site, ingest } = visit;
    await page.addInitScript(scriptTime);
    await loadWith(visit, "engagement", `<a href="/next">next</a>`);
    await page.evaluate(() => {
      (window as unknown as ScriptedWindow).pass(30_000);
      (window as unknown as { headwater(...call: string[]): void }).headwater("track", "last");
    });
    // While the page waits for the next one it cannot be asked, so it says itself when its last event is out of the queue.
    const removed = page.waitForEvent("console", (message) => message.text() === "removed 2");
    await page.evaluate(() => {
      let count = 0;
      const { removeItem } = Storage.prototype;
      Storage.prototype.removeItem = function (name) {
        removeItem.call(this, name);
        if (name.includes(".event.")) console.debug(`removed ${++count}`);
      };
    });
    await page.route("**/next", async (route) => {
      await removed;
      await route.continue();
    });
    await page.evaluate(() => document.links[0]?.click());
    await ingest.until(() => ingest.events().some(({ page }) => page?.url === `${site.url}/next`));
    const ids = ingest.events().map(({ id }) => id);
    assert.deepEqual(ids.length, new Set(ids).size);
    assert.deepEqual(
      ingest.events().map(({ name, page }) => name ?? page?.path),
      ["/start", "last", "engagement", "/next"],
    );
  },
);

browserTest(
  "A page that is hidden again and again reports once a minute, and loses no time.",
  async (visit) => {
    const { page, ingest } = visit;
    await page.addInitScript(scriptTime);
    await loadWith(visit, "engagement");
    await page.evaluate(() => {
      const { pass, show } = window as unknown as ScriptedWindow;
      for (let times = 0; times < 12; times += 1) {
        pass(10_000);
        show(false, false);
        show(true, true);
      }
    });
    await page.goto("about:blank");
    await ingest.until(() => isNear(secondsOn(visit, "/start"), 120));
    const reports = countedEvents(visit).filter(({ name }) => name === "engagement");
    assert.ok(reports.length <= 4, `${reports.length} reports`);
  },
);

browserTest("The scroll depth is the greatest share of the page that was in view.", async (visit) => {
  const { page, site, ingest } = visit;
  const script = `<script async src="${ingest.url}/sdk/v2.js?with=engagement" data-key="pk_test" data-extras="engagement"></script>`;
  site.showHead(`${script}<style>html { height: 5000px }</style>`);
  await page.addInitScript(scriptTime);
  await page.setViewportSize({ width: 800, height: 500 });
  await page.goto(`${site.url}/start`);
  await page.waitForFunction("window.headwaterExtras && headwaterExtras.size === 1");
  await page.evaluate(async () => {
    for (const top of [2_500, 100]) {
      scrollTo(0, top);
      await new Promise((resolve) => addEventListener("scroll", resolve, { once: true }));
    }
    (window as unknown as ScriptedWindow).pass(5_000);
  });
  await page.goto("about:blank");
  const { properties } = await eventNamed(visit, "engagement");
  assert.ok(isNear(Number(properties?.scrollDepth), 60), `${properties?.scrollDepth} %`);
  // the part came with the client and by its name, and counts once
  assert.equal(countedEvents(visit).filter(({ name }) => name === "engagement").length, 1);
});

browserTest("With all optional parts, a visit with one page view is a bounce.", async (visit) => {
  const { page } = visit;
  await page.addInitScript(scriptTime);
  await loadWith(
    visit,
    "outbound-links downloads forms engagement web-vitals",
    `<a id="out" href="https://elsewhere.example/">out</a><a id="file" href="/report.pdf">file</a>
    <form id="search" onsubmit="return false"></form>
    <script>document.addEventListener("click", (event) => event.preventDefault());</script>`,
  );
  await page.evaluate(() => {
    for (const id of ["out", "file"]) document.getElementById(id)?.click();
    document.forms[0]?.dispatchEvent(new Event("submit", { bubbles: true }));
    const { pass, show } = window as unknown as ScriptedWindow;
    pass(60_000);
    show(false, false);
  });
  await page.goto("about:blank");
  await eventNamed(visit, "web_vitals");
  await eventNamed(visit, "engagement");
  const active = countedEvents(visit).filter(({ passive }) => !passive);
  assert.deepEqual(
    active.map(({ type }) => type),
    ["page"],
  );
  assert.equal(countedEvents(visit).length, 6);
});

browserTest("The web vitals are those of the library `web-vitals`, within 5 %.", async (visit) => {
  const { page, site, ingest } = visit;
  const library = await readFile(new URL("web-vitals.iife.js", import.meta.resolve("web-vitals")), "utf8");
  await page.addInitScript(
    `${library}
    window.found = {};
    for (const name of ["LCP", "FCP", "TTFB", "CLS"])
      webVitals["on" + name](({ value }) => { found[name.toLowerCase()] = value; }, { reportAllChanges: true });`,
  );
  for (const delayMs of [0, 150, 400]) {
    const path = `/start${delayMs}`;
    site.showHead(
      `<script async src="${ingest.url}/sdk/v2.js" data-key="pk_test" data-extras="web-vitals"></script>
      <script>addEventListener("load", () => setTimeout(() => {
        document.body.insertAdjacentHTML("afterbegin", "<p>shift</p><h1 style='font-size: 80px'>A large heading</h1>");
        requestAnimationFrame(() => requestAnimationFrame(() => { window.painted = true; }));
      }, ${delayMs}));</script>`,
    );
    await page.goto(site.url + path);
    await page.waitForFunction("window.painted && window.headwaterExtras && found.lcp && found.ttfb");
    const expected = (await page.evaluate("found")) as Record<string, number>;
    await page.goto("about:blank");
    const { properties = {} } = await ingest.until(() =>
      ingest.events().find((event) => event.name === "web_vitals" && event.page?.path === path),
    );
    for (const name of ["lcp", "fcp", "ttfb"])
      assert.ok(
        Math.abs(Number(properties[name]) - expected[name]!) <= Math.max(1, expected[name]! * 0.05),
        `${name}: ${properties[name]}, the library has ${expected[name]}`,
      );
  }
});

browserTest("A time to first byte that the browser does not tell is left out.", async (visit) => {
  const { page } = visit;
  await page.addInitScript(() =>
    Object.defineProperty(PerformanceNavigationTiming.prototype, "responseStart", { get: () => 0 }),
  );
  await loadWith(visit, "web-vitals", "<h1>Large</h1>");
  await page.goto("about:blank");
  const { properties = {} } = await eventNamed(visit, "web_vitals");
  assert.ok(!("ttfb" in properties), JSON.stringify(properties));
});

browserTest("Web vitals are counted once, when the page is hidden.", async (visit) => {
  const { page, ingest } = visit;
  await loadWith(visit, "web-vitals", "<h1>Large</h1>");
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  await page.goto("about:blank");
  const { properties } = await eventNamed(visit, "web_vitals");
  assert.ok(Number(properties?.ttfb) >= 0 && Number(properties?.fcp) > 0, JSON.stringify(properties));
  // as the library `web-vitals` has it, so that pages without a shift count in the percentile
  assert.equal(properties?.cls, 0);
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
