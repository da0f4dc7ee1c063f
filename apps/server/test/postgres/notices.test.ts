/** What nodes tell each other of changes. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import type { LedgerChange } from "../../src/ledger/ledger.ts";
import { openPostgresLedger } from "../../src/ledger/postgres/open.ts";
import { MAX_LEARNED_CHANGES, RemoteChanges } from "../../src/ledger/postgres/remote-changes.ts";
import { until } from "../faults/child.ts";
import { ACTOR, NOW, withSource } from "../ledger/ledger-home.suite.ts";
import { query } from "./cluster.ts";
import { createDatabase } from "./databases.ts";

const TOLD_MS = 10_000;

for (const isHeld of [false, true])
  it(`A node is notified of changes to sources, tokens and sessions, and not of members, which are not cached${isHeld ? ", also while a transaction lasts" : ""}`, async () => {
    const { url, remove } = await createDatabase();
    const beside = new pg.Client(url);
    await beside.connect();
    if (isHeld) await beside.query("begin; select pg_current_xact_id()");
    const ledgers = [await openPostgresLedger({ url }), await openPostgresLedger({ url })] as const;
    const [one, other] = ledgers;
    try {
      const told: LedgerChange[] = [];
      other.onRemoteChange((change) => told.push(change));
      /** A read can repeat what is known, in any order. `everything` is told when a read is late or fails, as on a busy machine. */
      const tells = async (expected: LedgerChange, change: () => unknown) => {
        const from = told.length;
        await change();
        await until(`the change of ${expected.kind}`, TOLD_MS, () =>
          told.slice(from).some((one) => one.kind === "everything" || isDeepStrictEqual(one, expected)),
        );
      };
      const by = { actor: ACTOR, now: NOW };
      const organizationId = "org_1";
      await one.createOrganization({ ...by, organizationId, name: "One" });
      const member = { userId: "usr_2", name: null, role: "viewer", createdAt: NOW } as const;
      await one.addMember({ ...by, organizationId, member });
      await one.changeRole({ ...by, organizationId, userId: "usr_2", role: "admin" });
      const source = { kind: "source", sourceId: "src_1" } as const;
      const { sourceId } = source;
      await tells(source, () => withSource(one, { sourceId }));
      const token = { tokenId: "tok_1", hash: "hash", hint: "abcd", label: "" };
      await one.createToken({
        ...by,
        hash: token.hash,

        token: {
          ...token,
          organizationId,
          userId: "usr_2",
          ceiling: null,
          sourceId: null,
          scope: null,
          passwordHash: null,
          expiresAt: null,
          revokedAt: null,
          lastUsedAt: null,
          createdAt: NOW,
        },
      });
      await one.recordTokenUse([{ tokenId: "tok_1", lastUsedAt: NOW }]);
      await tells({ kind: "tokens" }, () => one.revokeToken({ ...by, tokenId: "tok_1" }));
      const session = { kind: "session", sourceId, sessionId: "ses_1" } as const;
      other.notifySessionChanged({ sourceId, sessionId: "ses_own" });
      await tells(session, () => one.notifySessionChanged({ sourceId, sessionId: "ses_1" }));
      await tells(source, () => one.updateSource({ ...by, sourceId, change: { isActive: false } }));
      const known: LedgerChange[] = [source, { kind: "tokens" }, session, { kind: "everything" }];
      for (const change of told)
        assert(
          known.some((one) => isDeepStrictEqual(one, change)),
          change.kind,
        );
    } finally {
      for (const ledger of ledgers) await ledger.close();
      await beside.end();
      await remove();
    }
  });

/** A node that reads changes, and a connection beside it. */
async function openReader() {
  const { url, remove } = await createDatabase();
  const beside = new pg.Client(url);
  await beside.connect();
  const { rows } = await beside.query("select pg_snapshot_xmin(pg_current_snapshot())::text as oldest");
  await beside.query("insert into nodes values ('node', now())");
  const told: LedgerChange[] = [];
  let gaps = 0;
  const onGap = () => void gaps++;
  const changes = new RemoteChanges({ url, nodeId: "node", oldest: rows[0].oldest, onGap });
  changes.onChange((change) => told.push(change));
  return {
    url,
    beside,
    told,
    gaps: () => gaps,
    tells: (kind: LedgerChange["kind"]) =>
      until(`a change of ${kind}`, TOLD_MS, () => told.some((change) => change.kind === kind)),
    [Symbol.asyncDispose]: async () => {
      await changes.close();
      await beside.end();
      await remove();
    },
  };
}

it("A node that reads late keeps what follows from the database itself, and one that was forgotten does not", async () => {
  await using reader = await openReader();
  const { url, beside, told, gaps, tells } = reader;
  await query(url, "insert into changes (kind, source_id) values ('source', 'src_1')");
  await tells("source");
  const before = gaps();
  told.length = 0;
  await beside.query("begin; lock table changes in access exclusive mode");
  await tells("everything");
  await beside.query("commit");
  await query(url, "insert into changes (kind) values ('tokens')");
  await tells("tokens");
  assert.equal(gaps(), before);
  await query(url, "delete from nodes");
  await until("the node learns that it was forgotten", TOLD_MS, () => gaps() > before);
});

it("While a transaction keeps changes from ending, a node reads a limited number of them, and else drops all that it cached", async () => {
  await using reader = await openReader();
  const { beside, told, tells } = reader;
  await beside.query("begin; select pg_current_xact_id()");
  const insert =
    "insert into changes (kind, source_id, session_id) select 'session', 'src_1', 'ses_' || n from generate_series(1, $1) n";
  await query(reader.url, insert, [MAX_LEARNED_CHANGES]);
  await tells("session");
  const named = told.length;
  assert(named >= MAX_LEARNED_CHANGES);
  await query(reader.url, insert, [1]);
  await until("everything", TOLD_MS, () => told.at(-1)?.kind === "everything");
  assert(told.filter(({ kind }) => kind === "session").length % MAX_LEARNED_CHANGES === 0);
  await beside.query("rollback");
});
