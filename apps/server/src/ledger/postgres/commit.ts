/** Commits of ingest requests: a group of them is one call of `commit_group`, which is one durable transaction. */
import type pg from "pg";
import { utcDay } from "../../core/time.ts";
import { buildPayload } from "../outbox-payload.ts";
import type { Commit, StoredFlags } from "../records.ts";
import type { KeyFilters } from "./key-filters.ts";

/** An entry to store. Entries with the same key are listed once. Numbers start at 1, because PostgreSQL arrays do. */
interface GroupEntry {
  key: string;
  /** Number of its commit, from 1. */
  commit: number;
  /** Number of its line in its source's payload, from 1. */
  line: number;
  /** Index (from 0) among all entries of the group, including repeated ones. */
  index: number;
}

/** The events that a group stores for one source. */
interface SourceLines {
  sourceId: string;
  lines: Uint8Array[];
  /** The number of lines of each day. */
  days: Map<number, number>;
}

/** Returns the distinct entries of the group, sorted so that all nodes lock keys in the same order, and the lines of each source. */
function collectEntries(group: Commit[]): { entries: GroupEntry[]; sources: SourceLines[] } {
  const sources = new Map<string, SourceLines>();
  const unique = new Map<string, GroupEntry>();
  let index = 0;
  for (const [position, { sourceId, entries }] of group.entries()) {
    if (entries.length === 0) continue;
    const own: SourceLines = sources.get(sourceId) ?? { sourceId, lines: [], days: new Map() };
    sources.set(sourceId, own);
    for (const { key, line, day } of entries) {
      if (!unique.has(key)) {
        unique.set(key, { key, commit: position + 1, line: own.lines.push(line), index });
        own.days.set(day, (own.days.get(day) ?? 0) + 1);
      }
      index += 1;
    }
  }
  const sorted = [...unique.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  return { entries: sorted, sources: [...sources.values()] };
}

/**
 * Returns the sessions to update. A session is updated if at least one of its `entries` is stored, and always if `entries`
 * is null. `entries` has the numbers of the entries that the touch names. If it names none, `entries` is null for a
 * bootstrap, and has all entries of the commit otherwise. It is null too for a touch that always counts.
 * @param numberByIndex maps an entry's index in the group to its number among the sorted entries
 */
function collectTouches(group: Commit[], numberByIndex: Map<number, number>) {
  let first = 0;
  return group.flatMap(({ sourceId, receivedAt, bootstrap, touch, entries }) => {
    const start = first;
    first += entries.length;
    const toNumbers = (indexes: Iterable<number>) =>
      [...indexes].map((index) => numberByIndex.get(start + index)).filter((number) => number !== undefined);
    return touch.map(({ sessionId, userId, entries: touchEntries, always = bootstrap && !touchEntries }) => ({
      source_id: sourceId,
      session_id: sessionId,
      user_id: userId,
      at: receivedAt,
      entries: always ? null : toNumbers(touchEntries ?? entries.keys()),
    }));
  });
}

const COMMIT = "select commit_group($1, $2, $3, $4, $5, $6, $7, $8) as accepted";

/** The text form of an array of numbers or ids, in which nothing needs quotes. */
const toArrayText = (values: readonly unknown[]) => `{${values.join()}}`;

const LINE_BREAK = Buffer.from("\n");
const joinLines = (lines: readonly Uint8Array[]): Buffer =>
  Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [LINE_BREAK, line])));

/** All payloads in one buffer, and where each source's payload begins (from 1). */
async function buildPayloads(sources: SourceLines[]) {
  const outbox: { source_id: string; first: number; bytes: number }[] = [];
  const build = ({ sourceId, lines, days }: SourceLines) =>
    buildPayload(
      joinLines(lines),
      [...days].map(([day, events]) => ({ sourceId, day, events })),
    );
  const payloads = await Promise.all(sources.map(build));
  let first = 1;
  for (const [index, { sourceId }] of sources.entries()) {
    const bytes = payloads[index]?.length ?? 0;
    outbox.push({ source_id: sourceId, first, bytes });
    first += bytes;
  }
  return { outbox, payload: Buffer.concat(payloads) };
}

/**
 * Stores the group and returns the flags of all its entries. If it rejects, either nothing was stored, or the connection
 * broke and the outcome is unknown.
 */
async function storeGroup(pool: pg.Pool, filters: KeyFilters, group: Commit[]): Promise<StoredFlags> {
  const { entries, sources } = collectEntries(group);
  const numberByIndex = new Map(entries.map(({ index }, position) => [index, position + 1]));
  const { outbox, payload } = await buildPayloads(sources);
  const metadata = {
    commits: group.map(({ sourceId, receivedAt, bootstrap, bytes }) => ({
      ...{ sourceId, receivedAt, bootstrap, bytes },
      day: utcDay(receivedAt),
    })),
    open: group.flatMap(({ open }) => open),
    touch: collectTouches(group, numberByIndex),
    outbox,
  };
  const keys = entries.map(({ key }) => key);
  const { filteredGenerations, possibleKeys, possibleKeySlots } = filters.ruleOutKeys(keys);
  // the pool closes a connection whose query has failed
  const { rows } = await pool.query<{ accepted: StoredFlags }>(COMMIT, [
    toArrayText(keys),
    toArrayText(entries.map(({ commit }) => commit)),
    toArrayText(entries.map(({ line }) => line)),
    JSON.stringify(metadata),
    payload,
    filteredGenerations,
    toArrayText(possibleKeys),
    toArrayText(possibleKeySlots),
  ]);
  const flags = new Uint8Array(group.reduce((sum, commit) => sum + commit.entries.length, 0));
  for (const [position, { index }] of entries.entries()) flags[index] = rows[0]?.accepted[position] ?? 0;
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
    const commitFlags = flags.subarray(start, start + entries.length);
    start += entries.length;
    return commitFlags;
  });
}
