/** A loss of power: the embedded warehouse keeps every acknowledged insert, and stores nothing twice afterwards. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { accept, anEvent, heldOf, idsOf, openStore, type Store } from "../warehouse/store.ts";
import { openVolume, type Volume, whyNoVolume } from "./volume.ts";

const MEGABYTES = 512;
const NOW = Date.UTC(2026, 10, 1, 0, 0, 1);
const LATER = NOW + 60_000;
const missing = whyNoVolume("ext4");

const some = (count: number) => Array.from({ length: count }, (_, index) => anEvent(NOW - index * 100));
const openOn = (volume: Volume, now: number) =>
  openStore(now, { folder: volume.path, cutPower: volume.cutPower });

/** Cuts the power, kills the process, and mounts the disk again. */
async function lose(volume: Volume, store: Store): Promise<Store> {
  volume.cutPower();
  await store[Symbol.asyncDispose]();
  volume.unmount();
  volume.mount();
  return openOn(volume, LATER);
}

it("Events shipped before a loss of power are in the warehouse exactly once", {
  skip: missing ?? false,
}, async () => {
  using volume = openVolume("ext4", MEGABYTES);
  let store = await openOn(volume, NOW);
  try {
    const [first, second] = [some(300), some(40)];
    await accept(store, first, NOW);
    await store.shipAll();
    store = await lose(volume, store);
    assert.deepEqual(await heldOf(store, first), idsOf(first));

    await accept(store, second, LATER);
    store.faults.push("power cut after");
    await store.shipAll(
      () => LATER,
      () => store.faults.length === 0,
    );
    store = await lose(volume, store);
    assert.equal((await store.ledger.probe({ now: LATER })).outboxEvents, 40, "the page was not deleted");
    await store.shipAll(() => LATER + 1);
    assert.deepEqual(await heldOf(store, [...first, ...second]), idsOf([...first, ...second]));
  } finally {
    await store[Symbol.asyncDispose]();
  }
});

it("The same loss of power loses events of a table that does not wait for the disk, so the test above detects losses", {
  skip: missing ?? false,
}, async () => {
  using volume = openVolume("ext4", MEGABYTES);
  let store = await openOn(volume, NOW);
  try {
    await store.ask("SELECT 1 AS up");
    await store.warehouse.client()!.command({
      query: "ALTER TABLE events MODIFY SETTING fsync_after_insert = 0, fsync_part_directory = 0",
    });
    const entries = some(300);
    await accept(store, entries, NOW);
    await store.shipAll();
    store = await lose(volume, store);
    assert.notDeepEqual(await heldOf(store, entries), idsOf(entries));
  } finally {
    await store[Symbol.asyncDispose]();
  }
});
