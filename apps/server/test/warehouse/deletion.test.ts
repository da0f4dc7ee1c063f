/** Deletion of rows from the warehouse: each deletion has a name and starts once, and several can share a statement. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Deletion, deleteEvents, isDeleting, literal } from "../../src/clickhouse/deletion.ts";
import { until } from "../support/until.ts";
import { accept, anEvent, heldOf, idsOf, openStore, type Store } from "./store.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
let store: Store;
before(async () => {
  store = await openStore(NOW);
});
after(() => store[Symbol.asyncDispose]());

const mutations = async () =>
  Number(
    (await store.ask("SELECT count() AS n FROM system.mutations WHERE database = currentDatabase()"))[0].n,
  );
const runToEnd = (deletions: readonly Deletion[]) =>
  until("all is deleted", async () => {
    const client = store.warehouse.client();
    return client && (await deleteEvents(client, deletions)).size === deletions.length;
  });

test("Fifty deletions, each in a thousand sources, start once and finish.", async () => {
  const events = Array.from({ length: 50 }, (_, index) => anEvent(NOW, { anonymousId: `v${index}` }));
  const kept = anEvent(NOW, { anonymousId: "kept" });
  await accept(store, [...events, kept], NOW);
  await store.shipAll();
  const sources = Array.from({ length: 999 }, (_, index) =>
    literal(`src_${String(index).padStart(32, "0")}`),
  );
  const deletions = events.map((_, index) => ({
    name: `del_${index}`,
    condition: `sourceId IN (${[...sources, "'src_1'"]}) AND anonymousId = 'v${index}'`,
  }));
  await runToEnd(deletions);
  assert.deepEqual(await heldOf(store, [...events, kept]), idsOf([kept]));
  const begun = await mutations();
  assert.ok(begun > 1 && begun < 50, `${begun} statements`);
  await runToEnd(deletions);
  assert.equal(await mutations(), begun, "a finished deletion is not started again");
  assert.equal(await isDeleting(store.warehouse.client()!, "del_"), false);
});

test("A deletion continues by itself after the engine is killed.", async () => {
  const events = Array.from({ length: 20 }, () => anEvent(NOW, { anonymousId: "killed" }));
  await accept(store, events, NOW);
  await store.shipAll();
  const deletion = { name: "killed", condition: "anonymousId = 'killed'" };
  await deleteEvents(store.warehouse.client()!, [deletion]);
  store.kill();
  await until("the warehouse is known to be down", () => store.warehouse.client() === null);
  const begun = await mutations();
  await runToEnd([deletion]);
  assert.deepEqual(await heldOf(store, events), []);
  assert.equal(await mutations(), begun);
});

test("A text that is not an id of the service is refused as a literal.", () => {
  assert.throws(() => literal("x') OR 1 = 1 --"));
});
