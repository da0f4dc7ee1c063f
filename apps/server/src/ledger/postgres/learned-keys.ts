/**
 * Filters of the older generations, whose keys no longer change, in this node's memory: most keys are surely in none of
 * them, and need not be looked for in tables that may be larger than the server's memory. Learned from the tables after
 * the start and after every turn, a slice at a time.
 */
import type pg from "pg";
import { createKeyFilter, filterBytes, type KeyFilter, MAX_FILTER_BYTES } from "../key-filter.ts";
import { GENERATION_ID, KEY_ROW_BYTES } from "./commit-ddl.ts";

/** What a group of commits tells the database: in these generations only these entries (counted from 1) are to be looked for, each in the slot beside it. */
export interface RuledOut {
  generations: string[];
  perhaps: number[];
  perhapsIn: number[];
}

export interface LearnedKeys {
  /** @param keys 32 hex digits each */
  ruleOut(keys: readonly string[]): RuledOut;
  /** Learns what is not known, and forgets what is no more; two at once are one. */
  learn(): Promise<void>;
  /** Everything: the database may have been put back to an earlier state. */
  forget(): void;
}

const KEY_BYTES = 16;
const SLICE_BLOCKS = 64;

interface Generation {
  /** As `commit_group` writes it. */
  id: string;
  slot: number;
}

interface Learned extends KeyFilter {
  slot: number;
  bytes: number;
}

/** Where they are distributed, rows lie in shards, and cannot be read block by block. */
const OLDER = `select ${GENERATION_ID} as id, slot
  from key_generations where generation < (select max(generation) from key_generations)
    and not exists (select from pg_extension where extname = 'citus')
  order by generation desc`;

export function createLearnedKeys(pool: pg.Pool): LearnedKeys {
  let known = new Map<string, Learned>();
  let learning: Promise<void> | null = null;

  const readInto = async (filter: KeyFilter, table: string, first: number) => {
    const { rows } = await pool.query(
      `select string_agg(uuid_send(key), '') as keys from ${table} where ctid >= $1::tid and ctid < $2::tid`,
      [`(${first},0)`, `(${first + SLICE_BLOCKS},0)`],
    );
    const keys: Buffer = rows[0].keys ?? Buffer.alloc(0);
    for (let at = 0; at < keys.length; at += KEY_BYTES) filter.add(keys.subarray(at, at + KEY_BYTES));
  };

  const stateOf = async (table: string) => {
    const { rows } = await pool.query<{ size: number; block: number; file: number }>(
      `select pg_relation_size($1::regclass)::float8 as size, current_setting('block_size')::int as block,
        pg_relation_filenode($1::regclass) as file`,
      [table],
    );
    return rows[0]!;
  };

  /** What is forgotten meanwhile stays forgotten: it goes into the map that was there at first. */
  const learnOne = async ({ id, slot }: Generation, into: typeof known) => {
    const table = `event_keys_${slot}`;
    const { size, block, file } = await stateOf(table);
    const blocks = Math.ceil(size / block);
    const keys = Math.ceil(size / KEY_ROW_BYTES);
    const bytes = filterBytes(keys);
    const taken = [...into.values()].reduce((sum, one) => sum + one.bytes, 0);
    if (taken + bytes > MAX_FILTER_BYTES) return;
    const filter = createKeyFilter(keys);
    for (let first = 0; first < blocks && into === known; first += SLICE_BLOCKS)
      await readInto(filter, table, first);
    // rows that were moved meanwhile, as by `cluster`, may have been passed by
    if ((await stateOf(table)).file === file) into.set(id, { ...filter, slot, bytes });
  };

  const learnAll = async () => {
    const into = known;
    const { rows } = await pool.query<Generation>(OLDER);
    for (const id of into.keys()) if (!rows.some((one) => one.id === id)) into.delete(id);
    for (const one of rows) if (!into.has(one.id)) await learnOne(one, into);
  };

  return {
    ruleOut(keys) {
      const filters = [...known.values()];
      const bytes = Buffer.from(filters.length > 0 ? keys.join("") : "", "hex");
      const perhaps: number[] = [];
      const perhapsIn: number[] = [];
      for (let at = 0; at < bytes.length; at += KEY_BYTES) {
        const key = bytes.subarray(at, at + KEY_BYTES);
        for (const filter of filters) {
          if (!filter.mayHold(key)) continue;
          perhaps.push(at / KEY_BYTES + 1);
          perhapsIn.push(filter.slot);
        }
      }
      return { generations: [...known.keys()], perhaps, perhapsIn };
    },
    learn: () => {
      learning ??= learnAll().finally(() => {
        learning = null;
      });
      return learning;
    },
    forget: () => {
      known = new Map();
    },
  };
}
