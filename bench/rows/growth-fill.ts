/**
 * Ledgers with many keys in the window, made in the database itself: spread evenly over all live generations, random as
 * keys are, and on pages that are as full as those that grew key by key (70 %). Nothing is durable meanwhile.
 */
import { LIMITS } from "@headwater/contract/limits";
import type pg from "pg";
import { FULL_KEYS } from "../../apps/server/src/ledger/generations.ts";
import { openDatabase } from "../../apps/server/src/ledger/sqlite/database.ts";

const GENERATIONS = 5;
const GENERATION_MS = LIMITS.keyGenerationSeconds * 1_000;
/** So that none is retired while the bench runs, and none is opened for its age. */
const HOUR_MS = 3_600_000;
const SPAN_MS = (GENERATIONS - 1) * (GENERATION_MS - HOUR_MS);

/** Evenly over the window, the oldest first. */
const spread = (generations: number, now: number) =>
  Array.from({ length: generations }, (_, index) => ({
    generation: index + 1,
    at: now - Math.round(((generations - 1 - index) * SPAN_MS) / (generations - 1)),
  }));

/** As many as there would be after so many keys. */
const generationsOf = (keys: number) => Math.max(GENERATIONS, Math.ceil(keys / FULL_KEYS));

/** Into a folder that no server works on. */
export function fillSqlite(dataDir: string, keys: number, now: number): void {
  const database = openDatabase(dataDir, "off");
  try {
    database.exec("pragma temp_store = memory; pragma cache_size = -1048576");
    const put = database.prepare("insert into key_generations values (?, ?, 0)");
    const generations = generationsOf(keys);
    for (const { generation, at } of spread(generations, now)) {
      const table = `event_keys_${generation}`;
      database.exec(`create table ${table} (key blob primary key) without rowid`);
      put.run(generation, at);
      // the first pass fills pages, the second splits them
      for (const share of [0.5, 0.5]) {
        const count = Math.round((keys / generations) * share);
        if (count === 0) continue;
        database.exec(`insert into ${table}
          with recursive n (n) as (values (1) union all select n + 1 from n where n < ${count})
          select randomblob(16) as key from n order by key`);
      }
    }
    database.exec("pragma wal_checkpoint(truncate)");
  } finally {
    database.close();
  }
}

/**
 * Into a database on which a server may be open, but idle. With `wal_level=minimal` the tables are written without WAL.
 * @param source the number of the source that the traffic goes to, beside whose keys they are
 */
export async function fillPostgres(client: pg.Client, keys: number, source: bigint, now: number) {
  await client.query("set maintenance_work_mem = '1GB'; set synchronous_commit = off");
  await client.query("begin");
  await client.query("delete from key_generations");
  const generations = generationsOf(keys);
  for (const { generation, at } of spread(generations, now)) {
    const slot = generation;
    await client.query("insert into key_generations values ($1, $2, $3)", [generation, at, slot]);
    if (keys === 0) continue;
    const table = `event_keys_${slot}`;
    const count = Math.round(keys / generations);
    await client.query(`alter table event_keys detach partition ${table}; drop table ${table};
      create table ${table} (source bigint not null, key uuid not null, slot smallint not null);
      insert into ${table} select ${source}, gen_random_uuid(), ${slot} from generate_series(1, ${count});
      alter table ${table} add primary key (source, key, slot) with (fillfactor = 70),
        add constraint filled check (slot is not null and slot = ${slot});
      alter table event_keys attach partition ${table} for values in (${slot});
      alter table ${table} drop constraint filled`);
  }
  await client.query("commit");
  await client.query("vacuum (analyze) event_keys");
  await client.query("checkpoint");
}
