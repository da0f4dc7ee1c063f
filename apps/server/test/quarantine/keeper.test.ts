/** How much of a flood of refused requests is kept (docs/api/quarantine.md). */
import assert from "node:assert/strict";
import { it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Unstored, UnstoredEvent } from "../../src/ingest/unstored-event.ts";
import type { QuarantineLedger } from "../../src/ledger/ledger.ts";
import { Keeper } from "../../src/quarantine/keeper.ts";
import { NOW, silent, source, taken } from "../debug/fixtures.ts";

const event = { id: "event-1", type: "track", name: "order", timestamp: "2026-11-21T12:00:00.000Z" };
const unstored: UnstoredEvent = {
  code: "origin_not_allowed",
  event,
  body: { events: [event] },
  sender: {
    receivedAt: NOW,
    origin: null,
    hasToken: false,
    sentBy: "browser",
    userAgent: null,
    clientHints: null,
    place: { country: null, region: null, city: null },
    isFromDataCentre: false,
    isAddressExcluded: false,
  },
  anonymousId: "visitor-1",
  userId: null,
  session: null,
  sessionId: null,
};
const MIB = 1_048_576;
const of = (sourceId: string, bytes: number, read: Unstored["read"] = async () => [unstored]) =>
  taken([], { source: source(sourceId), unstored: { bytes, read } });

function openKeeper() {
  const batches: Parameters<QuarantineLedger["keepEvents"]>[0][] = [];
  const failing = { isFailing: false, onWrite: () => {} };
  const keepEvents = async (batch: (typeof batches)[number]) => {
    failing.onWrite();
    if (failing.isFailing) throw new Error("disk full");
    batches.push(batch);
  };
  const keeper = new Keeper({ ledger: { keepEvents }, clock: () => NOW, log: silent });
  const kept = (sourceId: string) =>
    batches.flatMap(({ rows }) => rows).filter((row) => row.sourceId === sourceId).length;
  const skipped = () => Object.assign({}, ...batches.map((batch) => batch.skipped));
  return { keeper, kept, skipped, failing };
}

it("A source with more than can wait has requests skipped, and other sources have not.", async () => {
  const { keeper, kept, skipped } = openKeeper();
  for (let request = 0; request < 20; request++) keeper.keep(of("flooded", MIB / 2));
  keeper.keep(of("quiet", MIB / 2));
  await keeper.flush();
  assert.deepEqual([kept("flooded"), kept("quiet")], [3, 1]);
  assert.deepEqual(skipped(), { flooded: 17 });
  assert.equal(keeper.skippedTotal(), 17);
  keeper.keep(of("flooded", MIB / 2));
  await keeper.flush();
  assert.equal(kept("flooded"), 4, "there is room again");
});

it("A ledger that fails loses no count of the requests whose events are not kept.", async () => {
  const { keeper, kept, skipped, failing } = openKeeper();
  failing.isFailing = true;
  for (let request = 0; request < 5; request++) keeper.keep(of("flooded", MIB));
  keeper.keep(of("quiet", 100));
  await keeper.flush();
  failing.isFailing = false;
  await keeper.flush();
  assert.deepEqual([kept("flooded"), kept("quiet")], [0, 0], "nothing that waited is written later");
  assert.deepEqual(skipped(), { flooded: 5, quiet: 1 });
  assert.equal(keeper.skippedTotal(), 6);
});

it("After a large request the next flush waits in proportion, so that a flood takes no more time of the service.", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { keeper, kept, failing } = openKeeper();
  // another request is refused while a flush writes
  failing.onWrite = () => keeper.keep(of("src_2", MIB / 2));
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms);
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    return kept("src_1");
  };
  for (let request = 0; request < 3; request++) keeper.keep(of("src_1", MIB / 2));
  assert.deepEqual([await pass(249), await pass(1)], [0, 1]);
  assert.deepEqual([await pass(1_999), await pass(10)], [1, 2], "half a MiB is eight times a flush's share");
});

it("A request whose events cannot be read does not affect the others.", async () => {
  const { keeper, kept, skipped } = openKeeper();
  keeper.keep(of("src_1", 100, async () => assert.fail("not JSON")));
  keeper.keep(of("src_1", 100));
  await keeper.flush();
  assert.deepEqual([kept("src_1"), skipped()], [1, {}]);
});

it("An event that is too large to be accepted is not kept.", async () => {
  const { keeper, kept } = openKeeper();
  const large = {
    ...unstored,
    body: { events: [{ ...event, properties: { text: "x".repeat(70_000) } }] as const },
  };
  keeper.keep(of("src_1", 100, async () => [large, unstored]));
  await keeper.flush();
  assert.equal(kept("src_1"), 1);
});

it("An event that nests too deeply is left out, and the events after it are kept.", async () => {
  const { keeper, kept } = openKeeper();
  let deep: unknown = 1;
  for (let level = 0; level < 20_000; level++) deep = { deep };
  const nested: UnstoredEvent = { ...unstored, body: { events: [{ ...event, properties: { deep } }] } };
  keeper.keep(of("deep", MIB / 2, async () => [unstored, nested, unstored]));
  await keeper.flush();
  assert.equal(kept("deep"), 2);
});
