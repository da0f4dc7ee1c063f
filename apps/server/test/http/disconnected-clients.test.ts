/** Requests whose clients disconnect before the answer. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { MAX_STREAMS_PER_SOURCE } from "../../src/debug/stream.ts";
import { untilWarehouseIsUp } from "../stats/stats-world.ts";
import { until } from "../support/until.ts";
import { OWNER_TOKEN, openWorld } from "../support/world.ts";
import { openProxiedWarehouse } from "../warehouse/proxied-warehouse.ts";

const CLIENTS = 20;

/** Sends a whole request, and disconnects without countHeld for the answer. */
async function sendAndDisconnect(url: string, method: string, path: string, body = ""): Promise<void> {
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

test("A query whose client has disconnected is not computed, so the next query does not wait for it.", async () => {
  await using warehouse = await openProxiedWarehouse();
  await using world = await openWorld(warehouse.settings);
  await untilWarehouseIsUp(world);
  const { sourceId } = await world.createSource({});
  const countHeld = warehouse.holdRequests("disconnected");
  const bodyOf = (page: string) => ({
    sourceId,
    dateRange: ["2026-11-10", "2026-11-14"],
    metrics: ["visitors"],
    filters: [{ dimension: "page", operator: "is", value: page }],
  });
  for (let client = 0; client < CLIENTS; client++)
    await sendAndDisconnect(
      world.url,
      "POST",
      "/api/stats/query",
      JSON.stringify(bodyOf(`/disconnected-${client}`)),
    );
  let status = 0;
  const next = world.ask("/api/stats/query", { method: "POST", body: bodyOf("/connected") });
  void next.then((reply) => (status = reply.status)).catch(() => undefined);
  await until("the next query is answered", async () => status !== 0);
  assert.equal(status, 200);
  await until("no query of a disconnected client is left at the warehouse", async () => countHeld() === 0);
});

test("A debug stream whose client has disconnected gives its slot to another.", async () => {
  await using world = await openWorld({});
  const { sourceId } = await world.createSource({});
  const path = `/api/tracking-sources/${sourceId}/debug/stream`;
  for (let stream = 0; stream < 2 * MAX_STREAMS_PER_SOURCE; stream++)
    await sendAndDisconnect(world.url, "GET", path);
  await until("a stream opens", async () => {
    const client = new AbortController();
    const headers = { authorization: `Bearer ${OWNER_TOKEN}` };
    const { status } = await fetch(world.url + path, { headers, signal: client.signal });
    client.abort();
    return status === 200;
  });
});
