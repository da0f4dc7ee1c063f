/** The main job: a page on an origin of its own, with what the install endpoint answers pasted in, in a real Chromium. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { DebugData } from "@headwater/contract";
import type { Page } from "playwright-core";
import { newVisitor, skip } from "../../../packages/sdk/test/chromium.ts";
import { bundleReactApp, renderNextLayout } from "../../../packages/sdk/test/react-app.ts";
import { until } from "./support/until.ts";
import { bootstrapPath, openWorld, type World } from "./support/world.ts";

/** A source's name that would end a string, a script or a line wherever it was written as it is. */
const HOSTILE_NAME = `"Shop" '\`\${1}\\</script><script>throw "the name ran"</script><!--\u2028-->`;

/** What arrived and was judged. */
interface Arrived {
  name: string;
  status: string;
  path: string | null;
  properties: unknown;
  by: "bootstrap" | "events";
}

interface EndToEndSetup {
  world: World;
  page: Page;
  site: Awaited<ReturnType<typeof startSite>>;
  source: { sourceId: string; publicKey: string };
  install: { browserSnippet: string; nextjsExample: string; reactExample: string };
  /** What the page's console showed as warnings. */
  warnings: string[];
  debug(): Promise<DebugData>;
  /** Every event in the debug data once `last` is among them, in the order of their happening. */
  arrivedUpTo(last: string): Promise<Arrived[]>;
}

/** A web site: the files that a test gives it, and for any other path a page with `head` in its head. */
async function startSite() {
  const files = new Map([["/favicon.ico", ""]]);
  const server = createServer(({ url: path = "/" }, response) => {
    const type = path.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(files.get(path) ?? page());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const site = {
    head: "",
    files,
    url: `http://127.0.0.1:${port}`,
    /** The same site by another name, which is another origin. */
    otherUrl: `http://localhost:${port}`,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  const page = () => `<!doctype html><html lang="en"><head><title>Shop</title>${site.head}</head><body>
    <button onclick="history.pushState(null, '', '/pricing?plan=pro#top')">Pricing</button>
    <button onclick="headwater('track', 'signup', { plan: 'pro' })">Sign up</button>
    <a href="/goodbye" onclick="headwater('track', 'left', { by: 'link' })">Leave</a>
    <div id="root"></div></body></html>`;
  return site;
}

/** What has happened, without reports of engagement, whose number depends on how long the page is open. */
const happened = ({ bootstrapAttempts, eventAttempts }: DebugData) =>
  [...bootstrapAttempts.toReversed(), ...eventAttempts.toReversed()]
    .flatMap(({ kind, normalized, results }) => {
      const kept = new Map(
        (Array.isArray(normalized) ? normalized : []).map((event) => [event.analyticsEventId, event]),
      );
      return results.map(({ analyticsEventId, name, status }) => {
        const event = kept.get(analyticsEventId);
        const arrived: Arrived = {
          name,
          status,
          path: event.page?.path ?? null,
          properties: event.properties,
          by: kind,
        };
        return { at: event.occurredAt as string, arrived };
      });
    })
    .filter(({ arrived }) => arrived.name !== "engagement");

function browserTest(title: string, run: (visit: EndToEndSetup) => Promise<void>, name = "Shop"): void {
  test(title, { skip }, async (t) => {
    const resources = new AsyncDisposableStack();
    // A hook, because a test that timed out never comes to its own end.
    t.after(() => resources.disposeAsync());
    const world = resources.use(await openWorld());
    const site = resources.use(await startSite());
    const page = await resources.use(await newVisitor()).newPage();
    const source = await world.createSource({ name, allowedOrigins: [site.url] });
    assert.equal(source.name, name);
    const about = `/api/tracking-sources/${source.sourceId}`;
    const { body: install } = await world.ask(`${about}/install`);
    site.head = install.browserSnippet;
    const warnings: string[] = [];
    const errors: Error[] = [];
    page.on("console", (message) => message.type() === "warning" && warnings.push(message.text()));
    page.on("pageerror", (error) => errors.push(error));

    const debug = async () => (await world.ask(`${about}/debug`)).body as DebugData;
    const arrivedUpTo = (last: string) =>
      until(`${last} is in the debug data`, async () => {
        const events = happened(await debug())
          .sort((one, other) => one.at.localeCompare(other.at))
          .map(({ arrived }) => arrived);
        return events.some((event) => event.name === last) && events;
      });
    await run({ world, page, site, source, install, warnings, debug, arrivedUpTo });
    assert.deepEqual(errors, [], "nothing is thrown into the page");
  });
}

const nameOrPath = ({ name, path }: Arrived) => (name === "page_view" ? path : name);

const view = (path: string, by: Arrived["by"]): Arrived => ({
  name: "page_view",
  status: "accepted",
  path,
  properties: null,
  by,
});

browserTest(
  "A page on another origin with the pasted snippet and one history navigation gives two accepted page views.",
  async ({ page, site, warnings, debug, arrivedUpTo }) => {
    await page.goto(`${site.url}/welcome`);
    await arrivedUpTo("page_view");
    await page.getByText("Pricing").click();
    // It happens after both, so whatever else the page had counted would be there too.
    await page.getByText("Sign up").click();
    assert.deepEqual(await arrivedUpTo("signup"), [
      view("/welcome", "bootstrap"),
      view("/pricing", "events"),
      { name: "signup", status: "accepted", path: "/pricing", properties: { plan: "pro" }, by: "events" },
    ]);
    const { health, bootstrapAttempts } = await debug();
    assert.equal(health.status, "receiving");
    // and reports of engagement, whose number depends on how long the page is open
    assert.ok(health.last24h.accepted >= 3);
    assert.equal(bootstrapAttempts[0]?.origin, site.url);
    assert.deepEqual(warnings, []);
  },
);

browserTest(
  "The same page from an origin that is not allowed shows that origin in the hint, and its own code can read the 403.",
  async ({ world, page, site, source, warnings, debug }) => {
    const origin = site.otherUrl;
    const warned = page.waitForEvent("console", (message) => message.type() === "warning");
    await page.goto(`${origin}/welcome`);
    await warned;
    const failed = await until("the attempt is in the debug data", async () => {
      const { bootstrapAttempts } = await debug();
      return bootstrapAttempts.length > 0 && bootstrapAttempts;
    });
    assert.deepEqual(
      failed.map(({ outcome, httpStatus, code, origin }) => ({ outcome, httpStatus, code, origin })),
      [{ outcome: "failed", httpStatus: 403, code: "origin_not_allowed", origin }],
    );
    const hint = `Add ${origin} to the source's \`allowedOrigins\`.`;
    assert.equal(failed[0]?.hint, hint);

    // The client has stopped: what happens now neither is sent nor warns again.
    await page.getByText("Pricing").click();
    await page.getByText("Sign up").click();
    const read = await page.evaluate(async (url) => {
      const response = await fetch(url, { method: "POST", body: "{}" });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    }, world.url + bootstrapPath(source));
    assert.deepEqual(
      [read.status, read.body.ok, read.body.code, read.body.hint],
      [403, false, "origin_not_allowed", hint],
    );

    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /^Headwater: /);
    for (const told of [origin, hint, "origin_not_allowed"])
      assert.ok(warnings[0]!.includes(told), warnings[0]);
  },
);

browserTest(
  "An event that is tracked right before the visitor leaves the page arrives.",
  async ({ page, site, arrivedUpTo }) => {
    site.files.set("/goodbye", "<!doctype html><title>Goodbye</title>");
    await page.goto(`${site.url}/welcome`);
    await arrivedUpTo("page_view");
    await page.getByText("Leave").click();
    await page.waitForURL(`${site.url}/goodbye`);
    assert.deepEqual(await arrivedUpTo("left"), [
      view("/welcome", "bootstrap"),
      { name: "left", status: "accepted", path: "/welcome", properties: { by: "link" }, by: "events" },
    ]);
  },
);

browserTest(
  "A source whose name holds quotes, </script> and U+2028 has a snippet that works.",
  async ({ page, site, arrivedUpTo }) => {
    await page.goto(`${site.url}/welcome`);
    assert.deepEqual(await arrivedUpTo("page_view"), [view("/welcome", "bootstrap")]);
  },
  HOSTILE_NAME,
);

browserTest(
  "The React example under StrictMode counts one view on load and one for each client navigation.",
  async ({ page, site, install, arrivedUpTo }) => {
    site.head = `<script type="module" src="/app.js"></script>`;
    site.files.set("/app.js", await bundleReactApp(install.reactExample));
    await page.goto(`${site.url}/welcome`);
    await arrivedUpTo("before the script");
    await page.getByText("Next").click();
    const events = await arrivedUpTo("clicked");
    assert.deepEqual(events.map(nameOrPath), ["/welcome", "before the script", "/next", "clicked"]);
    assert.ok(events.every(({ status }) => status === "accepted"));
  },
);

browserTest(
  "The Next.js example's layout, as a server renders it, counts one view on load and one for each client navigation.",
  async ({ page, site, install, arrivedUpTo }) => {
    site.files.set("/welcome", await renderNextLayout(install.nextjsExample));
    await page.goto(`${site.url}/welcome`);
    await arrivedUpTo("page_view");
    await page.evaluate("history.pushState(null, '', '/pricing'); headwater('track', 'signup')");
    assert.deepEqual((await arrivedUpTo("signup")).map(nameOrPath), ["/welcome", "/pricing", "signup"]);
  },
);
