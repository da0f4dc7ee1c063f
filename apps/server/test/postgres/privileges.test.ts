/** A service whose role may change data and nothing else: what docs/operate/postgresql.md grants is enough. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { DEDUP_WINDOW_SECONDS } from "@headwater/contract";
import { openPostgresLedger } from "../../src/ledger/postgres/open.ts";
import { DAY, entries, NOW, outcomes } from "../ledger/ledger-home.suite.ts";
import { query } from "./cluster.ts";
import { createDatabase, setClock } from "./databases.ts";

it("A role that owns nothing and may create no table can serve, and rotate and retire generations", async () => {
  const { url, remove } = await createDatabase();
  const role = `served_by_${url.split("/").at(-1)}`;
  await query(url, `create role ${role} login`);
  const rights = "select, insert, update, delete, truncate";
  await query(url, `grant ${rights} on all tables in schema public to ${role}`);
  // tables that a later version makes
  await query(url, `alter default privileges in schema public grant ${rights} on tables to ${role}`);
  await query(url, "drop table event_keys_23");
  await query(url, "create table event_keys_23 (key uuid primary key)");
  await query(url, "update key_generations set slot = 23");
  const own = url.replace("postgres@", `${role}@`);
  await setClock(url, NOW);
  try {
    await assert.rejects(query(own, "create table mine (one int)"), /permission denied/);
    const ledger = await openPostgresLedger({ url: own });
    try {
      const batch = entries(2);
      assert.deepEqual(await outcomes(ledger, { entries: batch }), [1, 1]);
      await ledger.recordAttempts({ rows: [], counts: [] });
      const end = NOW + 3 * DEDUP_WINDOW_SECONDS * 1_000;
      for (let now = NOW; now <= end; now += DAY) {
        await setClock(url, now);
        await ledger.maintain({ now });
      }
      assert.deepEqual(
        await outcomes(ledger, { receivedAt: end, entries: batch }),
        [1, 1],
        "old keys were emptied",
      );
      await ledger.probe({ now: end });
    } finally {
      await ledger.close();
    }
  } finally {
    await query(url, `drop owned by ${role}`);
    await remove();
    await query(url.replace(/\/[^/]*$/, "/postgres"), `drop role ${role}`);
  }
});
