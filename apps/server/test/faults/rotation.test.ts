/** Key generations rotate under load, and events are sent again after several days. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { DEDUP_WINDOW_SECONDS, LIMITS } from "@headwater/contract";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { CommitEntry } from "../../src/ledger/records.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";
import { aCommit, entries } from "../ledger/ledger-home.suite.ts";
import { bootstrapBody, eventsBody, openWorld, pageEvent, trackEvent, type World } from "../support/world.ts";
import { createRandom } from "./random.ts";

const ROTATIONS = process.env.TEST_LONG ? 100 : 20;
const CLIENTS = 8;
const BATCHES_A_CLIENT = 12;
const START = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const GENERATION_MS = LIMITS.keyGenerationSeconds * 1_000;
const WINDOW_MS = DEDUP_WINDOW_SECONDS * 1_000;

/** Sends the same batches from every client concurrently, in different orders. @returns how often each key was accepted */
async function sendAtOnce(
  ledger: Ledger,
  receivedAt: number,
  batches: CommitEntry[][],
  shift: (client: number) => number,
) {
  const accepted = new Map<string, number>();
  const client = async (number: number) => {
    for (let at = 0; at < batches.length; at += 1) {
      const batch = batches[(at + shift(number)) % batches.length]!;
      const flags = await ledger.commit(
        aCommit({ sourceId: `src_${number % 2}`, receivedAt, entries: batch }),
      );
      for (const [index, { key }] of batch.entries())
        accepted.set(key, (accepted.get(key) ?? 0) + flags[index]!);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return accepted;
}

it("Each id is accepted once while generations rotate and clients send the same new and old ids concurrently", async (t) => {
  const random = createRandom();
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-rotation-"));
  const ledger = await openSqliteLedger({ dataDir, now: START });
  const history: { at: number; batch: CommitEntry[] }[] = [];
  let total = 0;
  let now = START;
  try {
    for (let rotation = 1; rotation <= ROTATIONS; rotation += 1) {
      const news = Array.from({ length: BATCHES_A_CLIENT }, () => entries(random.between(1, 5)));
      const olds = history
        .filter(({ at }) => now + GENERATION_MS - at <= WINDOW_MS)
        .map(({ batch }) => batch);
      const shifts = Array.from({ length: CLIENTS }, () => random.between(0, news.length + olds.length));
      const turnedAt = now + GENERATION_MS;
      const before = now;
      const [accepted] = await Promise.all([
        // some requests were received before the rotation
        sendAtOnce(ledger, random.pick([before, turnedAt]), [...news, ...olds], (client) => shifts[client]!),
        ledger.maintain({ now: turnedAt }),
      ]);
      now = turnedAt;
      for (const { key } of news.flat()) assert.equal(accepted.get(key), 1);
      for (const { key } of olds.flat()) assert.equal(accepted.get(key), 0);
      total += news.flat().length;
      for (const batch of news) history.push({ at: now, batch });
    }
    assert.equal((await ledger.probe({ now })).outboxEvents, total);
    t.diagnostic(
      `seed ${random.seed}: ${ROTATIONS} rotations, ${CLIENTS} clients, ${total} ids, each accepted once`,
    );
  } finally {
    await ledger.close();
    rmSync(dataDir, { recursive: true });
  }
});

interface ReplayedBatch {
  at: number;
  events: Record<string, unknown>[];
}

async function openSession(world: World, publicKey: string): Promise<string> {
  const { status, body } = await world.send(`/api/ingest/v2/${publicKey}/bootstrap`, bootstrapBody());
  assert.equal(status, 200);
  return body.sessionId as string;
}

/** Two ordinary events, one that is a day late, and one from a clock that is 23 hours ahead. */
const eventsAt = (now: number) => [
  pageEvent({}, now),
  trackEvent({}, now),
  trackEvent({}, now - DAY),
  trackEvent({}, now + 23 * HOUR),
];

const STEP_MS = (process.env.TEST_LONG ? 6 : 12) * HOUR;
const REPLAYED_AFTER_DAYS = [6, 7, 8, 9, 12];

it("Events that are sent again after 6, 7, 8, 9 and 12 days are never accepted twice", async (t) => {
  let now = START;
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-replay-"));
  let world = await openWorld({}, { clock: () => now }, dataDir);
  const { publicKey } = await world.createSource();
  const resultCounts = new Map<string, number>();
  const sent: ReplayedBatch[] = [];
  const send = async (events: unknown[], sentAt: number) => {
    const body = eventsBody(await openSession(world, publicKey), events, {}, sentAt);
    const reply = await world.send(`/api/ingest/v2/${publicKey}/events`, body);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body.results as { status: string; code: string | null }[];
  };
  try {
    for (; now < START + 20 * DAY; now += STEP_MS) {
      await world.server.maintain();
      for (const { at, events } of sent) {
        const days = (now - at) / DAY;
        if (!REPLAYED_AFTER_DAYS.includes(days)) continue;
        // with a new sentAt, as the contract requires, and with the old one, which makes an old event look new
        for (const sentAt of [now, at]) {
          for (const { status, code } of await send(events, sentAt)) {
            assert.notEqual(status, "accepted", `after ${days} days`);
            const what = `${days} days, ${sentAt === now ? "new" : "old"} sentAt: ${code}`;
            resultCounts.set(what, (resultCounts.get(what) ?? 0) + 1);
          }
        }
      }
      const events = eventsAt(now);
      assert.ok((await send(events, now)).every(({ status }) => status === "accepted"));
      sent.push({ at: now, events });
      if (now === START + 10 * DAY) {
        await world.close();
        world = await openWorld({}, { clock: () => now }, dataDir);
      }
    }
    for (const [what, times] of [...resultCounts].sort()) t.diagnostic(`${what} ${times}`);
    assert.equal(resultCounts.get("8 days, old sentAt: duplicate_event")! > 0, true);
    assert.equal(resultCounts.get("12 days, old sentAt: duplicate_event")! > 0, true);
    assert.equal(resultCounts.get("12 days, new sentAt: duplicate_event")! > 0, true);
    assert.equal(resultCounts.get("6 days, new sentAt: duplicate_event")! > 0, true);
  } finally {
    await world.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
