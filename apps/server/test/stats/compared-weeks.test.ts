/** Weeks of a range that is compared with a longer month have the figures of the days that their own days are compared with. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY, HOUR } from "../support/world.ts";
import { openStatsWorld } from "./stats-world.ts";

test("The last week of February has six days, and is compared with six days of January.", async () => {
  await using stats = await openStatsWorld();
  const { sourceId } = await stats.world.createSource();
  const first = Date.UTC(2026, 0, 1) + HOUR;
  // one visit on each day of January and February
  const visits = Array.from({ length: 59 }, (_, day) => ({
    id: `${day}`,
    at: new Date(first + day * DAY).toISOString(),
    session: `session ${day}`,
    visitor: `visitor ${day}`,
    page: "/",
  }));
  await stats.insert(sourceId, visits);
  const ask = async (grain: string, metric: string) => {
    const { body } = await stats.world.ask("/api/stats/query", {
      method: "POST",
      body: {
        sourceId,
        dateRange: ["2026-02-01", "2026-03-01"],
        metrics: [metric],
        dimensions: [`time:${grain}`],
        include: { comparison: { mode: "custom", dateRange: ["2026-01-01", "2026-02-01"] } },
      },
    });
    return body.results.map(({ dimensions, metrics, comparison }: Record<string, unknown[]>) => [
      String(dimensions?.[0]).slice(0, 10),
      metrics?.[0],
      comparison?.[0] ?? null,
    ]);
  };
  assert.deepEqual(await ask("week", "visitors"), [
    ["2026-02-01", 1, 1],
    ["2026-02-02", 7, 7],
    ["2026-02-09", 7, 7],
    ["2026-02-16", 7, 7],
    ["2026-02-23", 6, 6],
  ]);
  // seven days end with the last day that a week is compared with
  assert.deepEqual((await ask("week", "visitors7Days")).at(-1), ["2026-02-23", 7, 7]);
});
