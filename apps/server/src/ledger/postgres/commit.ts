/** Commits of ingest requests: a group of them is one call of `commit_group`, which is one durable transaction. */
import { createHash } from "node:crypto";
import type pg from "pg";
import type { Commit, SessionRecord, StoredFlags } from "../../core/records.ts";
import { utcDay } from "../../core/time.ts";
import { buildPayload } from "../outbox-payload.ts";
import type { KeyFilters } from "./key-filters.ts";

/** The number that stands for a source in `event_keys`: the first 64 bits of the SHA-256 of its id. */
export const sourceNumber = (sourceId: string): bigint =>
  createHash("sha256").update(sourceId).digest().readBigInt64BE(0);

/** An entry of the group; of entries with the same key and source only the first. PostgreSQL counts from 1. */
interface GroupEntry {
  source: bigint;
  key: string;
  /** Number of its commit, from 1. */
  commit: number;
  /** Number of its line in its source's payload, from 1. */
  line: number;
  /** Index among all entries of the group. */
  index: number;
}

/** The events that a group stores for one source. */
interface SourceLines {
  sourceId: string;
  lines: string[];
}

const toSessionRow = (session: SessionRecord) => ({
  source_id: session.sourceId,
  session_id: session.sessionId,
  anonymous_id: session.anonymousId,
  user_id: session.userId,
  started_at: session.startedAt,
  last_activity_at: session.lastActivityAt,
  landing: session.landing,
});

/** Sorted, because all nodes must lock keys in the same order. */
function collectEntries(group: Commit[], sources: Map<string, SourceLines>): GroupEntry[] {
  const unique = new Map<string, GroupEntry>();
  let index = 0;
  for (const [position, { sourceId, entries }] of group.entries()) {
    if (entries.length === 0) continue;
    const lines: string[] = sources.get(sourceId)?.lines ?? [];
    sources.set(sourceId, { sourceId, lines });
    const source = sourceNumber(sourceId);
    for (const { key, json } of entries) {
      const id = `${key} ${sourceId}`;
      if (!unique.has(id))
        unique.set(id, { source, key, commit: position + 1, line: lines.push(json), index });
      index += 1;
    }
  }
  return [...unique].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
}

/**
 * The sessions to update. With `entries`, a session is updated only if one of the entries with these numbers is stored.
 * @param numbers by an entry's index in the group, its number among the sorted entries
 */
function collectTouches(group: Commit[], numbers: Map<number, number>) {
  let first = 0;
  return group.flatMap(({ sourceId, receivedAt, bootstrap, touch, entries }) => {
    const start = first;
    first += entries.length;
    const toNumbers = (indexes: Iterable<number>) =>
      [...indexes].map((index) => numbers.get(start + index)).filter((number) => number !== undefined);
    return touch.map(({ sessionId, userId, entries: own }) => ({
      source_id: sourceId,
      session_id: sessionId,
      user_id: userId,
      at: receivedAt,
      entries: own ? toNumbers(own) : bootstrap ? null : toNumbers(entries.keys()),
    }));
  });
}

/** The text form of an array of numbers or ids, in which nothing needs quotes. */
const toArrayText = (values: readonly unknown[]) => `{${values.join()}}`;

/** All payloads in one buffer, and where each source's payload begins (from 1). */
async function buildPayloads(sources: SourceLines[]) {
  const outbox: { source_id: string; first: number; bytes: number }[] = [];
  const payloads = await Promise.all(sources.map(({ lines }) => buildPayload(lines.join("\n"))));
  let first = 1;
  for (const [index, { sourceId }] of sources.entries()) {
    const bytes = payloads[index]?.length ?? 0;
    outbox.push({ source_id: sourceId, first, bytes });
    first += bytes;
  }
  return { outbox, payload: Buffer.concat(payloads) };
}

/** A connection on which a commit failed is closed instead of reused. */
async function queryOnce<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  query: pg.QueryConfig,
): Promise<Row[]> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<Row>(query);
    client.release();
    return rows;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** When it rejects, nothing was stored, or the connection broke and nobody knows whether it was. */
async function storeGroup(pool: pg.Pool, filters: KeyFilters, group: Commit[]): Promise<StoredFlags> {
  const sources = new Map<string, SourceLines>();
  const entries = collectEntries(group, sources);
  const numbers = new Map(entries.map(({ index }, position) => [index, position + 1]));
  const { outbox, payload } = await buildPayloads([...sources.values()]);
  const heads = {
    commits: group.map(({ sourceId, receivedAt, bootstrap }) => ({
      source_id: sourceId,
      at: receivedAt,
      day: utcDay(receivedAt),
      bootstrap,
    })),
    open: group.flatMap(({ open }) => (open ? [toSessionRow(open)] : [])),
    touch: collectTouches(group, numbers),
    outbox,
  };
  const keys = entries.map(({ key }) => key);
  const { generations, perhaps, perhapsIn } = filters.ruleOutKeys(keys);
  const [row] = await queryOnce<{ accepted: StoredFlags }>(pool, {
    name: "commit_group",
    text: "select commit_group($1, $2, $3, $4, $5, $6, $7, $8, $9) as accepted",
    values: [
      toArrayText(entries.map(({ source }) => source)),
      toArrayText(keys),
      toArrayText(entries.map(({ commit }) => commit)),
      toArrayText(entries.map(({ line }) => line)),
      JSON.stringify(heads),
      payload,
      generations,
      toArrayText(perhaps),
      toArrayText(perhapsIn),
    ],
  });
  const flags = new Uint8Array(group.reduce((sum, commit) => sum + commit.entries.length, 0));
  for (const [position, { index }] of entries.entries()) flags[index] = row?.accepted[position] ?? 0;
  return flags;
}

/** @returns the flags of each commit, in the order of the group */
export async function commitGroup(
  pool: pg.Pool,
  filters: KeyFilters,
  group: Commit[],
): Promise<StoredFlags[]> {
  const flags = await storeGroup(pool, filters, group);
  let start = 0;
  return group.map(({ entries }) => {
    const own = flags.subarray(start, start + entries.length);
    start += entries.length;
    return own;
  });
}
