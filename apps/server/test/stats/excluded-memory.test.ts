/** The events of bots are counted although their sessions do not fit the memory of one statement. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openStatsWorld } from "./stats-world.ts";

const SESSIONS = 3_200_000;
const SESSIONS_OF_INSERT = 100_000;

test("A query is answered with its excluded bots, although it filters sessions and bots have very many.", async () => {
  await using stats = await openStatsWorld({ WAREHOUSE_MEMORY_BYTES: "268435456" });
  const { sourceId } = await stats.world.createSource();
  const visit = { session: "s", visitor: "v", page: "/", country: "DE" };
  await stats.insert(sourceId, [{ id: "human", at: "2026-11-11T10:00:00.000Z", ...visit }]);
  const day = Date.UTC(2026, 10, 11);
  for (let first = 0; first < SESSIONS; first += SESSIONS_OF_INSERT)
    await stats.client.command({
      query: `INSERT INTO events (analyticsEventId, eventId, type, name, occurredAt, timestamp, sessionId, anonymousId, device,
          properties, sourceId, receivedAt, country, channel)
        SELECT concat('evt_', toString(number)), toString(number), 'page', 'page_view',
          fromUnixTimestamp64Milli(${day} + toInt64(number % 86400000), 'UTC') AS time, '', concat('s', toString(number)), 'bot',
          tuple('desktop', NULL, NULL, NULL, NULL, true), '{}', '${sourceId}', time, 'DE', 'Direct'
        FROM numbers(${first}, ${SESSIONS_OF_INSERT})`,
    });
  const body = {
    sourceId,
    dateRange: ["2026-11-10", "2026-11-14"],
    metrics: ["visitors"],
    accuracy: "exact",
    filters: [{ dimension: "country", operator: "is", value: "DE" }],
  };
  const reply = await stats.world.ask("/api/stats/query", { method: "POST", body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.deepEqual(reply.body.results[0].metrics, [1]);
  assert.deepEqual(reply.body.excluded, { bots: SESSIONS });
});
