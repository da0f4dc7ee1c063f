/** The changes of which nodes notify each other. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import type { LedgerChange } from "../../src/ledger/ledger.ts";
import { openPostgresLedger } from "../../src/ledger/postgres/open.ts";
import { MAX_LEARNED_CHANGES, RemoteChanges } from "../../src/ledger/postgres/remote-changes.ts";
import { ACTOR, NOW, withSource } from "../ledger/ledger-home.suite.ts";
import { until } from "../support/until.ts";
import { query } from "./cluster.ts";
import { createDatabase } from "./databases.ts";

for (const isHeld of [false, true])
  it(`A node is notified of changes to sources, tokens and sessions, and not of members, which are not cached${isHeld ? ", even while a transaction lasts" : ""}`, async () => {
    const { url, remove } = await createDatabase();
    const beside = new pg.Client(url);
    await beside.connect();
    if (isHeld) await beside.query("begin; select pg_current_xact_id()");
    const ledgers = [await openPostgresLedger({ url }), await openPostgresLedger({ url })] as const;
    const [one, other] = ledgers;
    try {
      const received: LedgerChange[] = [];
      other.onRemoteChange((change) => received.push(change));
      /** A read can repeat what is known, in any order. `everything` comes when a read is late or fails, as on a busy machine. */
      const expectChange = async (expected: LedgerChange, change: () => unknown) => {
        const from = received.length;
        await change();
        await until(`the change of ${expected.kind}`, () =>
          received.slice(from).some((one) => one.kind === "everything" || isDeepStrictEqual(one, expected)),
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
      await expectChange(source, () => withSource(one, { sourceId }));
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
      await expectChange({ kind: "tokens" }, () => one.revokeToken({ ...by, tokenId: "tok_1" }));
      const session = { kind: "session", sourceId, sessionId: "ses_1" } as const;
      other.notifySessionChanged({ sourceId, sessionId: "ses_own" });
      await expectChange(session, () => one.notifySessionChanged({ sourceId, sessionId: "ses_1" }));
      await expectChange(source, () => one.updateSource({ ...by, sourceId, change: { isActive: false } }));
      const known: LedgerChange[] = [source, { kind: "tokens" }, session, { kind: "everything" }];
      for (const change of received)
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
  const received: LedgerChange[] = [];
  let gaps = 0;
  const onGap = () => void gaps++;
  const changes = new RemoteChanges({ url, nodeId: "node", oldest: rows[0].oldest, onGap });
  changes.onChange((change) => received.push(change));
  return {
    url,
    beside,
    received,
    gaps: () => gaps,
    untilChange: (kind: LedgerChange["kind"]) =>
      until(`a change of ${kind}`, () => received.some((change) => change.kind === kind)),
    [Symbol.asyncDispose]: async () => {
      await changes.close();
      await beside.end();
      await remove();
    },
  };
}

it("A node that reads late keeps what follows from the database itself, and one that was forgotten does not", async () => {
  await using reader = await openReader();
  const { url, beside, received, gaps, untilChange } = reader;
  await query(url, "insert into changes (kind, source_id) values ('source', 'src_1')");
  await untilChange("source");
  const before = gaps();
  received.length = 0;
  await beside.query("begin; lock table changes in access exclusive mode");
  await untilChange("everything");
  await beside.query("commit");
  await query(url, "insert into changes (kind) values ('tokens')");
  await untilChange("tokens");
  assert.equal(gaps(), before);
  await query(url, "delete from nodes");
  await until("the node learns that it was forgotten", () => gaps() > before);
});

it("While a transaction keeps changes from ending, a node reads a limited number of them, and else drops all that it cached", async () => {
  await using reader = await openReader();
  const { beside, received, untilChange } = reader;
  await beside.query("begin; select pg_current_xact_id()");
  const insert =
    "insert into changes (kind, source_id, session_id) select 'session', 'src_1', 'ses_' || n from generate_series(1, $1) n";
  await query(reader.url, insert, [MAX_LEARNED_CHANGES]);
  await untilChange("session");
  const named = received.length;
  assert(named >= MAX_LEARNED_CHANGES);
  await query(reader.url, insert, [1]);
  await until("everything", () => received.at(-1)?.kind === "everything");
  assert(received.filter(({ kind }) => kind === "session").length % MAX_LEARNED_CHANGES === 0);
  await beside.query("rollback");
});
