/**
 * This node's filters of the older generations, whose keys no longer change. The filters rule out most keys, so that the
 * tables of keys, which may be larger than the server's memory, are rarely searched. Filters are filled from the tables, a
 * slice at a time, after the start and whenever the newest generation has become an older one.
 */
import type pg from "pg";
import { createKeyFilter, filterBytes, type KeyFilter, MAX_FILTER_BYTES } from "../key-generations.ts";
import { GENERATION_ID, KEY_ROW_BYTES } from "./commit-ddl.ts";

/** Parameters of `commit_group`: `learned`, `perhaps` and `perhaps_in`. */
interface RuledOutKeys {
  /** The generations that have a filter. In these, only `possibleKeys` have to be looked up. */
  filteredGenerations: string[];
  /** Positions (from 1) of the keys that a filter does not rule out. */
  possibleKeys: number[];
  /** For each of `possibleKeys`, the slot of that filter's generation. */
  possibleKeySlots: number[];
}

const KEY_BYTES = 16;
const SLICE_BLOCKS = 64;

interface OlderGeneration {
  /** `GENERATION_ID`. */
  id: string;
  slot: number;
}
type GenerationFilter = KeyFilter & { slot: number };

const OLDER_GENERATIONS = `select ${GENERATION_ID} as id, slot
  from key_generations where generation < (select max(generation) from key_generations)
  order by generation desc`;

const TABLE_STATE = `select pg_relation_size($1::regclass)::float8 as size,
    current_setting('block_size')::int as "blockSize", pg_relation_filenode($1::regclass) as file`;

async function readTableState(pool: pg.Pool, table: string) {
  const { rows } = await pool.query<{ size: number; blockSize: number; file: number }>(TABLE_STATE, [table]);
  return rows[0] ?? { size: 0, blockSize: 1, file: 0 };
}

async function addSlice(pool: pg.Pool, filter: KeyFilter, table: string, firstBlock: number): Promise<void> {
  const { rows } = await pool.query<{ keys: Buffer | null }>(
    `select string_agg(uuid_send(key), '') as keys from ${table} where ctid >= $1::tid and ctid < $2::tid`,
    [`(${firstBlock},0)`, `(${firstBlock + SLICE_BLOCKS},0)`],
  );
  const keys = rows[0]?.keys ?? Buffer.alloc(0);
  for (let at = 0; at < keys.length; at += KEY_BYTES) filter.add(keys.subarray(at, at + KEY_BYTES));
}

export class KeyFilters {
  readonly #pool: pg.Pool;
  #filters = new Map<string, GenerationFilter>();
  #filling: Promise<void> | null = null;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** @param keys 32 hex digits each */
  ruleOutKeys(keys: readonly string[]): RuledOutKeys {
    const bytes = Buffer.from(this.#filters.size > 0 ? keys.join("") : "", "hex");
    const possibleKeys: number[] = [];
    const possibleKeySlots: number[] = [];
    for (let at = 0; at < bytes.length; at += KEY_BYTES) {
      const key = bytes.subarray(at, at + KEY_BYTES);
      for (const filter of this.#filters.values()) {
        if (!filter.mayHold(key)) continue;
        possibleKeys.push(at / KEY_BYTES + 1);
        possibleKeySlots.push(filter.slot);
      }
    }
    return { filteredGenerations: [...this.#filters.keys()], possibleKeys, possibleKeySlots };
  }

  /** Creates missing filters and drops those of retired generations. Concurrent calls share one run. */
  fill(): Promise<void> {
    this.#filling ??= this.#fillAll().finally(() => {
      this.#filling = null;
    });
    return this.#filling;
  }

  /** Drops all filters: the database may have been restored to an earlier state. */
  clear(): void {
    this.#filters = new Map();
  }

  async #fillAll(): Promise<void> {
    const into = this.#filters;
    const { rows: generations } = await this.#pool.query<OlderGeneration>(OLDER_GENERATIONS);
    for (const id of into.keys()) if (!generations.some((one) => one.id === id)) into.delete(id);
    for (const generation of generations)
      if (!into.has(generation.id)) await this.#addFilter(generation, into);
  }

  /** `clear` replaces the map. A filter that is being filled then goes into the old map, and is not used. */
  async #addFilter({ id, slot }: OlderGeneration, into: Map<string, GenerationFilter>): Promise<void> {
    const table = `event_keys_${slot}`;
    const { size, blockSize, file } = await readTableState(this.#pool, table);
    const keys = Math.ceil(size / KEY_ROW_BYTES);
    const usedBytes = [...into.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    if (usedBytes + filterBytes(keys) > MAX_FILTER_BYTES) return;
    const filter = createKeyFilter(keys);
    const blocks = Math.ceil(size / blockSize);
    for (let block = 0; block < blocks && into === this.#filters; block += SLICE_BLOCKS)
      await addSlice(this.#pool, filter, table, block);
    // `cluster` and `vacuum full` move rows to a new file; some may have been missed then
    if ((await readTableState(this.#pool, table)).file === file) into.set(id, { ...filter, slot });
  }
}
