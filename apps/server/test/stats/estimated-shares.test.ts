/** The shares of an estimated answer are of the same visitors as its rows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { READ_BUDGET } from "../../src/stats/plan.ts";
import { HOUR } from "../support/world.ts";
import { openStatsWorld } from "./stats-world.ts";

test("The only row of an estimated answer has the whole total.", async (t) => {
  await using stats = await openStatsWorld();
  const { sourceId } = await stats.world.createSource();
  const first = Date.UTC(2026, 4, 1);
  const events = Array.from({ length: 400 }, (_, index) => ({
    id: `${index}`,
    at: new Date(first + index * HOUR).toISOString(),
    session: `session ${index}`,
    visitor: `visitor ${index % 90}`,
    page: "/",
  }));
  await stats.insert(sourceId, events);
  const { eventsPerSecond } = READ_BUDGET;
  t.after(() => {
    READ_BUDGET.eventsPerSecond = eventsPerSecond;
  });
  // the rows join events and sessions, and cost more than the total
  READ_BUDGET.eventsPerSecond = { ...eventsPerSecond, events: 500 };
  const { body } = await stats.world.ask("/api/stats/query", {
    method: "POST",
    body: {
      sourceId,
      dateRange: ["2026-05-01", "2026-05-18"],
      metrics: ["conversions", "visitors"],
      goal: { event: "page_view" },
      dimensions: ["event", "device"],
      include: { total: true },
    },
  });
  assert.equal(body.accuracy.exact, false);
  assert.deepEqual(body.results[0].share, [1, 1]);
});
