/**
 * The unchanged client of Segment sends the same events to a source whose plan is wrong and to one whose plan is right. After
 * the wrong plan is mended and the kept events are replayed, both sources have the same stats.
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import { installClients } from "../compat/clients.ts";
import { openStatsWorld } from "../stats/stats-world.ts";
import { until } from "../support/until.ts";
import type { CreatedSource } from "../support/world.ts";
import { NO_PLAN, ORDER_PLAN, quarantinePath, sourcePath } from "./quarantine-world.ts";

const VISITORS = 20;
const EVENTS = 200;
const MINUTE = 60_000;
const METRICS = ["visitors", "sessions", "pageviews", "events", "revenue", "bounceRate", "sessionDuration"];

it("The stats of a source whose plan was mended equal those of one whose plan was right from the start", async () => {
  using clients = await installClients();
  await using stats = await openStatsWorld();
  const { world } = stats;
  const { Analytics } = clients.load("@segment/analytics-node");
  const start = world.now();

  const ok = async (path: string, body: unknown, method = "POST", status = 200) => {
    const reply = await world.ask(path, { method, body });
    assert.equal(reply.status, status, reply.text);
    return reply.body;
  };
  const savePlan = (source: CreatedSource, plan: object) => ok(`${sourcePath(source)}/plan`, { plan }, "PUT");
  const timeOf = (number: number) => new Date(start + number * MINUTE);
  /** Sends events of some hours, while the service's time goes on. */
  const sendAll = async (source: CreatedSource) => {
    const path = `/api/compat/${source.publicKey}/segment/v1/batch`;
    const analytics = new Analytics({ writeKey: "old-key", host: world.url, path, flushAt: 10 });
    for (let number = 0; number < EVENTS; number++) {
      stats.setNow(timeOf(number).getTime());
      const userId = `user-${number % VISITORS}`;
      const common = { userId, messageId: `message-${number}`, timestamp: timeOf(number) };
      const url = `https://shop.example/page-${number % 7}?utm_source=mail-${number % 3}`;
      const context = { locale: "de-DE", page: { url, title: "Shop" } };
      if (number % 2 === 0) analytics.page({ ...common, properties: { url }, context });
      else
        analytics.track({
          ...common,
          event: "order",
          properties: { revenue: number, currency: "EUR" },
          context,
        });
      if (number % 10 === 9) await analytics.flush({ close: false });
    }
    await analytics.closeAndFlush();
  };

  const [wrong, right] = [await world.createSource(), await world.createSource()];
  await savePlan(wrong, ORDER_PLAN);
  await sendAll(right);
  await sendAll(wrong);
  stats.setNow(start + (EVENTS + 1) * MINUTE);
  const quarantine = (await world.ask(quarantinePath(wrong))).body;
  assert.equal(quarantine.events, EVENTS / 2);
  await savePlan(wrong, NO_PLAN);
  const { replayId } = await ok(`${quarantinePath(wrong)}/replays`, {}, "POST", 202);
  const replay = await until("the replay is done", async () => {
    const { body } = await world.ask(`${quarantinePath(wrong)}/replays/${replayId}`);
    return body.status === "done" ? body : null;
  });
  assert.deepEqual([replay.accepted, replay.duplicates, replay.rejected], [EVENTS / 2, 0, []]);
  const statsOf = async ({ sourceId }: CreatedSource, dimensions: string[]) => {
    const dateRange = [new Date(start - MINUTE).toISOString(), new Date(start + 600 * MINUTE).toISOString()];
    const query = { sourceId, dateRange, metrics: METRICS, dimensions, currency: "EUR", accuracy: "exact" };
    return (await ok("/api/stats/query", query)).results;
  };
  const isShipped = async (source: CreatedSource) =>
    (await statsOf(source, []))[0]?.metrics[METRICS.indexOf("events")] === EVENTS;
  await until("all events are in the warehouse", async () => (await isShipped(wrong)) && isShipped(right));
  for (const dimensions of [[], ["event"], ["page"], ["source"], ["entryPage"]])
    assert.deepEqual(await statsOf(wrong, dimensions), await statsOf(right, dimensions), dimensions.join());
});
