/** Numbers of properties, however large or small they are. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openStatsWorld } from "./stats-world.ts";

const NUMBERS = [0, 0.1, 5e-324, 1e-7, 2 ** 53, 2 ** 64, 1e20, -(2 ** 63) - 2048, 1e21, -1.5e300];

test("A filter by a number finds the events that have it, and a group is that number.", async () => {
  await using stats = await openStatsWorld({});
  const { sourceId } = await stats.world.createSource();
  await stats.insert(
    sourceId,
    NUMBERS.map((n, index) => ({
      id: `${index}`,
      at: "2026-05-10T10:00:00.000Z",
      session: `s${index}`,
      visitor: "v",
      name: "measured",
      properties: { n, other: { n: String(n) } },
    })),
  );
  const ask = async (query: object) => {
    const body = { sourceId, dateRange: ["2026-05-01", "2026-05-31"], metrics: ["events"], ...query };
    const reply = await stats.world.ask("/api/stats/query", { method: "POST", body });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.results.map(({ dimensions, metrics }: Record<string, unknown[]>) => [
      ...dimensions!,
      ...metrics!,
    ]);
  };
  for (const value of NUMBERS)
    assert.deepEqual(await ask({ filters: [{ dimension: "property:n", operator: "is", value }] }), [[1]]);
  const groups = await ask({ dimensions: ["property:n"] });
  const byNumber = (one: number[], other: number[]) => one[0]! - other[0]!;
  assert.deepEqual(groups.sort(byNumber), NUMBERS.map((value) => [value, 1]).sort(byNumber));
});
