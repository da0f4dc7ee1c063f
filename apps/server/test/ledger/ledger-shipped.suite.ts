/** What every ledger counts as shipped to the warehouse, and what its nodes share of the warehouse's checks. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { ErasureStatus } from "@headwater/contract";
import { override } from "../../src/core/members.ts";
import { countInLedger } from "../../src/delivery/waiting.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { COMPLETE, type DayCount } from "../../src/ledger/warehouse-report.ts";
import { countDays } from "../../src/shipping/count-days.ts";
import {
  ACTOR,
  aCommit,
  entries,
  fresh,
  keyOf,
  type NewHome,
  NOW,
  ORGANIZATION,
  testerOf,
} from "./ledger-home.suite.ts";

const SOURCE_IDS = ["src_1", "src_2"];
const [TODAY, BEFORE] = [20_000, 19_999];
const count = (sourceId: string, day: number, events: number): DayCount => ({ sourceId, day, events });
const sorted = (days: DayCount[]) =>
  days.toSorted((one, other) => (`${one.sourceId} ${one.day}` < `${other.sourceId} ${other.day}` ? -1 : 1));

const claim = (ledger: Ledger) =>
  ledger.claimPage({ pageId: fresh("pag"), now: NOW, maxEvents: 1_000, leaseMs: 60_000 });
async function ship(ledger: Ledger, days: DayCount[]): Promise<void> {
  await ledger.commit(aCommit({ entries: entries(1) }));
  await ledger.deletePage({ pageId: (await claim(ledger))!.pageId, shipped: days });
}
const shipped = async (ledger: Ledger) => {
  const { days, ...rest } = await ledger.shippedDays({ sourceIds: SOURCE_IDS });
  return { ...rest, days: sorted(days) };
};

/** An erasure that waits until its pages are shipped. */
async function erasureInShipping(ledger: Ledger): Promise<string> {
  const receiptId = fresh("era");
  const request = { receiptId, organizationId: ORGANIZATION, sourceId: null, kind: "anonymousId" as const };
  await ledger.requestErasure({ ...request, id: "visitor", actor: ACTOR, now: NOW });
  const step = { receiptIds: [receiptId], pages: [], now: NOW };
  await ledger.advanceErasures({ ...step, from: "ledger", status: "shipping" });
  return receiptId;
}

export function shippedSuite(name: string, newHome: NewHome): void {
  const test = testerOf(newHome);

  describe(`the counts of shipped events of ${name}`, () => {
    test("a page says how many events of each source and day it has, duplicates not included", async (ledger) => {
      const [today, before] = [entries(3, TODAY), entries(2, BEFORE)];
      await ledger.commit(aCommit({ entries: [...today, ...before] }));
      const aDuplicate = { ...today[0]!, line: eventLine(today[0]!.key, "src_1", TODAY) };
      const newKey = keyOf(fresh("event"));
      const aNew = { key: newKey, line: eventLine(newKey, "src_1", TODAY), day: TODAY };
      await ledger.commit(aCommit({ entries: [aDuplicate, aNew] }));
      await ledger.commit(aCommit({ sourceId: "src_2", entries: entries(4, TODAY) }));
      assert.deepEqual(sorted(await countDays((await claim(ledger))!)), [
        count("src_1", BEFORE, 2),
        count("src_1", TODAY, 4),
        count("src_2", TODAY, 4),
      ]);
    });

    test("what waits of a source is counted by day; only rows with duplicates are read", async (ledger) => {
      const span = { sourceId: "src_1", from: BEFORE, to: TODAY };
      let read = 0;
      const watched = override(ledger, {
        readOutbox: async (params: Parameters<Ledger["readOutbox"]>[0]) => {
          read += 1;
          return ledger.readOutbox(params);
        },
      });
      const waiting = async () =>
        [...(await countInLedger(watched, span)).waiting].toSorted(([a], [b]) => a - b);
      assert.deepEqual(await waiting(), []);
      const [today, before] = [entries(3, TODAY), entries(2, BEFORE)];
      await ledger.commit(aCommit({ entries: [...today, ...before] }));
      await claim(ledger);
      for (let index = 0; index < 5; index++) await ledger.commit(aCommit({ entries: entries(1, TODAY) }));
      await ledger.commit(aCommit({ sourceId: "src_2", entries: entries(4, TODAY) }));
      const whole = [
        [BEFORE, 2],
        [TODAY, 8],
      ];
      assert.deepEqual(await waiting(), whole);
      assert.equal(read, 0);
      // of many sources, a row says so much that not all of it is looked at
      const many = Array.from({ length: 200 }, (_, index) => ({ sourceId: `src_of_many_${index}` }));
      const keys = [today[0]!.key, keyOf(fresh("event"))];
      const own = { entries: keys.map((key) => ({ key, line: eventLine(key, "src_1", TODAY), day: TODAY })) };
      await Promise.all(
        [...many, own].map((one) => ledger.commit(aCommit({ entries: entries(1, TODAY), ...one }))),
      );
      assert.deepEqual(await waiting(), [
        [BEFORE, 2],
        [TODAY, 9],
      ]);
      assert.ok(read > 0);
    });

    test("a page is counted when it is deleted, and only once", async (ledger) => {
      await ledger.commit(aCommit({ entries: entries(3) }));
      const { pageId } = (await claim(ledger))!;
      const page = { pageId, shipped: [count("src_1", TODAY, 3), count("src_2", BEFORE, 1)] };
      await ledger.deletePage(page);
      await ledger.deletePage(page);
      await ship(ledger, [count("src_1", TODAY, 2)]);
      const days = [count("src_1", TODAY, 5), count("src_2", BEFORE, 1)];
      assert.deepEqual(await shipped(ledger), { days, revision: 0, isErasing: false });
      assert.deepEqual((await ledger.shippedDays({ sourceIds: ["src_3"] })).days, []);
    });

    test("an erased event is subtracted when the warehouse begins to delete it", async (ledger) => {
      await ship(ledger, [count("src_1", TODAY, 5)]);
      const receiptId = await erasureInShipping(ledger);
      const advance = (from: ErasureStatus, status: ErasureStatus, removed?: DayCount[]) =>
        ledger.advanceErasures({
          receiptIds: [receiptId],
          from,
          status,
          pages: [],
          now: NOW,
          ...(removed && { removed }),
        });
      const removed = [count("src_1", TODAY, 2), count("src_2", TODAY, 1)];
      await advance("shipping", "warehouse", removed);
      // its page is not counted yet
      const days = [count("src_1", TODAY, 3), count("src_2", TODAY, -1)];
      assert.deepEqual(await shipped(ledger), { days, revision: 1, isErasing: true });
      await assert.rejects(advance("shipping", "warehouse", removed), "another node has advanced it");
      assert.deepEqual(await shipped(ledger), { days, revision: 1, isErasing: true });
      await advance("warehouse", "done");
      assert.deepEqual(await shipped(ledger), { days, revision: 1, isErasing: false });
    });

    test("days can be added to, unless the counts were changed otherwise than by shipping meanwhile; expired days are counted as such", async (ledger) => {
      await ship(ledger, [count("src_1", TODAY, 5), count("src_1", BEFORE, 5)]);
      const receiptId = await erasureInShipping(ledger);
      await ledger.advanceErasures({
        receiptIds: [receiptId],
        from: "shipping",
        status: "warehouse",
        pages: [],
        removed: [count("src_1", TODAY, 1)],
        now: NOW,
      });
      const added = [count("src_1", TODAY, 3), count("src_2", BEFORE, 9)];
      assert.equal(await ledger.addShippedDays({ days: added, revision: 0 }), false);
      assert.equal(await ledger.addShippedDays({ days: added, revision: 1 }), true);
      assert.equal(await ledger.addShippedDays({ days: added, revision: 1 }), false, "not twice");
      const days = [count("src_1", TODAY, 7), count("src_2", BEFORE, 9)];
      const isErasing = true;
      const all = [count("src_1", BEFORE, 5), ...days];
      assert.deepEqual(await shipped(ledger), { days: all, revision: 2, isErasing });
      await ship(ledger, [count("src_2", BEFORE, 1)]);
      const accepted = { days: [count("src_2", BEFORE, -3)], revision: 2 };
      assert.equal(await ledger.addShippedDays(accepted), true, "shipping does not matter");
      await ledger.expireShippedDays([{ sourceId: "src_1", before: TODAY }]);
      const left = [count("src_1", TODAY, 7), count("src_2", BEFORE, 7)];
      assert.deepEqual(await shipped(ledger), { days: left, revision: 4, isErasing });
      assert.deepEqual(await ledger.countedDays({ sourceId: "src_1", from: BEFORE, to: TODAY }), [
        { day: BEFORE, shipped: 5, removed: 0, expired: 5, erasedWaiting: 0 },
        { day: TODAY, shipped: 8, removed: 1, expired: 0, erasedWaiting: 0 },
      ]);
    });

    test("one node at a time has the claim of a comparison, and all see its report", async (ledger) => {
      assert.deepEqual(await ledger.warehouseCheck(), { comparedAt: 0, partsCheckedAt: 0, report: COMPLETE });
      const wanted = { now: NOW, leaseMs: 60_000 };
      const claims = await Promise.all([
        ledger.claimWarehouseCheck(wanted),
        ledger.claimWarehouseCheck(wanted),
      ]);
      assert.deepEqual(claims.toSorted(), [false, true]);
      const report = { ...COMPLETE, missingEvents: 3, moreSources: 1 };
      await ledger.saveWarehouseReport({ report, comparedAt: NOW });
      await ledger.savePartsCheck({ partsCheckedAt: NOW + 1 });
      assert.deepEqual(await ledger.warehouseCheck(), { comparedAt: NOW, partsCheckedAt: NOW + 1, report });
      assert.equal(await ledger.claimWarehouseCheck(wanted), true);
    });
  });
}

/** As much of an event's normal form as shipping reads; a tab ends it. */
const eventLine = (key: string, sourceId: string, day: number) => {
  const at = new Date(day * 86_400_000 + 1).toISOString();
  const head = { analyticsEventId: `evt_${key}`, sourceId, occurredAt: at, receivedAt: at };
  return Buffer.from(JSON.stringify(head).replace(/}$/, "\t}"));
};
