/**
 * Dedup keys on SQLite: which events were accepted within the dedup window (docs/decisions/0003).
 *
 * A new key is first added to the recent keys (`recent-keys.ts`). Later it is merged into the newest generation, sorted with
 * others. A generation is a table. A new one is opened every few days, or when the newest is full. A generation is deleted
 * when all its keys are past the window. Each has a Bloom filter in memory, so that few tables are searched for a key.
 */
import {
  createKeyFilter,
  FULL_KEYS,
  FULL_SHARE,
  filterBytes,
  GENERATION_MS,
  type KeyFilter,
  MAX_FILTER_BYTES,
  WINDOW_MS,
} from "../key-generations.ts";
import { eachKey } from "./key-set.ts";
import { KEY_BYTES } from "./packed-commits.ts";
import { MERGE_FROM, RecentKeys } from "./recent-keys.ts";
import type { Statements } from "./statements.ts";

/** Spare capacity of a growing generation's filter: keys are still added until `rotate` notices that it is full. */
const SPARE_SHARE = 0.25;

/** Tests set small ones. */
const LIMITS = {
  /** The number of recent keys from which they are merged into the newest generation. */
  mergeFrom: MERGE_FROM,
  /** The number of keys at which a generation is full. */
  fullKeys: FULL_KEYS,
  /** Up to this size the keys of a table are counted. Above it their number is estimated from a sample of this size. */
  sampleKeys: 20_000,
  /** Rows that one call reads or deletes. */
  sliceRows: 5_000,
  maxFilterBytes: MAX_FILTER_BYTES,
};

interface GenerationRow {
  generation: number;
  opened_at: number;
}

/** A generation that is not retired. */
interface Generation extends GenerationRow {
  table: string;
  search: string;
  insert: string;
  /** An estimate of how many keys the table holds. */
  keys: number;
  /** null: there was not enough memory for a filter, so the table is always searched. */
  filter: KeyFilter | null;
  /** The last key that was read into the filter. null: the filter is complete, so it can be used. */
  filledTo: Uint8Array | null;
}

const NO_KEY = new Uint8Array(0);
const SELECT_LIVE =
  "select generation, opened_at from key_generations where retired = 0 order by generation desc";
const RETIRE = "update key_generations set retired = 1 where generation = ?";
const SELECT_RETIRED = "select generation, opened_at from key_generations where retired = 1 limit 1";

/** All keys are one value: a statement for each took more than twice the time. */
const insertInto = (table: string) => `
  with recursive places(at) as
    (values (1) union all select at + ${KEY_BYTES} from places where at < length(?1))
  insert into ${table} (key)
  select substr(?1, at, ${KEY_BYTES}) from places where at < length(?1) on conflict do nothing`;

const tableOf = (generation: number) => `event_keys_${generation}`;
const isIn = (sql: Statements, generation: Generation, key: Uint8Array): boolean => {
  const isRuledOut = generation.filledTo === null && generation.filter?.mayHold(key) === false;
  return !isRuledOut && sql.get(generation.search, key) !== undefined;
};

/**
 * Estimates how many keys a table holds. Keys are hashes, so they are spread evenly over all values: if the first 20,000 keys
 * cover 1 % of the values, the table holds about 2 million.
 */
function estimateKeys(sql: Statements, table: string, sampleKeys: number): number {
  const sample = sql.get<{ key: Uint8Array }>(
    `select key from ${table} order by key limit 1 offset ${sampleKeys}`,
  );
  if (!sample) return sql.get<{ count: number }>(`select count(*) as count from ${table}`)?.count ?? 0;
  const shareBefore = Buffer.from(sample.key).readUIntBE(0, 6) / 2 ** 48;
  return Math.ceil((sampleKeys / shareBefore) * 1.05);
}

/** Reads the next slice of a generation into its filter. */
function fillSlice(sql: Statements, generation: Generation, sliceRows: number): void {
  const { table, filter, filledTo } = generation;
  if (!filter || !filledTo) return;
  // all keys as one value: a row for each would cost five times as much
  const slice = sql.get<{ keys: Uint8Array | null; last: Uint8Array | null }>(
    `select cast(group_concat(key, '') as blob) as keys, max(key) as last
     from (select key from ${table} where key > ? order by key limit ${sliceRows})`,
    filledTo,
  );
  const keys = slice?.keys ?? NO_KEY;
  for (const key of eachKey(keys)) filter.add(key);
  generation.filledTo = keys.length === sliceRows * KEY_BYTES ? (slice?.last ?? null) : null;
}

function deleteSlice(sql: Statements, sliceRows: number): boolean {
  const retired = sql.get<GenerationRow>(SELECT_RETIRED);
  if (!retired) return false;
  const table = tableOf(retired.generation);
  const slice = `delete from ${table}
    where key <= (select max(key) from (select key from ${table} order by key limit ${sliceRows}))`;
  sql.transaction(() => {
    if (sql.run(slice) > 0) return;
    sql.run(`drop table ${table}`);
    sql.run("delete from key_generations where generation = ?", retired.generation);
  });
  return true;
}

function createGenerationTable(sql: Statements, generation: number, openedAt: number): void {
  sql.run(`create table ${tableOf(generation)} (key blob primary key) without rowid`);
  sql.run("insert into key_generations values (?, ?, 0)", generation, openedAt);
}

/** Retires the generations whose keys are all past the window: those whose successor was opened longer ago than the window. */
function retireOld(sql: Statements, now: number): void {
  const rows = sql.all<GenerationRow>(SELECT_LIVE);
  for (const [index, { generation }] of rows.entries()) {
    const successor = rows[index - 1];
    if (successor && successor.opened_at + WINDOW_MS < now) sql.run(RETIRE, generation);
  }
}

const sum = <T>(items: readonly T[], amountOf: (item: T) => number): number =>
  items.reduce((total, item) => total + amountOf(item), 0);

export class DedupKeys {
  readonly #sql: Statements;
  readonly #limits: typeof LIMITS;
  readonly #recent: RecentKeys;
  /** The generations that are not retired, newest first. */
  #live: Generation[] = [];

  constructor(sql: Statements, now: number, limits: Partial<typeof LIMITS> = {}) {
    this.#sql = sql;
    this.#limits = { ...LIMITS, ...limits };
    if (!sql.get(SELECT_LIVE)) sql.transaction(() => createGenerationTable(sql, 1, now));
    this.#updateLive();
    this.#recent = new RecentKeys(sql, this.#limits.mergeFrom, (keys) => this.#insert(keys));
  }

  /**
   * Adds keys, `KEY_BYTES` each, within the caller's transaction.
   * @returns for each key 1 when it is new, 0 when it was known
   */
  add(keys: Uint8Array): Uint8Array {
    const outcomes = new Uint8Array(keys.length / KEY_BYTES);
    let index = 0;
    for (const key of eachKey(keys)) {
      const isNew =
        !this.#recent.has(key) && !this.#live.some((generation) => isIn(this.#sql, generation, key));
      if (isNew) this.#recent.add(key);
      outcomes[index++] = isNew ? 1 : 0;
    }
    this.#recent.write();
    return outcomes;
  }

  /** Opens a new generation when the newest is old or full, and retires those past the window. */
  rotate({ now }: { now: number }): void {
    const [newest] = this.#live;
    if (!newest) return;
    const isOld = newest.opened_at + GENERATION_MS <= now;
    // if there is no memory for another filter, a new table would have to be searched for every key
    const isFull = newest.keys >= this.#fullKeys() && this.#hasMemoryFor(this.#capacity());
    this.#sql.transaction(() => {
      // otherwise, on a server with few events, old keys would be merged into a much newer generation and kept too long
      if (isOld) this.#recent.mergeAll();
      if (isOld || isFull) createGenerationTable(this.#sql, newest.generation + 1, now);
      retireOld(this.#sql, now);
    });
    this.#updateLive();
  }

  /** Reads a slice of a generation into its filter, after a start; true while there is more to do. */
  fillFilters(): boolean {
    const next = this.#live.find(({ filter, filledTo }) => filter && filledTo);
    if (next) fillSlice(this.#sql, next, this.#limits.sliceRows);
    return next !== undefined;
  }

  /** Deletes a slice of a retired generation; true while there is more to do. */
  deleteRetired(): boolean {
    return deleteSlice(this.#sql, this.#limits.sliceRows);
  }

  /** Inserts keys into the newest generation. */
  #insert(keys: Uint8Array): void {
    const [newest] = this.#live;
    if (!newest) return;
    this.#sql.run(newest.insert, keys);
    for (const key of eachKey(keys)) newest.filter?.add(key);
    newest.keys += keys.length / KEY_BYTES;
  }

  #fullKeys(): number {
    return Math.max(this.#limits.fullKeys, sum(this.#live, ({ keys }) => keys) * FULL_SHARE);
  }

  /** How many keys the filter of a growing generation has room for. */
  #capacity(): number {
    return Math.ceil((1 + SPARE_SHARE) * this.#fullKeys());
  }

  #hasMemoryFor(keys: number): boolean {
    const used = sum(this.#live, ({ filter }) => filter?.bytes ?? 0);
    return used + filterBytes(keys) <= this.#limits.maxFilterBytes;
  }

  /** Forgets retired generations, and loads those that are not known yet: all at the start, then the newest. */
  #updateLive(): void {
    const rows = this.#sql.all<GenerationRow>(SELECT_LIVE);
    const kept = this.#live.filter((known) => rows.some(({ generation }) => generation === known.generation));
    this.#live = kept;
    for (const [index, row] of rows.entries())
      if (kept[index]?.generation !== row.generation) kept.splice(index, 0, this.#load(row, index === 0));
  }

  #load(row: GenerationRow, isNewest: boolean): Generation {
    const table = tableOf(row.generation);
    const keys = estimateKeys(this.#sql, table, this.#limits.sampleKeys);
    const filterKeys = isNewest ? Math.max(keys, this.#capacity()) : keys;
    return {
      ...row,
      table,
      search: `select 1 from ${table} where key = ?`,
      insert: insertInto(table),
      keys,
      filter: this.#hasMemoryFor(filterKeys) ? createKeyFilter(filterKeys) : null,
      filledTo: keys === 0 ? null : NO_KEY,
    };
  }
}
