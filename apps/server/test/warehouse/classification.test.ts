/**
 * Events of a version without sources and channels: after an update they get those that the same events would get if they
 * were sent anew (docs/operate.md, "Sources and channels of stored events").
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WarehouseEndpoint } from "../../src/clickhouse/endpoint.ts";
import { HOUR_MS } from "../../src/core/time.ts";
import { runRollupRound } from "../../src/workers/rollups.ts";
import { until } from "../faults/child.ts";
import { openStatsWorld } from "../stats/stats-world.ts";
import { eventsBody, eventsPath, ORIGIN, pageEvent, trackEvent, type World } from "../support/world.ts";
import { startClusterOfOne } from "./cluster-of-one.ts";
import { PATIENCE_MS } from "./store.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 86_400_000;

const REFERRERS = [
  null,
  "https://www.google.co.uk/",
  "https://www.google.com/imgres?imgurl=x",
  "https://images.google.de/imgres/deep/er",
  "https://docs.google.com/document/d/1",
  "https://l.facebook.com/l.php?u=https%3A%2F%2Fshop.example",
  "https://chatgpt.com/",
  "android-app://com.google.android.gm/",
  "https://www.Partner.example:8443/blog/a-post?b=c#d",
  "https://partner.example/blog/another-post",
  "https://user:word@news.example/a",
  "http://203.0.113.7/",
  "https://blog.shop.example/own",
  "https://www.second.example/own",
  "not an address",
];
const QUERIES = [
  "",
  "?x=1&utm_source=google&utm_medium=cpc",
  "?UTM_Source=Bing&UTM_MEDIUM=Organic&a=b",
  "?mtm_campaign=my-shop&mtm_source=it%27s%20%5C%20odd&mtm_medium=cpc",
  "?utm_campaign=summer&utm_medium=email&utm_source=someone@mail.example",
  "?gclid=one",
  "?gclid=two&b=2",
  "?ref=producthunt",
  "?source=our%20partner",
  "?utm_source=&utm_medium=social",
  "?utm_source=%28direct%29",
];

/** All pairs of a referrer and a query, over three days in two months, a session each, and a track event without a page. */
const visits = REFERRERS.flatMap((referrer, first) =>
  QUERIES.map((query, second) => {
    const at = NOW - ((first + second) % 3) * 15 * DAY_MS;
    return { at, page: { url: `${ORIGIN}/landing${query}`, referrer } };
  }),
);

async function send(world: World, source: { publicKey: string }) {
  for (const [index, { at, page }] of visits.entries()) {
    const visitor = { anonymousId: `visitor-${index}` };
    const sessionId = await world.openSession(source, visitor);
    const timestamp = new Date(at).toISOString();
    const events = [
      pageEvent({ page, timestamp }),
      trackEvent({ name: "signup", page: null, timestamp: new Date(at + 1_000).toISOString() }),
    ];
    const body = eventsBody(sessionId, events, visitor, NOW);
    const reply = await world.send(eventsPath(source), body);
    assert.equal(reply.body.accepted, 2, reply.text);
  }
}

async function checkStoredEvents(cluster: WarehouseEndpoint | null) {
  await using stats = await openStatsWorld({}, cluster);
  const { world, client } = stats;
  const fields = { allowedOrigins: [ORIGIN, "https://*.second.example"], queryParameters: "all" };
  const sent = await world.createSource(fields);
  const stored = await world.createSource(fields);
  await send(world, sent);
  const rows = async (query: string) =>
    (await client.query({ query, format: "JSONCompactEachRow" })).json<string[]>();
  const count = async (query: string) => Number((await rows(`SELECT count() FROM ${query}`))[0]?.[0]);
  const all = 2 * visits.length;
  await until("all events are shipped", PATIENCE_MS, async () => (await count("events")) === all);

  // as version 0.1.0 stored them
  await client.command({
    query: `INSERT INTO events (* EXCEPT (source, channel))
      SELECT * EXCEPT (source, channel) REPLACE ('${stored.sourceId}' AS sourceId)
      FROM (SELECT * FROM events WHERE sourceId = '${sent.sourceId}')`,
  });
  const unclassified = "events WHERE channel IS NULL";
  assert.equal(await count(unclassified), all);
  // a rollup would keep what is missing
  const later = NOW + HOUR_MS;
  const builds = async () => {
    await runRollupRound(client, later, { minSourceEvents: 1 });
    return count(`rollupBuilds FINAL WHERE sourceId = '${stored.sourceId}'`);
  };
  assert.equal(await builds(), 0);
  // the worker looks again after an hour
  stats.setNow(later);
  await until("all events have a channel", PATIENCE_MS, async () => (await count(unclassified)) === 0);

  const values = (sourceId: string) =>
    rows(
      `SELECT page.url, page.referrer, name, source, channel FROM events WHERE sourceId = '${sourceId}' ORDER BY eventId`,
    );
  assert.deepEqual(await values(stored.sourceId), await values(sent.sourceId));
  const ask = async (sourceId: string, dimensions: string[]) => {
    const metrics = ["visitors", "sessions", "events"];
    const body = { sourceId, dateRange: ["2026-10-01", "2026-12-01"], metrics, dimensions };
    return (await world.ask("/api/stats/query", { method: "POST", body })).body.results;
  };
  const compare = async () => {
    for (const dimensions of [["source"], ["channel"], ["time:month", "source", "channel"]]) {
      const results = await ask(stored.sourceId, dimensions);
      assert.ok(results.length > 1);
      assert.deepEqual(results, await ask(sent.sourceId, dimensions));
    }
  };
  await compare();
  await until("the rollups are built", PATIENCE_MS, async () => (await builds()) === 3);
  await compare();
  await until("the metric is 0", PATIENCE_MS, async () =>
    /^headwater_unclassified_events 0$/m.test((await world.ask("/metrics")).text),
  );
}

test("Events that were stored without a source and channel get those of events that are sent anew.", () =>
  checkStoredEvents(null));

test("On a cluster too.", async () => {
  await using cluster = await startClusterOfOne(1);
  await checkStoredEvents(cluster.endpoint);
});
