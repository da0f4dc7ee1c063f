/**
 * The keys of accepted events, in generations: tables that are opened every few days and dropped whole when
 * every key in them is older than an event may be. A key is looked for in each live one and written to the
 * newest. Only this thread decides which is newest, between two commits.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { FULL_KEYS, FULL_SHARE, GENERATION_MS, NEEDED_MS } from "../generations.ts";
import { createLearnedKeys, estimateKeys, type LearningNumbers } from "./learned-keys.ts";
import { KEY_BYTES } from "./packing.ts";
import { keyText, openRecentKeys } from "./recent-keys.ts";
import { inTransaction } from "./transaction.ts";

const SLICE_ROWS = 5_000;

interface Generation {
  generation: number;
  opened_at: number;
  retired: number;
}

export interface Generations {
  /** Remembers keys (16 bytes each, one after the other); for each 1 when it was new. Within the caller's transaction. */
  remember(keys: Uint8Array): Uint8Array;
  /** Opens a new generation when the newest is old or large enough, and retires those past their time. */
  turn(now: number): void;
  /** Learns a slice of the older generations, so that they are searched less; true while there is more to do. */
  learn(): boolean;
  /** Removes a slice of a retired generation; true while there is more to do. */
  sweep(): boolean;
}

const table = (generation: number) => `event_keys_${generation}`;

/** Is a key in any of these? Null: there are none. */
function prepareSearch(database: DatabaseSync, tables: readonly string[]): StatementSync | null {
  if (tables.length === 0) return null;
  return database.prepare(tables.map((name) => `select 1 from ${name} where key = ?1`).join(" union all "));
}

/** Tests make them small; `filedFrom`: how many recent keys wait before they are filed; `fullKeys`: a generation's. */
export interface KeyNumbers extends LearningNumbers {
  filedFrom?: number;
  fullKeys?: number;
}

export function openGenerations(database: DatabaseSync, now: number, numbers: KeyNumbers = {}): Generations {
  const all = () =>
    database
      .prepare("select * from key_generations order by generation desc")
      .all() as unknown as Generation[];
  const live = () => all().filter(({ retired }) => retired === 0);

  const open = (generation: number, openedAt: number) => {
    database.exec(`create table ${table(generation)} (key blob primary key) without rowid`);
    database.prepare("insert into key_generations values (?, ?, 0)").run(generation, openedAt);
  };

  /** A generation is past its time when the one after it was opened long enough ago. */
  const retirePast = (at: number) => {
    const generations = live();
    for (const [index, { generation }] of generations.entries()) {
      const successor = generations[index - 1];
      if (successor && successor.opened_at + NEEDED_MS < at) {
        database.prepare("update key_generations set retired = 1 where generation = ?").run(generation);
      }
    }
  };

  const learned = createLearnedKeys(database, numbers);
  const mostKeys = () => Math.max(numbers.fullKeys ?? FULL_KEYS, learned.keys() * FULL_SHARE);
  /** Some are filed before it is seen that it is full. */
  const capacity = () => Math.ceil(1.25 * mostKeys());
  const know = (generation: number) => learned.open(table(generation), capacity());

  if (live().length === 0) {
    inTransaction(database, () => open(1, now));
    know(1);
  }
  const tables = () => live().map(({ generation }) => table(generation));
  const prepare = () =>
    prepareSearch(
      database,
      tables().filter((name) => !learned.knows(name)),
    );
  let searched = prepare();
  const newestTable = () => {
    const name = tables()[0]!;
    const insert = database.prepare(`insert into ${name} (key) values (?) on conflict do nothing`);
    return { name, insert, keys: estimateKeys(database, name, numbers.sample) };
  };
  let newest = newestTable();
  const file = (key: Uint8Array) => {
    newest.insert.run(key);
    newest.keys += 1;
    learned.add(newest.name, key);
  };
  const recent = openRecentKeys(database, file, numbers.filedFrom);

  const isNew = (key: Uint8Array, text: string) =>
    !recent.has(text) && searched?.get(key) === undefined && !learned.has(key);

  return {
    remember(keys) {
      const outcomes = new Uint8Array(keys.length / KEY_BYTES);
      for (let index = 0; index < outcomes.length; index++) {
        const at = index * KEY_BYTES;
        const text = keyText(keys, at);
        if (!isNew(keys.subarray(at, at + KEY_BYTES), text)) continue;
        recent.add(text);
        outcomes[index] = 1;
      }
      recent.write();
      return outcomes;
    },

    turn(at) {
      const { generation, opened_at } = live()[0]!;
      const isOld = opened_at + GENERATION_MS <= at;
      // a small one more that has no filter would be one more table to search
      const isFull = newest.keys >= mostKeys() && learned.hasRoomFor(capacity());
      const isDone = isOld || isFull;
      inTransaction(database, () => {
        // where few keys come, the last of them would never be retired
        if (isOld) recent.fileAll();
        if (isDone) open(generation + 1, at);
        retirePast(at);
      });
      learned.keep(tables());
      if (isDone) {
        know(generation + 1);
        newest = newestTable();
      }
      searched = prepare();
    },

    learn() {
      const [, ...older] = tables();
      const outcome = learned.learn(older);
      if (outcome === "learned") searched = prepare();
      return outcome !== "nothing";
    },

    sweep() {
      const retired = all().find((one) => one.retired === 1);
      if (!retired) return false;
      const name = table(retired.generation);
      const slice = `delete from ${name} where key <= (select max(key) from (select key from ${name} order by key limit ${SLICE_ROWS}))`;
      inTransaction(database, () => {
        if (database.prepare(slice).run().changes > 0) return;
        database.exec(`drop table ${name}`);
        database.prepare("delete from key_generations where generation = ?").run(retired.generation);
      });
      return true;
    },
  };
}
