import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
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

test("A ledger of schema 1 keeps its members' names in each workspace, and its tokens get a ceiling", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-migration-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const old = new DatabaseSync(ledgerPath(dataDir));
  assert.deepEqual(migrate(old, 1), { from: 0, to: 1 });
  old.exec(OLD);
  old.close();

  // twice: the second start must not migrate again
  for (const now of [10, 20]) {
    const ledger = await openSqliteLedger({ dataDir, now });
    try {
      const members = async (organizationId: string) =>
        (await ledger.members({ organizationId, limit: 10, cursor: null })).rows;
      const ada = { userId: "usr_1", name: "Ada", email: "ada@example.com" };
      assert.deepEqual(await members("org_1"), [{ ...ada, role: "admin", createdAt: 3 }]);
      assert.deepEqual(await members("org_2"), [
        { ...ada, role: "viewer", createdAt: 4 },
        { userId: "usr_2", name: null, email: null, role: "owner", createdAt: 5 },
      ]);
      assert.equal((await ledger.token({ tokenId: "tok_1" }))?.ceiling, "admin");
      assert.equal((await ledger.token({ tokenId: "tok_2" }))?.ceiling, null);
    } finally {
      await ledger.close();
    }
  }
});
