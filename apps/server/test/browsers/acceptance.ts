/**
 * Scripted visits of a browser to a real service, with every optional part of the client and without. The page's clock,
 * visibility and focus are scripted, so the expected seconds do not depend on the speed of the machine.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { StatsFilter, StatsMetric } from "@headwater/contract";
import { startSite } from "../../../../packages/sdk/test/server.ts";
import { until } from "../support/until.ts";
import { type CreatedSource, openWorld, type World } from "../support/world.ts";

const EXTRAS = "outbound-links downloads forms web-vitals";
/** The allowed difference, as a share of the expected seconds and web vitals. */
const MAX_SECONDS_ERROR = 0.1;
const MAX_VITAL_ERROR = 0.05;

interface BrowserTab {
  open(url: string): Promise<void>;
  /** Evaluates an expression in the page and waits for its promise. */
  evaluate(expression: string): Promise<unknown>;
  /** Clicks into the page as a person does. */
  click(): Promise<void>;
}
/** A browser in which every visitor has a profile of its own. */
export interface TestBrowser {
  /** @returns a function that opens a tab of a new visitor */
  newVisitor(): Promise<() => Promise<BrowserTab>>;
}

/** Adds `pass(ms)` and `show(isVisible, isFocused)` to the page, whose clock stands still otherwise. */
const SCRIPTED_TIME = `
  let now = performance.now(), visible = true, focused = true;
  performance.now = () => now;
  Object.defineProperty(document, "visibilityState", { get: () => (visible ? "visible" : "hidden") });
  Document.prototype.hasFocus = () => focused;
  window.pass = (ms) => { now += ms; };
  window.show = (isVisible, isFocused) => {
    [visible, focused] = [isVisible, isFocused];
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    dispatchEvent(new Event(focused ? "focus" : "blur"));
  };`;
const LINKS = `<a id="out" href="https://elsewhere.example/">out</a><a id="file" href="/report.pdf">file</a>
  <form id="search" onsubmit="return false"></form>
  <script>addEventListener("click", (event) => event.preventDefault());</script>`;

const PAGE_WAIT_MS = 90_000;
/** An expression that waits for a condition in the page, and says what it waited for if that never comes. */
const untilTrue = (condition: string) =>
  `new Promise((done, fail) => {
    const endsAt = Date.now() + ${PAGE_WAIT_MS};
    const look = () => {
      if (${condition}) done(true);
      else if (Date.now() > endsAt) fail(new Error("not within ${PAGE_WAIT_MS} ms, " + document.visibilityState + JSON.stringify(window.found) + ": " + ${JSON.stringify(condition)}));
      else setTimeout(look, 10);
    };
    look();
  })`;

interface MeasuredSite {
  readonly world: World;
  readonly source: CreatedSource;
  readonly site: Awaited<ReturnType<typeof startSite>>;
  readonly extras: string;
  /** The snippet of the source, with the optional parts. */
  readonly client: string;
}

/** Opens a page of the site and waits until the client has started and has its session. */
async function openPage(
  tab: BrowserTab,
  { source, site, extras }: MeasuredSite,
  path: string,
): Promise<void> {
  const parts = extras === "" ? 0 : extras.split(" ").length;
  await tab.open(site.url + path);
  await tab.evaluate(
    untilTrue(`window.headwater?.version && (window.headwaterExtras?.size ?? 0) >= ${parts} &&
      localStorage.getItem("headwater.${source.publicKey}.session")`),
  );
}

/** Four visits, of which one is a bounce. */
async function visitSite(browser: TestBrowser, counted: MeasuredSite): Promise<void> {
  const leave = (tab: BrowserTab) => tab.open("about:blank");

  // a bounce: in another window, then in a background tab, then back, with a click on everything that the parts count
  const reader = await (await browser.newVisitor())();
  await openPage(reader, counted, "/read");
  await reader.evaluate(`pass(60_000), show(true, false), pass(300_000), show(false, false), pass(300_000),
    show(true, true), pass(30_000), out.click(), file.click(), search.requestSubmit()`);
  await leave(reader);

  // two tabs, of which one is visible at a time
  const newTab = await browser.newVisitor();
  const [first, second] = [await newTab(), await newTab()];
  await openPage(first, counted, "/first");
  await first.evaluate("pass(20_000), show(false, false)");
  await openPage(second, counted, "/second");
  await second.evaluate("pass(40_000), show(false, false)");
  await first.evaluate("pass(40_000), show(true, true), pass(10_000)");
  await second.evaluate("pass(10_000)");
  await leave(first);
  await leave(second);

  const navigator = await (await browser.newVisitor())();
  await openPage(navigator, counted, "/start");
  await navigator.evaluate(`pass(15_000), history.pushState(null, "", "/next"), pass(25_000)`);
  await leave(navigator);

  const buyer = await (await browser.newVisitor())();
  await openPage(buyer, counted, "/buy");
  await buyer.evaluate(`pass(5_000), headwater("track", "purchase")`);
  await leave(buyer);
}
const VISITS = 4;
const VIEWS = 6;
const BOUNCE_RATE = 1 / VISITS;
const VISIBLE_SECONDS = { "/read": 90, "/first": 30, "/second": 40, "/start": 15, "/next": 25, "/buy": 5 };

interface BrowserTestQuery {
  readonly metrics: StatsMetric[];
  readonly filters?: StatsFilter[];
  readonly dimensions?: "page"[];
}
/** @returns the rows of a stats query. Browsers without a window count as bots. */
async function statsOf(
  { world, source }: MeasuredSite,
  asked: BrowserTestQuery,
): Promise<{ dimensions: string[]; metrics: number[] }[]> {
  const body = { sourceId: source.sourceId, dateRange: "7d", include: { bots: true }, ...asked };
  const answer = await world.ask("/api/stats/query", { method: "POST", body });
  // 503 while the warehouse starts
  return answer.body.results ?? [];
}

const ofEvent = (name: string): StatsFilter => ({ dimension: "event", operator: "is", value: name });
const countOf = async (counted: MeasuredSite, name: string) => {
  const asked: BrowserTestQuery = { metrics: ["events", "passiveEvents"], filters: [ofEvent(name)] };
  const [row] = await statsOf(counted, asked);
  return row?.metrics.reduce((sum, one) => sum + one);
};

async function openSite(world: World, fields: object, extras: string): Promise<MeasuredSite> {
  const site = await startSite();
  const source = await world.createSource({ allowedOrigins: [site.url], ...fields });
  const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/install`);
  const client = (body.browserSnippet as string).replace("  script.async = true;", (line) =>
    extras === "" ? line : `${line}\n  script.dataset.extras = "${extras}";`,
  );
  return { world, source, site, extras, client };
}

/** The bounce rate is the same with every part and without, and the time on page is that of the script. */
export async function checkVisits(browser: TestBrowser, report: (line: string) => void): Promise<void> {
  await using world = await openWorld({ WAREHOUSE: "embedded" });
  const plain = await openSite(world, { engagement: false }, "");
  const full = await openSite(world, { engagement: true }, EXTRAS);
  try {
    for (const counted of [plain, full]) {
      counted.site.showHead(`<script>${SCRIPTED_TIME}</script>${counted.client}${LINKS}`);
      await visitSite(browser, counted);
      await until("all views are counted", async () => {
        const [row] = await statsOf(counted, { metrics: ["pageviews"] });
        return row?.metrics[0] === VIEWS && (await countOf(counted, "purchase")) === 1;
      });
    }
    for (const name of ["outbound_link", "file_download", "form_submit"])
      await until(`${name} is counted`, async () => (await countOf(full, name)) === 1);
    const isNear = (seconds: number | undefined, expected: number) =>
      Math.abs((seconds ?? 0) - expected) <= expected * MAX_SECONDS_ERROR;
    const timesOnPage = async () => {
      const rows = await statsOf(full, { metrics: ["timeOnPage"], dimensions: ["page"] });
      return new Map(rows.map(({ dimensions: [page], metrics: [seconds] }) => [page, seconds]));
    };
    let found = new Map<string | undefined, number | undefined>();
    await until("the time on every page is reported", async () => {
      found = await timesOnPage();
      return Object.entries(VISIBLE_SECONDS).every(
        ([page, expected]) => (found.get(page) ?? 0) >= expected * 0.9,
      );
    }).catch(() => undefined);
    for (const [page, expected] of Object.entries(VISIBLE_SECONDS)) {
      report(`${page}: ${found.get(page)} s of ${expected} s`);
      assert.ok(isNear(found.get(page), expected), `${page}: ${found.get(page)} s, expected ${expected} s`);
    }
    for (const counted of [plain, full]) {
      const [row] = await statsOf(counted, { metrics: ["sessions", "bounceRate"] });
      report(`extras "${counted.extras}": ${row?.metrics[0]} sessions, bounce rate ${row?.metrics[1]}`);
      assert.deepEqual(row?.metrics, [VISITS, BOUNCE_RATE]);
    }
  } finally {
    plain.site.close();
    full.site.close();
  }
}

const VITALS = ["lcp", "fcp", "ttfb", "cls", "inp"] as const;
const LOADS = 3;
/** Firefox's clock counts whole milliseconds. The library counts no response that came within the first. */
const RESPONSE_MS = 20;

/** The 75th percentile, interpolated between the two nearest values. */
function p75(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const place = (sorted.length - 1) * 0.75;
  const [low, high] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return low + (high - low) * (place - Math.floor(place));
}

/** The p75 of every web vital that the browser offers is that of the library `web-vitals` over the same page loads. */
export async function checkVitals(
  browser: TestBrowser,
  offered: readonly (typeof VITALS)[number][],
  report: (line: string) => void,
): Promise<void> {
  await using world = await openWorld({ WAREHOUSE: "embedded" });
  const counted = await openSite(world, { engagement: true }, EXTRAS);
  const { site, client } = counted;
  site.slowDown(RESPONSE_MS);
  const library = await readFile(new URL("web-vitals.iife.js", import.meta.resolve("web-vitals")), "utf8");
  const expected = { lcp: [], fcp: [], ttfb: [], cls: [], inp: [] } as Record<
    (typeof VITALS)[number],
    number[]
  >;
  try {
    const tab = await (await browser.newVisitor())();
    for (let load = 0; load < LOADS; load += 1) {
      site.showHead(`<script>${library}
        window.found = {};
        for (const name of ["LCP", "FCP", "TTFB", "CLS", "INP"])
          webVitals["on" + name](({ value }) => { found[name.toLowerCase()] = value; }, { reportAllChanges: true });
        addEventListener("load", () => setTimeout(() => {
          document.body.insertAdjacentHTML("afterbegin", "<p>shift</p><h1 style='font-size: 80px'>A large heading</h1>");
          requestAnimationFrame(() => requestAnimationFrame(() => { window.painted = true; }));
        }, ${100 * load + 100}));
        addEventListener("pointerdown", () => { const end = performance.now() + ${60 * load + 80}; while (performance.now() < end); });
        </script>${client}<p>Text</p>`);
      await openPage(tab, counted, `/load-${load}`);
      await tab.evaluate(untilTrue("window.painted && found.lcp && found.fcp && found.ttfb !== undefined"));
      await tab.click();
      if (offered.includes("inp")) await tab.evaluate(untilTrue("found.inp"));
      const found = (await tab.evaluate("found")) as Record<string, number>;
      for (const name of VITALS) if (found[name] !== undefined) expected[name].push(found[name]);
      await tab.open("about:blank");
      await until(
        "the web vitals are counted",
        async () => (await countOf(counted, "web_vitals")) === load + 1,
      );
    }
    for (const name of offered) assert.equal(expected[name].length, LOADS, `the library has ${name}`);
    const names = VITALS.filter((name) => expected[name].length === LOADS);
    const [row] = await statsOf(counted, { metrics: names.map((name): StatsMetric => `p75:${name}`) });
    for (const [index, name] of names.entries()) {
      const [ours, theirs] = [row?.metrics[index] ?? Number.NaN, p75(expected[name])];
      report(`p75 ${name}: ${ours}, the library has ${theirs} (${((ours / theirs - 1) * 100).toFixed(2)} %)`);
      // reports are rounded to milliseconds, and the layout shift to thousandths
      const rounding = name === "cls" ? 0.001 : 1;
      assert.ok(
        Math.abs(ours - theirs) <= Math.max(rounding, theirs * MAX_VITAL_ERROR),
        `${name}: ${ours}, not ${theirs}`,
      );
    }
  } finally {
    site.close();
  }
}
