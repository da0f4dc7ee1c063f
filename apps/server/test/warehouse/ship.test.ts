/** Every accepted event is stored in the warehouse exactly once, whatever fault its insert has. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { CommitEntry } from "../../src/ledger/records.ts";
import {
  accept as acceptInto,
  anEvent,
  heldOf,
  type InsertFault,
  idsOf,
  openStore,
  type Store,
  type WarehouseEvent,
} from "./store.ts";

/** Just after midnight on the first of a month, so that a page has events of two months and thus two partitions. */
const NOW = Date.UTC(2026, 10, 1, 0, 0, 1);
let store: Store;
before(async () => {
  store = await openStore(NOW);
});
after(() => store[Symbol.asyncDispose]());

const accept = (entries: CommitEntry[]) => acceptInto(store, entries, NOW);
const some = (count: number) => Array.from({ length: count }, (_, index) => anEvent(NOW - index * 100));
const held = (entries: CommitEntry[]) => heldOf(store, entries);

test("Each member of an event's normal form is a column of its row.", async () => {
  const full = anEvent(NOW);
  const track = anEvent(NOW, {
    type: "track",
    name: "buy",
    page: null,
    country: null,
    properties: { price: 9.5, "a b": [1], day: "2026-01-01", at: "2026-01-01T10:00:00+02:00" },
  });
  await accept([full, track]);
  await store.shipAll();
  const row = async (entry: WarehouseEvent) => {
    const [found] = await store.ask(`SELECT * FROM events WHERE analyticsEventId = 'evt_${entry.key}'`);
    const iso = (time: string) => `${time.replace(" ", "T")}Z`;
    const [properties, context] = [JSON.parse(found.properties), JSON.parse(found.context)];
    return {
      ...found,
      properties,
      context,
      occurredAt: iso(found.occurredAt),
      receivedAt: iso(found.receivedAt),
      lost: found.lost.map((lost: { occurredAt: string }) => ({ ...lost, occurredAt: iso(lost.occurredAt) })),
      replayedAt: iso(found.replayedAt),
    };
  };
  const nothing = { medium: null, campaign: null, term: null, content: null };
  const form = JSON.parse(full.json);
  assert.deepEqual(await row(full), {
    ...form,
    page: { ...form.page, utm: { source: "newsletter", ...nothing } },
    properties: {},
  });
  const { page, ...rest } = await row(track);
  const { page: _, ...expected } = JSON.parse(track.json);
  assert.deepEqual(rest, expected);
  assert.deepEqual([page.url, page.utm, page.clickIds], [null, { source: null, ...nothing }, {}]);
});

const FAULTS: InsertFault[] = [
  "answer lost",
  "error after storing",
  "a proxy's page",
  "reset mid-body",
  "killed before",
  "killed during",
  "killed after",
];
for (const fault of FAULTS) {
  test(`Each event is stored once when an insert has the fault: ${fault}.`, async () => {
    const entries = some(40);
    await accept(entries);
    store.faults.push(fault);
    await store.shipAll();
    assert.deepEqual(store.faults, [], "the fault has happened");
    assert.deepEqual(await held(entries), idsOf(entries));
  });
}

test("A page that is stored in part is completed.", async () => {
  const entries = some(40);
  await accept(entries);
  // as after a loss of power when one of the two partitions was stored
  const part = entries.filter((_, index) => index >= 20).map(({ json }) => JSON.parse(json));
  const client = store.warehouse.client()!;
  await client.insert({
    table: "events",
    values: part,
    format: "JSONEachRow",
    clickhouse_settings: { date_time_input_format: "best_effort" },
  });
  store.faults.push("reset mid-body");
  await store.shipAll();
  assert.deepEqual(await held(entries), idsOf(entries));
});

test("A ledger restored from an older backup ships no event twice, and ships its other events once.", async () => {
  const [shipped, more] = [some(30), some(10)];
  await accept(shipped);
  const restore = await store.backup();
  await store.shipAll();
  await restore();
  assert.equal((await store.ledger.probe({ now: NOW })).outboxEvents, 30);
  await accept(more);
  await store.shipAll(() => NOW + 5);
  assert.deepEqual(await held([...shipped, ...more]), idsOf([...shipped, ...more]));
});

test("The warehouse stores all properties that ingest accepts: odd keys, large numbers, mixed types.", async () => {
  const odd = [
    { "a.b": 1, a: { b: 2 } },
    { "": 1, ".": 2, "a..b": 3 },
    JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}'),
    { large: 18_446_744_073_709_552_000, small: -9_223_372_036_854_776_000, huge: 1e300, tiny: 5e-324 },
    { a: [1, "x", null, { b: [[1], [{}]] }, true] },
    { a: "now a text" },
    Object.fromEntries(Array.from({ length: 256 }, (_, index) => [`key ${index}`, index])),
    { 'ключ 🙂 "q" \\ \n\u2028': "\uFFFD'`" },
    { date: "2026-01-01", time: "2026-01-01 00:00:00.123456789" },
  ];
  const entries = odd.map((properties) => anEvent(NOW, { properties }));
  await accept(entries);
  await store.shipAll();
  assert.deepEqual(await held(entries), idsOf(entries));
});

test("A session is correct when its events arrive late, out of order or over the end of a month.", async () => {
  const event = (at: number, over: Record<string, unknown>) =>
    anEvent(at, { sessionId: "ses_late", ...over });
  const page = (path: string) => ({ page: { path, utm: null, clickIds: null } });
  await accept([
    event(NOW, { ...page("/second"), country: null }),
    event(NOW + 60_000, { type: "track", name: "buy", page: null, userId: "u1" }),
  ]);
  await store.shipAll();
  await accept([event(NOW - 5_000, { ...page("/first"), country: null, anonymousId: "first" })]);
  await store.shipAll();
  const [session] = await store.ask("SELECT * FROM sessions WHERE sessionId = 'ses_late'");
  const {
    durationMs,
    pageViews,
    trackEvents,
    isBounce,
    entryPage,
    exitPage,
    anonymousId,
    entryCountry,
    userId,
  } = session;
  assert.deepEqual(
    [Number(durationMs), Number(pageViews), Number(trackEvents), Number(isBounce)],
    [65_000, 2, 1, 0],
  );
  assert.deepEqual([entryPage.path, exitPage.path], ["/first", "/second"]);
  assert.deepEqual([anonymousId, entryCountry, userId], ["first", null, "u1"]);
});
