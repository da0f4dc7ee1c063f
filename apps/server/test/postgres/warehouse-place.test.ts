/** A node whose warehouse another node has taken over knows only its old folder: nothing that it finds there counts any more. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { openPostgresLedger } from "../../src/ledger/postgres/open.ts";
import { COMPLETE } from "../../src/ledger/warehouse-report.ts";
import { query } from "./cluster.ts";
import { createDatabase } from "./databases.ts";

it("A node that has lost the warehouse changes neither the counts of shipped events nor the report", async () => {
  const database = await createDatabase();
  const ledger = await openPostgresLedger({ url: database.url });
  try {
    const day = { sourceId: "src_1", day: 20_000, events: 3 };
    const counts = () => ledger.shippedDays({ sourceIds: [day.sourceId] });
    await ledger.claimWarehouse({ placeId: "place", url: "http://one.example", knownIds: ["place"] });
    const { revision } = await counts();
    assert.equal(await ledger.addShippedDays({ days: [day], revision }), true);
    const held = await counts();
    assert.deepEqual(held.days, [day]);

    await query(database.url, "update warehouse_place set node_id = 'another'");
    const change = { days: [day], revision: held.revision };
    const lost = { message: /no longer has the warehouse/ };
    await assert.rejects(ledger.addShippedDays(change), lost);
    await assert.rejects(ledger.expireShippedDays([{ sourceId: day.sourceId, before: 30_000 }]), lost);
    await assert.rejects(ledger.saveWarehouseReport({ report: COMPLETE, comparedAt: 1 }), lost);
    assert.deepEqual(await counts(), held);
  } finally {
    await ledger.close();
    await database.remove();
  }
});
