/** Queries with as many properties as a query may have, by names as long and with as many dots as names may be. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openStatsWorld } from "./stats-world.ts";

const long = (letter: string) => letter.repeat(49);
const NAMES = [
  "plan",
  "a.b",
  "a.b.c",
  `${long("x")}.${long("y")}.${long("z")}`,
  "a'\"\\%_{p1:String}.b",
  "........",
];

test("A query with twenty filters by property and three such dimensions is answered, whatever the names.", async () => {
  await using stats = await openStatsWorld({});
  const { world } = stats;
  const { sourceId } = await world.createSource();
  const properties = { plan0: "pro", a: { b0: "x" } };
  await stats.insert(sourceId, [
    { id: "1", at: "2026-05-10T10:00:00.000Z", session: "s", visitor: "v", properties },
  ]);
  for (const name of NAMES) {
    const filters = Array.from({ length: 20 }, (_, index) => ({
      dimension: `property:${name}${index}`,
      operator: "is_not",
      value: index % 2 ? "y" : 2,
    }));
    const body = {
      sourceId,
      dateRange: ["2026-05-01", "2026-05-31"],
      metrics: ["visitors", "pageviews", "sessions", "bounceRate", `sum:${name}0`],
      dimensions: [0, 1, 2].map((index) => `property:${name}${index}`),
      filters,
    };
    const reply = await world.ask("/api/stats/query", { method: "POST", body });
    assert.equal(reply.status, 200, `${name}: ${reply.text}`);
    assert.equal(reply.body.results[0].metrics[0], 1, name);
  }
});
