/** kill -9 during a replay: no kept event is lost, and none is stored twice. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { storedEvents } from "../ledger/reader.ts";
import { ORDER_PLAN } from "../quarantine/quarantine-world.ts";
import { until } from "../support/until.ts";
import { bootstrapBody, eventsBody, ORIGIN, OWNER_TOKEN, trackEvent } from "../support/world.ts";
import { createSource, startChild } from "./child.ts";
import { createRandom } from "./random.ts";

const KILLS = 5;
const BATCHES = 10;
const BATCH_EVENTS = 200;

it("A process that is killed during a replay loses no kept event and stores none twice", async (t) => {
  const random = createRandom();
  t.diagnostic(`seed ${random.seed}`);
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-replay-"));
  let child = await startChild(dataDir);
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  const json = async (reply: Response): Promise<any> => reply.json();
  const ask = async (path: string, { method = "GET", body }: { method?: string; body?: unknown } = {}) => {
    const headers = { authorization: `Bearer ${OWNER_TOKEN}`, "content-type": "application/json" };
    const reply = await fetch(child.url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    assert.ok(reply.ok, `${path}: ${reply.status}`);
    return json(reply);
  };
  const send = async (path: string, body: unknown) => {
    const headers = { origin: ORIGIN, "content-type": "application/json" };
    const reply = await fetch(child.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return json(reply);
  };
  try {
    const { sourceId, publicKey } = await createSource(child.url);
    const path = `/api/tracking-sources/${sourceId}`;
    await ask(`${path}/plan`, { method: "PUT", body: { plan: ORDER_PLAN } });
    const { sessionId } = await send(`/api/ingest/v2/${publicKey}/bootstrap`, bootstrapBody());
    const order = () => trackEvent({ name: "order", properties: {} });
    const ids: string[] = [];
    for (let batch = 0; batch < BATCHES; batch++) {
      const events = Array.from({ length: BATCH_EVENTS }, order);
      const answer = await send(`/api/ingest/v2/${publicKey}/events`, eventsBody(sessionId, events));
      assert.equal(answer.rejected, BATCH_EVENTS);
      ids.push(...events.map(({ id }) => id));
    }
    assert.equal((await ask(`${path}/quarantine`)).events, ids.length);
    await ask(`${path}/plan`, { method: "PUT", body: { plan: { ...ORDER_PLAN, mode: "off" } } });
    const { replayId } = await ask(`${path}/quarantine/replays`, { method: "POST", body: {} });
    const progress = () => ask(`${path}/quarantine/replays/${replayId}`);
    for (let kill = 1; kill <= KILLS; kill++) {
      const before = (await progress()).accepted;
      await until("the replay goes on", async () => {
        const { status, accepted } = await progress();
        return status === "done" || accepted > before;
      });
      await new Promise((resolve) => setTimeout(resolve, random.between(0, 30)));
      await child.end("SIGKILL");
      t.diagnostic(`killed with ${storedEvents(dataDir).length} events stored`);
      child = await startChild(dataDir);
    }
    const done = await until("the replay is done", async () => {
      const found = await progress();
      return found.status === "done" ? found : null;
    });
    t.diagnostic(JSON.stringify({ accepted: done.accepted, duplicates: done.duplicates }));
    assert.equal((await ask(`${path}/quarantine`)).events, 0);
    assert.equal((await child.end("SIGTERM")).code, 0);
    assert.deepEqual(
      storedEvents(dataDir)
        .map(({ eventId }) => eventId)
        .sort(),
      ids.sort(),
    );
  } finally {
    await child.end("SIGKILL");
    rmSync(dataDir, { recursive: true, force: true });
  }
});
