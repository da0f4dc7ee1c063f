/** What nodes tell each other of changes. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { LedgerChange } from "../../src/ledger/ledger.ts";
import { openPostgresLedger } from "../../src/ledger/postgres/open.ts";
import { until } from "../faults/child.ts";
import { ACTOR, NOW, withSource } from "../ledger/ledger-home.suite.ts";
import { createDatabase } from "./databases.ts";

const TOLD_MS = 10_000;

it("A node is notified of changes to sources, tokens and sessions, and not of members, which are not cached", async () => {
  const { url, remove } = await createDatabase();
  const ledgers = [await openPostgresLedger({ url }), await openPostgresLedger({ url })] as const;
  const [one, other] = ledgers;
  try {
    const told: LedgerChange[] = [];
    other.onRemoteChange((change) => told.push(change));
    // `everything` is reported when a read is late, as on a busy machine
    const named = () => told.filter(({ kind }) => kind !== "everything");
    const toldOf = (kind: LedgerChange["kind"]) =>
      until(`the change of ${kind}`, TOLD_MS, () => named().at(-1)?.kind === kind);
    const by = { actor: ACTOR, now: NOW };
    const organizationId = "org_1";
    await one.createOrganization({ ...by, organizationId, name: "One" });
    const member = { userId: "usr_2", name: null, role: "viewer", createdAt: NOW } as const;
    await one.addMember({ ...by, organizationId, member });
    await one.changeRole({ ...by, organizationId, userId: "usr_2", role: "admin" });
    const { sourceId } = await withSource(one);
    await toldOf("source");
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
    await one.revokeToken({ ...by, tokenId: "tok_1" });
    await toldOf("tokens");
    other.notifySessionChanged({ sourceId, sessionId: "ses_own" });
    one.notifySessionChanged({ sourceId, sessionId: "ses_1" });
    await toldOf("session");
    await one.updateSource({ ...by, sourceId, change: { isActive: false } });
    await toldOf("source");
    const source = { kind: "source", sourceId };
    assert.deepEqual(
      named().filter((change, at, all) => at === 0 || JSON.stringify(change) !== JSON.stringify(all[at - 1])),
      [source, { kind: "tokens" }, { kind: "session", sourceId, sessionId: "ses_1" }, source],
    );
  } finally {
    for (const ledger of ledgers) await ledger.close();
    await remove();
  }
});
