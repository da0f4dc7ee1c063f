/** Property names that strangers make up cost the shared warehouse nothing: it merges them, and erases another visitor. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "@headwater/contract";
import { metricValue } from "../support/metrics.ts";
import { until } from "../support/until.ts";
import { eventsBody, eventsPath, ORGANIZATION_ID, openWorld, trackEvent } from "../support/world.ts";
import { onServedWarehouse } from "./ask.ts";

const POSTS = 12;
const EVENTS = 130;
const NAMES = 250;
const MEMORY_BYTES = 1_073_741_824;

let numbered = 0;
const madeUp = () =>
  Object.fromEntries(Array.from({ length: NAMES }, () => [`n${(numbered++).toString(36)}`, 1]));

test("390,000 names in twelve requests merge within the engine's memory, and another visitor is erased.", async () => {
  await using world = await openWorld({ WAREHOUSE: "embedded" });
  const source = await world.createSource();
  const sessionId = await world.openSession(source, { anonymousId: "victim" });
  const other = trackEvent({ properties: { plan: "pro", cart: { items: 2 } } });
  await world.send(eventsPath(source), eventsBody(sessionId, [other], { anonymousId: "victim" }));
  for (let post = 0; post < POSTS; post++) {
    const attacker = await world.createSource();
    const own = await world.openSession(attacker);
    const events = Array.from({ length: EVENTS }, () => trackEvent({ properties: madeUp() }));
    const { body } = await world.send(eventsPath(attacker), eventsBody(own, events));
    const warned = body.results.map(({ warnings }: { warnings: string[] }) => warnings.join());
    const withinLimit = LIMITS.maxPropertyNamesPerDay / NAMES;
    assert.deepEqual(
      warned,
      Array.from({ length: EVENTS }, (_, index) => (index < withinLimit ? "" : "too_many_property_names")),
    );
  }
  await until("no event waits", async () => {
    const { warehouse } = (await world.ask("/readyz", { token: null })).body;
    return warehouse.state === "up" && warehouse.waitingEvents === 0;
  });
  const erasure = { organizationId: ORGANIZATION_ID, sourceId: source.sourceId, anonymousId: "victim" };
  const requested = await world.ask("/api/visitors/erase", { method: "POST", body: erasure });
  assert.equal(requested.status, 202, JSON.stringify(requested.body));
  const receipt = String(requested.headers.get("location"));
  await until("the visitor is erased", async () => (await world.ask(receipt)).body.status === "done");
  const [counted] = await onServedWarehouse(world.dataDir, async (client) => {
    await client.command({ query: "OPTIMIZE TABLE events FINAL SETTINGS optimize_throw_if_noop = 1" });
    const query = "SELECT toUInt32(count()) AS events, toUInt32(uniqExact(_part)) AS parts FROM events";
    return (await client.query({ query, format: "JSONEachRow" })).json();
  });
  assert.deepEqual(counted, { events: POSTS * EVENTS, parts: 1 });
  const memory =
    metricValue(
      (await world.ask("/metrics", { token: null })).body,
      "headwater_warehouse_engine_memory_bytes",
    ) ?? 0;
  assert.ok(memory <= 1.1 * MEMORY_BYTES, `the engine uses ${memory} bytes`);
});
