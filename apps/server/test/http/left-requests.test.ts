/** The work for requests whose clients have left. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { MAX_STREAMS_PER_SOURCE } from "../../src/debug/stream.ts";
import { until } from "../faults/child.ts";
import { untilWarehouseIsUp } from "../stats/stats-world.ts";
import { OWNER_TOKEN, openWorld } from "../support/world.ts";
import { openProxiedWarehouse } from "../warehouse/proxied-warehouse.ts";
import { PATIENCE_MS } from "../warehouse/store.ts";

const CLIENTS = 20;

/** Sends a whole request, and leaves without waiting for the answer. */
async function sendAndLeave(url: string, method: string, path: string, body = ""): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const head = [
    `${method} ${path} HTTP/1.1`,
    "host: localhost",
    `authorization: Bearer ${OWNER_TOKEN}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
  await once(socket, "close");
}

test("A query whose client leaves as soon as it has sent it is not computed: the next one does not wait for it.", async () => {
  await using warehouse = await openProxiedWarehouse();
  await using world = await openWorld(warehouse.settings);
  await untilWarehouseIsUp(world);
  const { sourceId } = await world.createSource({});
  const waiting = warehouse.hold("of-one-who-left");
  const bodyOf = (page: string) => ({
    sourceId,
    dateRange: ["2026-11-10", "2026-11-14"],
    metrics: ["visitors"],
    filters: [{ dimension: "page", operator: "is", value: page }],
  });
  for (let client = 0; client < CLIENTS; client++)
    await sendAndLeave(
      world.url,
      "POST",
      "/api/stats/query",
      JSON.stringify(bodyOf(`/of-one-who-left-${client}`)),
    );
  let status = 0;
  const next = world.ask("/api/stats/query", { method: "POST", body: bodyOf("/of-one-who-stays") });
  void next.then((reply) => (status = reply.status)).catch(() => undefined);
  await until("the next query is answered", PATIENCE_MS, async () => status !== 0);
  assert.equal(status, 200);
  await until("no query of a client that left is at work", PATIENCE_MS, async () => waiting() === 0);
});

test("Debug streams whose clients leave as soon as they have asked leave room for others.", async () => {
  await using world = await openWorld({});
  const { sourceId } = await world.createSource({});
  const path = `/api/tracking-sources/${sourceId}/debug/stream`;
  for (let stream = 0; stream < 2 * MAX_STREAMS_PER_SOURCE; stream++)
    await sendAndLeave(world.url, "GET", path);
  await until("a stream opens", PATIENCE_MS, async () => {
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${OWNER_TOKEN}` };
    const { status } = await fetch(world.url + path, { headers, signal: leaving.signal });
    leaving.abort();
    return status === 200;
  });
});
