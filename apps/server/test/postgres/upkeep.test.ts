/** Upkeep beside commits: it waits for nobody long, and deletes nothing that came alive meanwhile. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { LIMITS } from "@headwater/contract";
import pg from "pg";
import { aCommit, aSession, DAY, entries, NOW } from "../ledger/ledger-home.suite.ts";
import { until } from "../support/until.ts";
import { query } from "./cluster.ts";
import { createDatabase, openAt } from "./databases.ts";

async function openBoth() {
  const { url, remove } = await createDatabase();
  const ledger = await openAt(url, NOW);
  const beside = new pg.Client(url);
  await beside.connect();
  return {
    url,
    ledger,
    beside,
    [Symbol.asyncDispose]: async () => {
      await beside.end();
      await ledger.close();
      await remove();
    },
  };
}

it("Keys are deleted after the window, but not while they are being read", async () => {
  await using opened = await openBoth();
  const { ledger, beside } = opened;
  const batch = entries(1);
  const send = async () => [...(await ledger.commit(aCommit({ entries: batch })))];
  assert.deepEqual(await send(), [1]);
  await ledger.maintain({ now: NOW + 5 * DAY });
  assert.deepEqual(await send(), [0]);

  const end = NOW + 20 * DAY;
  await beside.query("begin; lock table event_keys_1 in access share mode");
  await ledger.maintain({ now: end });
  await beside.query("commit");
  assert.deepEqual(await send(), [0], "nothing was forgotten, and nobody failed");
  await ledger.maintain({ now: end });
  assert.deepEqual(await send(), [1]);
});

it("A session that becomes active while expired ones are deleted is kept", async () => {
  await using opened = await openBoth();
  const { url, ledger, beside } = opened;
  const [session, other] = [aSession(), aSession()];
  for (const open of [session, other]) await ledger.commit(aCommit({ open: [open] }));
  const end = NOW + LIMITS.sessionRetentionSeconds * 1_000 + 1;
  await beside.query("begin");
  await beside.query("update sessions set last_activity_at = $1 where session_id = $2", [
    end,
    session.sessionId,
  ]);
  const maintained = ledger.maintain({ now: end });
  await until("the deletion waits", async () => {
    const text =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%delete from sessions%'";
    return (await query(url, text)).length === 1;
  });
  await beside.query("commit");
  await maintained;
  assert.deepEqual(
    (
      await ledger.sessionsById({
        sourceId: session.sourceId,
        sessionIds: [session.sessionId, other.sessionId],
      })
    ).map(({ sessionId, lastActivityAt }) => [sessionId, lastActivityAt]),
    [[session.sessionId, end]],
  );
});

it("Changes that every node has read are deleted, however many there are, and younger ones are kept", async () => {
  await using opened = await openBoth();
  const { url, ledger } = opened;
  await query(
    url,
    "insert into changes (kind, made_at) select 'tokens', now() - interval '1 day' from generate_series(1, 25000) union all select 'tokens', now()",
  );
  await ledger.maintain({ now: NOW });
  assert.deepEqual(await query(url, "select count(*)::int as kept from changes"), [{ kept: 1 }]);
});
