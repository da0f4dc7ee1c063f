/**
 * Visits in which nothing is injected: the statement of delivery of the real service says that nothing was lost. VISITS is
 * their number.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { DeliveryStatement } from "@headwater/contract";
import { isInstalled } from "../../../apps/server/src/clickhouse/embedded/start.ts";
import { installPayload } from "../../../apps/server/src/install/install.ts";
import { PATIENCE_MS, until } from "../../../apps/server/test/support/until.ts";
import { DAY, openWorld } from "../../../apps/server/test/support/world.ts";
import { onServedWarehouse } from "../../../apps/server/test/warehouse/ask.ts";
import * as chromium from "./chromium.ts";
import * as firefox from "./firefox.ts";
import { startSite } from "./server.ts";

interface CrowdTab {
  open(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
  close(): Promise<unknown>;
}
interface CrowdVisitor {
  newTab(): Promise<CrowdTab>;
  /** Ends the visitor's data and requests. */
  close(): Promise<unknown>;
}

const VISITS = Number(process.env.VISITS ?? 100);

/** The client has taken over, so it has seen the page. */
const STARTED = `new Promise((done) => {
  const look = () => window.headwater?.version ? done(true) : setTimeout(look, 1);
  look();
})`;
const track = (count: number) =>
  `{ for (let n = 0; n < ${count}; n += 1) headwater("track", "looked", { n }); }`;

/** What `visit` produces, besides measurements. */
const VIEWS = 10;
const TRACKED = 30;
/** Visitors between two lines of progress. */
const PROGRESS = 50;

/** A visitor reads ten pages in three tabs, and leaves none of them slowly. */
async function visit(site: string, { newTab }: CrowdVisitor): Promise<void> {
  const show = async (opening: Promise<unknown>, tab: CrowdTab) => {
    await opening;
    await tab.evaluate(STARTED);
  };
  const open = (tab: CrowdTab, path: string) => show(tab.open(site + path), tab);
  const reload = (tab: CrowdTab) => show(tab.reload(), tab);

  const first = await newTab();
  await open(first, "/");
  await first.evaluate(`(() => { history.pushState(null, "", "/list"); ${track(3)} })()`);
  await open(first, "/item");
  await reload(first);
  const second = await newTab();
  await Promise.all([open(first, "/other"), open(second, "/")]);
  await Promise.all([first, second].map((tab) => tab.evaluate(`(() => ${track(1)})()`)));
  await second.evaluate(`(() => ${track(22)})()`);
  await second.close();
  await open(first, "/cart");
  await first.evaluate(`(() => ${track(2)})()`);
  await reload(first);
  const third = await newTab();
  await open(third, "/");
  await third.close();
  await first.evaluate(`(() => ${track(1)})()`);
  await reload(first);
  await first.close();
}

interface Crowd {
  newVisitor(): Promise<CrowdVisitor>;
  /** Visitors at a time. */
  readonly size: number;
}

const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

/** Events in the warehouse by name, counted without the service. */
const countEvents = (dataDir: string): Promise<Map<string, number>> =>
  onServedWarehouse(dataDir, async (client) => {
    const query = "SELECT name, toUInt32(count()) AS events FROM events GROUP BY name";
    const rows = await (await client.query({ query, format: "JSONEachRow" })).json<{
      name: string;
      events: number;
    }>();
    return new Map(rows.map(({ name, events }) => [name, events]));
  });

async function check(t: TestContext, { newVisitor, size }: Crowd): Promise<void> {
  const resources = new AsyncDisposableStack();
  t.after(() => resources.disposeAsync());
  let aheadMs = 0;
  const clock = () => Date.now() + aheadMs;
  const world = resources.use(await openWorld({ WAREHOUSE: "embedded" }, { clock }));
  const site = await startSite();
  resources.defer(site.close);
  const source = await world.createSource({ allowedOrigins: [site.url] });
  site.showHead(installPayload(source, { baseUrl: world.url, appUrl: site.url }).browserSnippet);
  const hasArrived = async (visitors: number) => {
    const counts = await countEvents(world.dataDir);
    return counts.get("page_view") === visitors * VIEWS && counts.get("looked") === visitors * TRACKED;
  };

  const startedAt = Date.now();
  let count = 0;
  for (; count * VIEWS < VISITS; count += size) {
    const visitors = await Promise.all(Array.from({ length: size }, newVisitor));
    await Promise.all(visitors.map((visitor) => visit(site.url, visitor)));
    // a browser that ends at once takes its requests with it
    await until("every view and event has arrived once", () => hasArrived(count + size));
    for (const visitor of visitors) await visitor.close();
    if ((count + size) % PROGRESS === 0) console.log(`${(count + size) * VIEWS} visits of ${VISITS}`);
  }
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  t.diagnostic(`${count * VIEWS} visits, ${count * TRACKED} events in ${seconds} s`);

  aheadMs = 2 * DAY;
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
  const span = `from=${dayOf(startedAt)}&to=${dayOf(Date.now())}`;
  const { days } = await until("nothing waits", async () => {
    const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/delivery?${span}`);
    const statement: DeliveryStatement = body;
    return statement.days.every(({ waiting }) => waiting === 0) && statement;
  });
  const stored = total([...(await countEvents(world.dataDir)).values()]);
  const sumOf = (name: "produced" | "accepted" | "inWarehouse") => total(days.map((day) => day[name]));
  assert.deepEqual([sumOf("produced"), sumOf("accepted"), sumOf("inWarehouse")], [stored, stored, stored]);
  for (const { missing, stillPossible, lostInWarehouse, rejected, dropped } of days)
    assert.deepEqual(
      { missing, stillPossible, lostInWarehouse, rejected, dropped },
      { missing: 0, stillPossible: 0, lostInWarehouse: 0, rejected: {}, dropped: {} },
    );
}

const timeout = 2 * PATIENCE_MS + 5_000 * VISITS;
const noWarehouse = !isInstalled() && "there is no embedded warehouse";

test("Chromium loses no event of visits that nothing disturbs.", {
  skip: noWarehouse || chromium.skip,
  timeout,
}, async (t) => {
  const newVisitor = async () => {
    const context = await chromium.newVisitor();
    return {
      async newTab() {
        const page = await context.newPage();
        return {
          open: (url: string) => page.goto(url),
          reload: () => page.reload(),
          evaluate: (expression: string) => page.evaluate(expression),
          close: () => page.close({ runBeforeUnload: false }),
        };
      },
      close: () => context.close(),
    };
  };
  await check(t, { newVisitor, size: 5 });
});

test("Firefox loses no event of visits that nothing disturbs.", {
  skip: noWarehouse || firefox.skip,
  timeout,
}, async (t) => {
  const browser = await firefox.startFirefox();
  t.after(() => browser.close());
  const newVisitor = async () => ({ newTab: await browser.newVisitor(), close: async () => {} });
  // it shows one tab at a time
  await check(t, { newVisitor, size: 1 });
});
