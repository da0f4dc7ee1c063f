/**
 * The keys of accepted events, in generations: tables that are opened every few days and dropped whole when
 * every key in them is older than an event may be. A key is looked for in each live one and written to the
 * newest. Only this thread decides which is newest, between two commits.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { DEDUP_WINDOW_SECONDS, LIMITS } from "@headwater/contract/limits";

const GENERATION_MS = LIMITS.keyGenerationSeconds * 1_000;
/** What the debug view promises; a key accepted just before the next generation opens is kept that long too. */
const NEEDED_MS = DEDUP_WINDOW_SECONDS * 1_000;
const SLICE_ROWS = 5_000;

interface Generation {
  generation: number;
  opened_at: number;
  retired: number;
}

export interface Generations {
  /** Remembers a key (16 bytes); false when it was known. Within the caller's transaction. */
  remember(key: Uint8Array): boolean;
  /** Opens a new generation when the newest is old enough, and retires those past their time. */
  turn(now: number): void;
  /** Removes a slice of a retired generation; true while there is more to do. */
  sweep(): boolean;
}

const table = (generation: number) => `event_keys_${generation}`;

function prepareRemember(database: DatabaseSync, live: Generation[]): StatementSync {
  const [newest, ...older] = live.map(({ generation }) => table(generation));
  const unknown = older.map((name) => `not exists (select 1 from ${name} where key = ?1)`);
  return database.prepare(
    `insert into ${newest} (key) select ?1 where ${["true", ...unknown].join(" and ")} on conflict do nothing`,
  );
}

export function openGenerations(database: DatabaseSync, now: number): Generations {
  const all = () =>
    database
      .prepare("select * from key_generations order by generation desc")
      .all() as unknown as Generation[];
  const live = () => all().filter(({ retired }) => retired === 0);

  const transaction = (work: () => void) => {
    database.exec("begin immediate");
    try {
      work();
      database.exec("commit");
    } catch (error) {
      if (database.isTransaction) database.exec("rollback");
      throw error;
    }
  };

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

  if (live().length === 0) transaction(() => open(1, now));
  let remember = prepareRemember(database, live());

  return {
    remember: (key) => remember.run(key).changes === 1,

    turn(at) {
      const newest = live()[0]!;
      const due = newest.opened_at + GENERATION_MS <= at;
      transaction(() => {
        if (due) open(newest.generation + 1, at);
        retirePast(at);
      });
      remember = prepareRemember(database, live());
    },

    sweep() {
      const retired = all().find((one) => one.retired === 1);
      if (!retired) return false;
      const name = table(retired.generation);
      const slice = `delete from ${name} where key <= (select max(key) from (select key from ${name} order by key limit ${SLICE_ROWS}))`;
      transaction(() => {
        if (database.prepare(slice).run().changes > 0) return;
        database.exec(`drop table ${name}`);
        database.prepare("delete from key_generations where generation = ?").run(retired.generation);
      });
      return true;
    },
  };
}
