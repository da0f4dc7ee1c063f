/** The hot verb: a group of ingest requests in one statement, which is one durable transaction. */
import { createHash } from "node:crypto";
import type pg from "pg";
import type { Commit, SessionRecord, StoredFlags } from "../../core/records.ts";
import { utcDay } from "../../core/time.ts";
import { buildPayload } from "../outbox-payload.ts";
import type { LearnedKeys } from "./learned-keys.ts";

/** The number that stands for a source beside its keys. */
export const sourceNumber = (sourceId: string): bigint =>
  createHash("sha256").update(sourceId).digest().readBigInt64BE(0);

/** An entry of a group, the first of its key; numbers are counted from 1, as PostgreSQL does. */
interface Unique {
  source: bigint;
  key: string;
  commit: number;
  /** Of its source's payload. */
  line: number;
  /** Where it stands among the outcomes of the group. */
  place: number;
}

interface Payload {
  sourceId: string;
  lines: string[];
}

const sessionRow = (session: SessionRecord) => ({
  source_id: session.sourceId,
  session_id: session.sessionId,
  anonymous_id: session.anonymousId,
  user_id: session.userId,
  started_at: session.startedAt,
  last_activity_at: session.lastActivityAt,
  landing: session.landing,
});

/** Each key once, in the one order in which every node asks for them, so that no two wait for each other. */
function sortedEntries(group: Commit[], payloads: Map<string, Payload>): Unique[] {
  const unique = new Map<string, Unique>();
  let place = 0;
  for (const [index, { sourceId, entries }] of group.entries()) {
    if (entries.length === 0) continue;
    const payload = payloads.get(sourceId) ?? { sourceId, lines: [] };
    payloads.set(sourceId, payload);
    const source = sourceNumber(sourceId);
    for (const { key, json } of entries) {
      const id = `${key} ${sourceId}`;
      if (!unique.has(id))
        unique.set(id, { source, key, commit: index + 1, line: payload.lines.push(json), place });
      place += 1;
    }
  }
  return [...unique].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
}

/** Sessions that live on: at once, or when one of the entries with these numbers is stored. */
function touchesOf(group: Commit[], numberOfPlace: Map<number, number>) {
  let first = 0;
  return group.flatMap(({ sourceId, receivedAt, bootstrap, touch, entries }) => {
    const start = first;
    first += entries.length;
    const numbers = (indexes: Iterable<number>) =>
      [...indexes].map((index) => numberOfPlace.get(start + index)).filter((number) => number !== undefined);
    return touch.map(({ sessionId, userId, entries: own }) => ({
      source_id: sourceId,
      session_id: sessionId,
      user_id: userId,
      at: receivedAt,
      entries: own ? numbers(own) : bootstrap ? null : numbers(entries.keys()),
    }));
  });
}

/** What arrays of numbers and ids are in PostgreSQL's own writing; nothing in them needs quoting. */
const arrayOf = (values: readonly unknown[]) => `{${values.join()}}`;

async function compressAll(payloads: Payload[]) {
  const parts = await Promise.all(payloads.map(({ lines }) => buildPayload(lines.join("\n"))));
  let first = 1;
  const outbox = parts.map(({ length: bytes }, index) => {
    const part = { source_id: payloads[index]!.sourceId, first, bytes };
    first += bytes;
    return part;
  });
  return { outbox, payload: Buffer.concat(parts) };
}

/** For each entry of the group, in order, 1 when it was stored; rejects with nothing stored, or without knowing. */
async function commitGroup(pool: pg.Pool, learned: LearnedKeys, group: Commit[]): Promise<Uint8Array> {
  const payloads = new Map<string, Payload>();
  const entries = sortedEntries(group, payloads);
  const numberOfPlace = new Map(entries.map(({ place }, index) => [place, index + 1]));
  const { outbox, payload } = await compressAll([...payloads.values()]);
  const heads = {
    commits: group.map(({ sourceId, receivedAt, bootstrap }) => ({
      source_id: sourceId,
      at: receivedAt,
      day: utcDay(receivedAt),
      bootstrap,
    })),
    open: group.flatMap(({ open }) => (open ? [sessionRow(open)] : [])),
    touch: touchesOf(group, numberOfPlace),
    outbox,
  };
  const keys = entries.map(({ key }) => key);
  const { generations, perhaps, perhapsIn } = learned.ruleOut(keys);
  const { rows } = await onFreshOrDiscard(pool, {
    name: "commit_group",
    text: "select commit_group($1, $2, $3, $4, $5, $6, $7, $8, $9) as accepted",
    values: [
      arrayOf(entries.map(({ source }) => source)),
      arrayOf(keys),
      arrayOf(entries.map(({ commit }) => commit)),
      arrayOf(entries.map(({ line }) => line)),
      JSON.stringify(heads),
      payload,
      generations,
      arrayOf(perhaps),
      arrayOf(perhapsIn),
    ],
  });
  const accepted = rows[0].accepted as Uint8Array;
  const outcomes = new Uint8Array(group.reduce((sum, commit) => sum + commit.entries.length, 0));
  for (const [index, { place }] of entries.entries()) outcomes[place] = accepted[index]!;
  return outcomes;
}

/** After any failure the connection is not to be trusted. */
async function onFreshOrDiscard(pool: pg.Pool, query: pg.QueryConfig): Promise<pg.QueryResult> {
  const client = await pool.connect();
  try {
    const result = await client.query(query);
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** The group's outcomes, dealt out to its commits. */
export async function commitAll(
  pool: pg.Pool,
  learned: LearnedKeys,
  group: Commit[],
): Promise<StoredFlags[]> {
  const outcomes = await commitGroup(pool, learned, group);
  let start = 0;
  return group.map(({ entries }) => {
    const own = outcomes.subarray(start, start + entries.length);
    start += entries.length;
    return own;
  });
}
