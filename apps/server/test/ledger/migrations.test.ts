import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { ledgerPath } from "../../src/ledger/sqlite/database.ts";
import { migrate } from "../../src/ledger/sqlite/migrations.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";

const OLD = `
  insert into organizations values ('org_1', 'One', null, 1), ('org_2', 'Two', null, 2);
  insert into users values ('usr_1', 'Ada', 'ada@example.com', 1);
  insert into members values ('org_1', 'usr_1', 'admin', 3), ('org_2', 'usr_1', 'viewer', 4), ('org_2', 'usr_2', 'owner', 5);
  insert into tokens values ('tok_1', 'hash-1', 'org_1', 'usr_1', 'CI', 'abcd', null, null, null, 6),
    ('tok_2', 'hash-2', null, 'usr_1', 'Mine', 'efgh', null, null, null, 7);
`;

/** A ledger of an older schema, with these rows. */
function oldLedger(t: TestContext, schema: number, rows: string): string {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-migration-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const old = new DatabaseSync(ledgerPath(dataDir));
  assert.deepEqual(migrate(old, schema), { from: 0, to: schema });
  old.exec(rows);
  old.close();
  return dataDir;
}

test("A ledger of schema 1 keeps its members' names in each workspace, and its tokens get a ceiling", async (t) => {
  const dataDir = oldLedger(t, 1, OLD);

  // twice: the second start must not migrate again
  for (const now of [10, 20]) {
    const ledger = await openSqliteLedger({ dataDir, now });
    try {
      const members = async (organizationId: string) =>
        (await ledger.members({ organizationId, limit: 10, cursor: null })).rows;
      const ada = { userId: "usr_1", name: "Ada", email: null };
      assert.deepEqual(await members("org_1"), [{ ...ada, role: "admin", createdAt: 3 }]);
      assert.deepEqual(await members("org_2"), [
        { userId: "usr_2", name: null, email: null, role: "owner", createdAt: 5 },
        { ...ada, role: "viewer", createdAt: 4 },
      ]);
      assert.equal((await ledger.token({ tokenId: "tok_1" }))?.ceiling, "admin");
      assert.equal((await ledger.token({ tokenId: "tok_2" }))?.ceiling, null);
    } finally {
      await ledger.close();
    }
  }
});

const BEFORE_QUOTAS = `
  insert into organizations values ('org_1', 'One', null, 1);
  insert into sources (source_id, organization_id, name, slug, public_key, allowed_origins, is_active, require_origin, limits,
    created_at, updated_at) values ('src_1', 'org_1', 'Shop', 'shop', 'pk_1', '[]', 1, 1,
    '{"maxBatchSize":7,"maxPayloadBytes":null,"clientRatePerSecond":9}', 1, 1);
  insert into usage values ('src_1', '2026-11-01', 3, 4);
  insert into tokens (token_id, hash, organization_id, user_id, label, hint, created_at, source_id)
    values ('tok_1', 'hash-1', 'org_1', 'usr_1', 'Board', 'abcd', 1, 'src_1'), ('tok_2', 'hash-2', 'org_1', 'usr_1', 'CI', 'efgh', 2, null);
`;

test("In a ledger of schema 11, tokens for one source read its stats, and sources have no quotas", async (t) => {
  const ledger = await openSqliteLedger({ dataDir: oldLedger(t, 11, BEFORE_QUOTAS), now: 10 });
  try {
    assert.equal((await ledger.token({ tokenId: "tok_1" }))?.scope, "stats");
    assert.equal((await ledger.token({ tokenId: "tok_2" }))?.scope, null);
    assert.deepEqual((await ledger.source({ sourceId: "src_1", now: 10 }))?.limits, {
      maxBatchSize: 7,
      maxPayloadBytes: null,
      eventsPerDay: null,
      bytesPerDay: null,
      clientRatePerSecond: 9,
    });
    const span = { organizationId: "org_1", from: "2026-11-01", to: "2026-11-01" };
    const counts = { accepted: 3, bootstraps: 4, bytes: 0 };
    assert.deepEqual(await ledger.usage(span), [{ sourceId: "src_1", day: "2026-11-01", ...counts }]);
  } finally {
    await ledger.close();
  }
});
