/** Sends visits as the browser client does and waits until the warehouse has them. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { rowsOf } from "../../server/test/ledger/reader.ts";
import { until } from "../../server/test/support/until.ts";
import {
  bootstrapBody,
  bootstrapPath,
  DAY,
  eventsBody,
  eventsPath,
  MINUTE,
  ORIGIN,
  pageEvent,
  trackEvent,
  type World,
} from "../../server/test/support/world.ts";
import type { Seeded } from "./seed.ts";

/** Noon in UTC, that many days ago. */
export const noon = (daysAgo: number) => Math.floor(Date.now() / DAY - daysAgo) * DAY + DAY / 2;
export const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

export interface SentVisit {
  readonly visitor: string;
  readonly at: number;
  readonly paths: readonly string[];
  readonly referrer?: string;
  readonly query?: string;
  /** Default: the origin of the test's site. */
  readonly origin?: string;
  /** Track events that follow the last page view. */
  readonly tracked?: readonly {
    readonly name: string;
    readonly properties: Record<string, unknown>;
    readonly passive?: true;
  }[];
}

/** Sends one visit, with a minute between events. */
async function visit(world: World, source: Seeded, one: SentVisit): Promise<number> {
  const { visitor: anonymousId, paths, referrer = null, query = "", origin = ORIGIN, tracked = [] } = one;
  const pages = paths.map((path) => ({ url: `${origin}${path}${query}`, title: "Page", referrer }));
  const body = bootstrapBody({ anonymousId, page: pages[0] });
  const opened = await world.send(bootstrapPath(source), body);
  assert.equal(opened.status, 200, JSON.stringify(opened.body));
  const events = [
    ...pages.map((page, at) => pageEvent({ page }, one.at + at * MINUTE)),
    ...tracked.map((event, at) =>
      trackEvent({ ...event, page: pages.at(-1) }, one.at + (pages.length + at) * MINUTE),
    ),
  ];
  const sent = await world.send(
    eventsPath(source),
    eventsBody(opened.body.sessionId, events, { anonymousId }),
  );
  assert.equal(sent.body.accepted, events.length, JSON.stringify(sent.body));
  return events.length;
}

/**
 * Sends the visits and waits until all of their events can be queried.
 * @param before how many events of bots were sent before
 */
export async function visits(
  world: World,
  source: Seeded,
  all: readonly SentVisit[],
  before = 0,
): Promise<void> {
  let sent = before;
  for (const one of all) sent += await visit(world, source, one);
  const body = {
    sourceId: source.sourceId,
    dateRange: [dayOf(noon(8)), dayOf(noon(-2))],
    metrics: ["events", "passiveEvents"],
    include: { bots: true },
  };
  // a look at the ledger takes a hundredth of a query's CPU time
  const shipped = "select sum(shipped) as events from shipped_days where source_id = ?";
  await until("every event is shipped", () => {
    const [row] = rowsOf(world.dataDir, shipped, source.sourceId);
    return row?.events === sent;
  });
  await until("every event can be queried", async () => {
    const answer = await world.ask("/api/stats/query", { method: "POST", body });
    const [events, passiveEvents] = answer.body.results?.[0]?.metrics ?? [];
    return events + passiveEvents === sent;
  });
}

/** Two visitors yesterday, of whom one signed up and one bounced, and one visitor three days earlier. */
export const shopVisits = (): SentVisit[] => [
  {
    visitor: "ann",
    at: noon(1),
    paths: ["/", "/pricing"],
    referrer: "https://search.example/find",
    query: "?utm_source=letter&utm_campaign=autumn",
    tracked: [{ name: "signup", properties: { plan: "pro" } }],
  },
  { visitor: "bob", at: noon(1), paths: ["/"] },
  { visitor: "cid", at: noon(4), paths: ["/pricing"] },
];

/** The stats page for the three days up to yesterday, compared with the three days before. */
export const lastDays = ({ sourceId }: Seeded) =>
  `/analytics/stats?sourceId=${sourceId}&range=${dayOf(noon(3))}..${dayOf(noon(1))}&tz=UTC`;

const visited = new WeakMap<World, Map<string, Promise<Seeded>>>();
/** The source with `shopVisits` of this service, for tests that leave it as it is. */
export function visitedShop(world: World): Promise<Seeded> {
  const today = dayOf(Date.now());
  const byDay = visited.get(world) ?? new Map<string, Promise<Seeded>>();
  visited.set(world, byDay);
  const create = async () => {
    const source = await world.createSource();
    await visits(world, source, shopVisits());
    return source;
  };
  const source = byDay.get(today) ?? create();
  byDay.set(today, source);
  return source;
}

/** Waits for the last list of the stats, and scrolls to what is below it. */
export async function scrollToEnd(page: Page): Promise<void> {
  await page.getByRole("region", { name: "Events" }).getByRole("row").nth(1).waitFor();
  await page.evaluate(() => document.scrollingElement?.scrollTo(0, document.scrollingElement.scrollHeight));
}
