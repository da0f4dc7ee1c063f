/** The worked examples, over HTTP on the real warehouse. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { EXAMPLES } from "./examples.ts";
import { openStatsWorld, type StatsWorld } from "./stats-world.ts";

let stats: StatsWorld;
before(async () => {
  stats = await openStatsWorld();
});
after(() => stats[Symbol.asyncDispose]());

for (const { sentence, events, goals = [], ask, body, now, rows, complete, answer } of EXAMPLES) {
  test(sentence, async () => {
    const { world } = stats;
    const { sourceId } = await world.createSource({ goals });
    await stats.insert(sourceId, events);
    if (now !== undefined) stats.setNow(Date.parse(now));
    const reply =
      ask === "live"
        ? await world.ask(`/api/stats/live?sourceId=${sourceId}`)
        : await world.ask(`/api/stats/${ask}`, { method: "POST", body: { sourceId, ...body } });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    if (answer)
      for (const [member, value] of Object.entries(answer)) assert.deepEqual(reply.body[member], value);
    if (!rows) return;
    type Result = {
      dimensions: unknown[];
      metrics: unknown[];
      comparison: unknown;
      complete: boolean | null;
    };
    if (complete)
      assert.deepEqual(
        reply.body.results.map((row: Result) => row.complete),
        complete,
      );
    const got = reply.body.results.map(({ dimensions, metrics, comparison }: Result) => [
      dimensions,
      metrics,
      comparison,
    ]);
    assert.deepEqual(
      got,
      rows.map(([dimensions, metrics, comparison = null]) => [dimensions, metrics, comparison]),
    );
  });
}

test("There are twenty worked examples, and more.", () => {
  assert.ok(EXAMPLES.length >= 20);
});
