/**
 * Filters of the older generations, whose keys no longer change. Each is learned from its table, a slice at a time
 * beside the commits, after every start and every turn; until it knows all of a generation it is not asked.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { createKeyFilter, filterBytes, type KeyFilter } from "./key-filter.ts";

export interface LearnedKeys {
  knows(table: string): boolean;
  /** Whether the key is in one of the tables that are known. */
  has(key: Uint8Array): boolean;
  /** Learns a slice of one of the tables that is not known; `learned`: one is known from now on. */
  learn(tables: readonly string[]): "learned" | "more" | "nothing";
  /** All other tables are forgotten. */
  keep(tables: readonly string[]): void;
}

const SLICE_ROWS = 5_000;
/** A smaller table is soon searched; and where its first keys lie says how many it has, for they are spread evenly. */
const SAMPLE = 20_000;
/** Of all filters: 170 million keys. */
const MOST_BYTES = 256 * 1_048_576;
const NO_KEY = new Uint8Array(0);

interface Known {
  filter: KeyFilter;
  bytes: number;
  find: StatementSync;
}
interface Learning extends Known {
  table: string;
  next: StatementSync;
  after: Uint8Array;
}

const shareBefore = (key: Uint8Array) => Buffer.from(key).readUIntBE(0, 6) / 2 ** 48;

/** Tests make them small. */
export interface LearningNumbers {
  sample?: number;
  sliceRows?: number;
}

export function createLearnedKeys(database: DatabaseSync, numbers: LearningNumbers = {}): LearnedKeys {
  const { sample = SAMPLE, sliceRows = SLICE_ROWS } = numbers;
  const known = new Map<string, Known>();
  const left = new Set<string>();
  let learning: Learning | null = null;

  const begin = (table: string): Learning | null => {
    const row = database.prepare(`select key from ${table} order by key limit 1 offset ${sample}`).get();
    const share = row ? shareBefore(row.key as Uint8Array) : 0;
    const keys = share > 0 ? Math.ceil((sample / share) * 1.05) : 0;
    const bytes = filterBytes(keys);
    const taken = [...known.values()].reduce((sum, one) => sum + one.bytes, 0);
    if (keys === 0 || taken + bytes > MOST_BYTES) return null;
    const find = database.prepare(`select 1 from ${table} where key = ?`);
    const next = database.prepare(`select key from ${table} where key > ? order by key limit ${sliceRows}`);
    return { table, filter: createKeyFilter(keys), bytes, find, next, after: NO_KEY };
  };

  return {
    knows: (table) => known.has(table),
    has(key) {
      for (const { filter, find } of known.values())
        if (filter.mayHold(key) && find.get(key) !== undefined) return true;
      return false;
    },
    learn(tables) {
      const table = tables.find((one) => !known.has(one) && !left.has(one));
      if (table === undefined) return "nothing";
      if (learning?.table !== table) learning = begin(table);
      if (learning === null) {
        left.add(table);
        return "more";
      }
      const rows = learning.next.all(learning.after) as { key: Uint8Array }[];
      for (const { key } of rows) learning.filter.add(key);
      learning.after = rows.at(-1)?.key ?? learning.after;
      if (rows.length === sliceRows) return "more";
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
