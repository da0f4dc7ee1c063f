/**
 * Compares the stored events with the responses that clients received. Reads a copy of the ledger's file without the
 * server's code. Each acknowledged event must be stored exactly once, as it was sent.
 */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";
import { storedEvents as readDatabase } from "../ledger/reader.ts";
import { addressIn } from "../postgres/databases.ts";
import type { TestSource } from "../support/world.ts";
import { acceptedInUsage } from "./child.ts";
import type { StoredEvent } from "./events.ts";
import { bodyOf, expectedOf, type LoadBatch, type LoadResult, send } from "./load.ts";

const LANES = 16;

// biome-ignore lint/suspicious/noExplicitAny: the test checks the stored form
function storedOf(event: any): StoredEvent {
  const { analyticsEventId, eventId, name, occurredAt, sessionId, anonymousId, page, properties } = event;
  const { url = null, path = null, host = null } = page ?? {};
  return { analyticsEventId, eventId, name, occurredAt, sessionId, anonymousId, url, path, host, properties };
}

function readOutbox(file: string): StoredEvent[] {
  const database = new DatabaseSync(file);
  try {
    const [check] = database.prepare("pragma integrity_check").all();
    assert.deepEqual({ ...check }, { integrity_check: "ok" });
    const stored: StoredEvent[] = [];
    for (const row of database.prepare("select events, payload from outbox order by seq").iterate()) {
      const lines = zstdDecompressSync(row.payload as Uint8Array)
        .toString()
        .split("\n");
      assert.equal(lines.length, row.events);
      for (const line of lines) stored.push(storedOf(JSON.parse(line)));
    }
    return stored;
  } finally {
    database.close();
  }
}

/** Reads every event of the outbox in order. The ledger must not be in use. */
export function storedEvents(dataDir: string): StoredEvent[] {
  if (addressIn(dataDir)) return readDatabase(dataDir).map(storedOf);
  const copy = mkdtempSync(join(tmpdir(), "headwater-oracle-"));
  try {
    for (const name of ["ledger.sqlite", "ledger.sqlite-wal"]) {
      if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(copy, name));
    }
    return readOutbox(join(copy, "ledger.sqlite"));
  } finally {
    rmSync(copy, { recursive: true });
  }
}

interface LossCount {
  stored: number;
  lost: number;
  doubled: number;
}

/** Counts lost and duplicated events. Asserts that every stored event was sent and is stored as it was sent. */
export function compare(stored: StoredEvent[], sent: LoadBatch[]): LossCount {
  const expected = new Map<string, StoredEvent>();
  for (const batch of sent) for (const one of expectedOf(batch)) expected.set(one.eventId, one);
  const found = new Set<string>();
  let doubled = 0;
  for (const one of stored) {
    assert.deepEqual(one, expected.get(one.eventId));
    if (found.has(one.eventId)) doubled += 1;
    found.add(one.eventId);
  }
  let lost = 0;
  for (const { results } of sent) {
    for (const { eventId } of results ?? []) if (!found.has(eventId)) lost += 1;
  }
  return { stored: stored.length, lost, doubled };
}

/** Asserts that each acknowledgement has one result per event, in order, with the expected id, and no rejection. */
export function checkAnswers(batches: LoadBatch[]): void {
  for (const batch of batches) {
    const reported = batch.results!.map(({ eventId, analyticsEventId }) => ({ eventId, analyticsEventId }));
    const due = batch.events.map(({ expected: { eventId, analyticsEventId } }) => ({
      eventId,
      analyticsEventId,
    }));
    assert.deepEqual(reported, due);
    assert.ok(batch.results!.every(({ status }) => status !== "rejected"));
  }
}

/** Sends every batch again and asserts that all events are duplicates with their first ids. */
export async function sendAgain(url: string, source: TestSource, batches: LoadBatch[]): Promise<void> {
  const left = [...batches];
  const lane = async () => {
    for (let batch = left.pop(); batch; batch = left.pop()) {
      const reply = await send(`${url}/api/ingest/v2/${source.publicKey}/events`, bodyOf(batch));
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      const reported = (reply.body.results as LoadResult[]).map(({ status, analyticsEventId }) => ({
        status,
        analyticsEventId,
      }));
      const first = batch.results!.map(({ analyticsEventId }) => ({ status: "duplicate", analyticsEventId }));
      assert.deepEqual(reported, first);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Asserts that /api/usage counts each acknowledged event once. */
export async function checkUsage(url: string, batches: LoadBatch[]): Promise<void> {
  const ids = new Set(batches.flatMap(({ results }) => results!.map(({ eventId }) => eventId)));
  assert.equal(await acceptedInUsage(url), ids.size);
}
