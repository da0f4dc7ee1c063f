/** A disk that fills up: writes are refused with a reason, reads work, and ingest resumes without a restart. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { metricValue } from "../support/metrics.ts";
import { until } from "../support/until.ts";
import { ORGANIZATION_ID, type TestSource } from "../support/world.ts";
import { ask, type Child, createSource, startChild } from "./child.ts";
import { bodyOf, Load, type LoadReply, makeBatch, openVisitor, send, type Visitor } from "./load.ts";
import { checkAnswers, checkUsage, compare, sendAgain, storedEvents } from "./oracle.ts";
import { createRandom, type SeededRandom } from "./random.ts";
import { emptyVolume, fillVolume, openVolume, type Volume, type VolumeKind, whyNoVolume } from "./volume.ts";

const MEGABYTE = 1_048_576;
const SIZE_MB = 64;
const READING_MS = 3_000;

function sendOne(
  child: Child,
  source: TestSource,
  visitor: Visitor,
  random: SeededRandom,
): Promise<LoadReply> {
  const batch = makeBatch(source, visitor, random);
  return send(`${child.url}/api/ingest/v2/${source.publicKey}/events`, bodyOf(batch));
}

function assertStorageFull({ status, headers, body }: LoadReply, child: Child): void {
  assert.deepEqual([status, body.code, body.retryable], [503, "storage_full", true], child.logged());
  assert.ok(Number(headers["retry-after"]) >= 1);
}

async function readiness(child: Child): Promise<{ status: number; code: string | undefined }> {
  const response = await fetch(`${child.url}/readyz`);
  const { code } = (await response.json()) as { code?: string };
  return { status: response.status, code };
}

const metricsOf = async (child: Child): Promise<string> => (await fetch(`${child.url}/metrics`)).text();

/** `headwater_storage_failing` of a full disk. */
const fullMetric = async (child: Child): Promise<number | null> =>
  metricValue(await metricsOf(child), "headwater_storage_failing", 'kind="full"');

/** Waits with a volume that is filled before each question: other files than the ledger's may shrink meanwhile. */
const untilFull = <T>(volume: Volume, what: string, ask: Parameters<typeof until<T>>[1]): Promise<T> =>
  until(what, () => {
    fillVolume(volume);
    return ask();
  });

/** Changes through the workspace API are refused with the same code. */
async function assertUnchangeable(child: Child, volume: Volume): Promise<void> {
  const { status, body } = await untilFull(volume, "a change is refused", async () => {
    const reply = await ask(child.url, "/api/tracking-sources", {
      organizationId: ORGANIZATION_ID,
      name: "Another",
    });
    return reply.status !== 200 && reply;
  });
  assert.deepEqual([status, body.code], [503, "storage_full"], JSON.stringify(body));
}

/** Reads through the workspace API work while nothing can be written. */
async function assertReadable(child: Child, { sourceId }: TestSource): Promise<void> {
  for (const path of [
    `/api/tracking-sources?organizationId=${ORGANIZATION_ID}`,
    `/api/tracking-sources/${sourceId}`,
    `/api/tracking-sources/${sourceId}/debug`,
    `/api/usage?organizationId=${ORGANIZATION_ID}`,
  ]) {
    const { status, body } = await ask(child.url, path);
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
  }
}

/** Defines the tests of a full disk on one kind of file system. */
export function fullDisk(kind: VolumeKind): void {
  const missing = whyNoVolume(kind);

  it(`On ${kind}, ingest answers 503 storage_full while the disk is full, and resumes by itself when there is space`, {
    skip: missing ?? false,
  }, async (t) => {
    const random = createRandom();
    using volume = openVolume(kind, SIZE_MB);
    const dataDir = join(volume.path, "data");
    const child = await startChild(dataDir, { environment: { LOG_LEVEL: "error" } });
    try {
      const source = await createSource(child.url);
      await using load = new Load(child.url, source, random);
      const visitor = await openVisitor(child.url, source);
      await load.start();
      await until("50 batches are acknowledged", () => load.acknowledged().length >= 50);

      await untilFull(volume, "a client is refused", () => load.refused.get("503 storage_full"));
      load.pause();
      for (let round = 0; round < 10; round += 1) {
        const reply = await untilFull(volume, "a batch is refused", async () => {
          const one = await sendOne(child, source, visitor, random);
          return one.status !== 200 && one;
        });
        assertStorageFull(reply, child);
        await assertUnchangeable(child, volume);
        await assertReadable(child, source);
      }
      const { code } = await untilFull(volume, "/readyz answers 503", async () => {
        const now = await readiness(child);
        return now.status === 503 && now;
      });
      assert.equal(code, "storage_full");
      await untilFull(
        volume,
        "the metric says that the disk is full",
        async () => (await fullMetric(child)) === 1,
      );
      await untilFull(volume, "the metric of the free space says that there is none", async () => {
        return metricValue(await metricsOf(child), "headwater_storage_free_bytes") === 0;
      });
      assert.match(child.logged(), /"level":50.*the storage fails, so requests get 503 until it works/);
      // long enough for several probes of the ledger, each of which fails
      for (const end = Date.now() + READING_MS; Date.now() < end; ) {
        fillVolume(volume);
        await assertReadable(child, source);
      }

      const freedAt = performance.now();
      emptyVolume(volume);
      await until("a batch is accepted", async () => {
        return (await sendOne(child, source, visitor, random)).status === 200;
      });
      const recoveryMs = Math.round(performance.now() - freedAt);
      await until("/readyz answers 200", async () => (await readiness(child)).status === 200);
      assert.equal(await fullMetric(child), 0);

      await load.settle();
      checkAnswers(load.sent);
      await sendAgain(child.url, source, load.sent);
      const refused = JSON.stringify(Object.fromEntries(load.refused));
      t.diagnostic(`seed ${random.seed}: ${load.sent.length} batches, refused meanwhile ${refused}`);
      t.diagnostic(`accepting ${recoveryMs} ms after there was room`);
      assert.ok(
        [...load.refused.keys()].every((what) => /^503 (storage_full|overloaded)$/.test(what)),
        `${refused} ${child.logged()}`,
      );
      assert.equal((await child.end("SIGTERM")).code, 0);
    } finally {
      await child.end("SIGKILL");
    }
  });

  it(`On ${kind}, no acknowledged event is lost when the disk is full repeatedly and the process is stopped or killed meanwhile`, {
    skip: missing ?? false,
  }, async (t) => {
    const random = createRandom();
    using volume = openVolume(kind, SIZE_MB);
    const dataDir = join(volume.path, "data");
    let child = await startChild(dataDir);
    try {
      const source = await createSource(child.url);
      await using load = new Load(child.url, source, random);
      for (const signal of ["SIGTERM", "SIGKILL"] as const) {
        for (let round = 0; round < 3; round += 1) {
          load.refused.clear();
          await load.start();
          await untilFull(volume, "clients are refused", () => {
            return (load.refused.get("503 storage_full") ?? 0) > 20;
          }).catch((error: Error) => {
            const refused = JSON.stringify([...load.refused]);
            throw new Error(`${error.message}; refused: ${refused}, accepted: ${load.acknowledged().length}`);
          });
          load.pause();
          if (round < 2) {
            emptyVolume(volume);
            await load.settle();
          }
        }
        const { code, ms } = await child.end(signal);
        load.url = null;
        t.diagnostic(`${signal} on a full disk: ended with ${code} in ${ms} ms`);
        assert.equal(code, signal === "SIGTERM" ? 0 : null);
        const left = compare(storedEvents(dataDir), load.sent);
        assert.deepEqual([left.lost, left.doubled], [0, 0]);
        emptyVolume(volume);
        child = await startChild(dataDir);
        load.url = child.url;
        await load.settle();
      }
      checkAnswers(load.sent);
      await sendAgain(child.url, source, load.sent);
      await checkUsage(child.url, load.sent);
      t.diagnostic(`seed ${random.seed}: ${load.sent.length} batches, none lost, none doubled`);
    } finally {
      await child.end("SIGKILL");
    }
  });

  it(`On ${kind}, ingest is refused below DISK_LOW_WATER_BYTES of free space, and resumes above it`, {
    skip: missing ?? false,
  }, async (t) => {
    const random = createRandom();
    using volume = openVolume(kind, SIZE_MB);
    const child = await startChild(join(volume.path, "data"), {
      environment: { DISK_LOW_WATER_BYTES: String(16 * MEGABYTE) },
    });
    try {
      const source = await createSource(child.url);
      const visitor = await openVisitor(child.url, source);
      assert.equal((await sendOne(child, source, visitor, random)).status, 200);
      fillVolume(volume, 8 * MEGABYTE);
      const { code } = await until("/readyz answers 503", async () => {
        const now = await readiness(child);
        return now.status === 503 && now;
      });
      assert.equal(code, "storage_full");
      assertStorageFull(await sendOne(child, source, visitor, random), child);
      await assertReadable(child, source);
      const freedAt = performance.now();
      emptyVolume(volume);
      await until("a batch is accepted", async () => {
        return (await sendOne(child, source, visitor, random)).status === 200;
      });
      t.diagnostic(`accepting ${Math.round(performance.now() - freedAt)} ms after there was room`);
    } finally {
      await child.end("SIGKILL");
    }
  });
}
