/**
 * Filters of the generations. One that is opened is known from its first key; after a start the older ones, whose keys no
 * longer change, are learned from their tables, a slice at a time beside the commits, and not asked before they know all.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { createKeyFilter, filterBytes, type KeyFilter, MOST_FILTER_BYTES } from "../key-filter.ts";
import { KEY_BYTES } from "./packing.ts";

export interface LearnedKeys {
  knows(table: string): boolean;
  /** Whether the key is in one of the tables that are known. */
  has(key: Uint8Array): boolean;
  /** About so many are in the tables that are known. */
  keys(): number;
  /** Whether there is memory left for a table of so many more. */
  hasRoomFor(keys: number): boolean;
  /** A new table, of which `add` is told every key. */
  open(table: string, mostKeys: number): void;
  add(table: string, key: Uint8Array): void;
  /** Learns a slice of one of the tables that is not known; `learned`: one is known from now on. */
  learn(tables: readonly string[]): "learned" | "more" | "nothing";
  /** All other tables are forgotten. */
  keep(tables: readonly string[]): void;
}

const SLICE_ROWS = 5_000;
/** A smaller table is soon searched; and where its first keys lie says how many it has, for they are spread evenly. */
const SAMPLE = 20_000;
const NO_KEY = new Uint8Array(0);

interface Known {
  filter: KeyFilter;
  keys: number;
  find: StatementSync;
}
interface Learning extends Known {
  table: string;
  next: StatementSync;
  after: Uint8Array;
}

const shareBefore = (key: Uint8Array) => Buffer.from(key).readUIntBE(0, 6) / 2 ** 48;

/** About so many; 0: fewer than the sample. */
export function estimateKeys(database: DatabaseSync, table: string, sample = SAMPLE): number {
  const row = database.prepare(`select key from ${table} order by key limit 1 offset ${sample}`).get();
  const share = row ? shareBefore(row.key as Uint8Array) : 0;
  return share > 0 ? Math.ceil((sample / share) * 1.05) : 0;
}

/** Tests make them small. */
export interface LearningNumbers {
  sample?: number;
  sliceRows?: number;
  mostBytes?: number;
}

export function createLearnedKeys(database: DatabaseSync, numbers: LearningNumbers = {}): LearnedKeys {
  const { sample = SAMPLE, sliceRows = SLICE_ROWS, mostBytes = MOST_FILTER_BYTES } = numbers;
  const known = new Map<string, Known>();
  const left = new Set<string>();
  let learning: Learning | null = null;

  const hasRoomFor = (keys: number) => {
    const taken = [...known.values()].reduce((sum, one) => sum + filterBytes(one.keys), 0);
    return taken + filterBytes(keys) <= mostBytes;
  };
  const filterFor = (table: string, keys: number): Known | null => {
    if (!hasRoomFor(keys)) return null;
    const find = database.prepare(`select 1 from ${table} where key = ?`);
    return { filter: createKeyFilter(keys), keys, find };
  };

  const begin = (table: string): Learning | null => {
    const keys = estimateKeys(database, table, sample);
    const empty = keys > 0 ? filterFor(table, keys) : null;
    if (!empty) return null;
    // one value for all of them: a row each would cost five times as much
    const next = database.prepare(`select cast(group_concat(key, '') as blob) as keys, max(key) as last
      from (select key from ${table} where key > ? order by key limit ${sliceRows})`);
    return { ...empty, table, next, after: NO_KEY };
  };

  return {
    knows: (table) => known.has(table),
    hasRoomFor,
    keys: () => [...known.values()].reduce((sum, { keys }) => sum + keys, 0),
    has(key) {
      for (const { filter, find } of known.values())
        if (filter.mayHold(key) && find.get(key) !== undefined) return true;
      return false;
    },
    open(table, mostKeys) {
      const empty = filterFor(table, mostKeys);
      if (empty) known.set(table, empty);
    },
    add: (table, key) => known.get(table)?.filter.add(key),
    learn(tables) {
      const table = tables.find((one) => !known.has(one) && !left.has(one));
      if (table === undefined) return "nothing";
      if (learning?.table !== table) learning = begin(table);
      if (learning === null) {
        left.add(table);
        return "more";
      }
      const row = learning.next.get(learning.after) as { keys: Uint8Array | null; last: Uint8Array | null };
      const keys = row.keys ?? NO_KEY;
      for (let at = 0; at < keys.length; at += KEY_BYTES)
        learning.filter.add(keys.subarray(at, at + KEY_BYTES));
      learning.after = row.last ?? learning.after;
      if (keys.length === sliceRows * KEY_BYTES) return "more";
      known.set(table, learning);
      learning = null;
      return "learned";
    },
    keep(tables) {
      for (const table of [...known.keys(), ...left])
        if (!tables.includes(table)) {
          known.delete(table);
          left.delete(table);
        }
      if (learning && !tables.includes(learning.table)) learning = null;
    },
  };
}
