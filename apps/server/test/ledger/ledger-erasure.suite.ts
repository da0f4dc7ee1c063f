/** What erasing a visitor takes out of every ledger, and what it leaves. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { zstdDecompressSync } from "node:zlib";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { createLineBuilder, membersOf } from "../../src/ledger/outbox-line.ts";
import type {
  CommitEntry,
  Cursor,
  OpenErasure,
  OutboxPage,
  VisitorToErase,
} from "../../src/ledger/records.ts";
import {
  ACTOR,
  aCommit,
  aSession,
  fresh,
  keyOf,
  MINUTE,
  type NewHome,
  NOW,
  ORGANIZATION,
  outcomes,
  SOME_DAY,
  sessionOf,
  testerOf,
  withSource,
} from "./ledger-home.suite.ts";

const LEASE_MS = 600_000;
/** Values that a store may handle wrongly. */
export const ODD = `ünï "✓" \\ ' \u2028`;

interface VisitorEvent {
  anonymousId?: string;
  userId?: string;
  receivedAt?: number;
}

const eventOf = (sourceId: string, over: VisitorEvent = {}) => {
  const id = fresh("event");
  const { anonymousId = "visitor", userId = null } = over;
  const receivedAt = new Date(over.receivedAt ?? NOW).toISOString();
  const sentBy = "browser";
  const place = { country: null, region: null, city: null };
  const shared = { sourceId, receivedAt, batchId: null, sdkVersion: null, ...place, sentBy } as const;
  const head = { analyticsEventId: `evt_${keyOf(id)}`, occurredAt: receivedAt, anonymousId, userId };
  return {
    key: keyOf(id),
    line: Buffer.from(createLineBuilder(shared)(head, membersOf({ id }))),
    day: SOME_DAY,
  };
};
export const visitorOf = (sourceIds: string[], over: Partial<VisitorToErase> = {}): VisitorToErase => ({
  sourceIds,
  kind: "anonymousId",
  id: "visitor",
  until: NOW,
  ...over,
});

const request = (ledger: Ledger, over: Partial<Parameters<Ledger["requestErasure"]>[0]> = {}) =>
  ledger.requestErasure({
    receiptId: fresh("era"),
    organizationId: ORGANIZATION,
    sourceId: null,
    kind: "anonymousId",
    id: "visitor",
    actor: ACTOR,
    now: NOW,
    ...over,
  });
async function requested(ledger: Ledger, over: Parameters<typeof request>[1] = {}): Promise<string> {
  const made = await request(ledger, over);
  assert.ok(typeof made === "object", String(made));
  return made.receiptId;
}
const take = (ledger: Ledger, limit = 10) => ledger.claimErasures({ now: NOW, leaseMs: LEASE_MS, limit });
const claimPage = (ledger: Ledger, maxEvents = 1_000) =>
  ledger.claimPage({ pageId: fresh("pag"), now: NOW, maxEvents, leaseMs: 0 });

export async function walk<T extends { next: Cursor | null }>(
  step: (after: Cursor | null) => Promise<T>,
): Promise<T[]> {
  const all = [await step(null)];
  while (all.at(-1)!.next !== null) all.push(await step(all.at(-1)!.next));
  return all;
}
const eraseOutbox = (ledger: Ledger, visitors: VisitorToErase[], sealed = false) =>
  walk((after) => ledger.eraseOutbox({ visitors, after, sealed }));
const idsIn = (page: OutboxPage | null): string[] =>
  (page?.parts ?? [])
    .flatMap(({ payload, skipped }) =>
      zstdDecompressSync(payload)
        .toString("utf8")
        .split("\n")
        .filter((_, index) => !skipped.includes(index + 1)),
    )
    .map((line) => JSON.parse(line).id)
    .sort();
const idOf = ({ line }: CommitEntry): string => JSON.parse(`${line}`).id;
const receiptsOf = (erasures: OpenErasure[]) => erasures.map(({ receiptId }) => receiptId).sort();

export function erasureSuite(name: string, newHome: NewHome): void {
  const test = testerOf(newHome);

  describe(`erasing visitors in ${name}`, () => {
    test("is claimed by one caller at a time, survives a restart and continues", async (ledger, reopen) => {
      const source = await withSource(ledger);
      const receipts = [await requested(ledger, { id: ODD }), await requested(ledger, { kind: "userId" })];
      const taken = await Promise.all([take(ledger), take(ledger), take(ledger, 1)]);
      assert.deepEqual(receiptsOf(taken.flat()), [...receipts].sort());
      const [first] = taken.flat().filter(({ receiptId }) => receiptId === receipts[0]);
      const visitor = { sourceIds: [source.sourceId], kind: "anonymousId", id: ODD, until: NOW };
      assert.deepEqual(first, { receiptId: receipts[0], status: "ledger", pages: [], visitor });
      await ledger.advanceErasures({
        receiptIds: receipts,
        from: "ledger",
        status: "shipping",
        pages: ["pag_x"],
        now: NOW,
      });
      await ledger.renewErasureLeases({ receiptIds: receipts, now: NOW, leaseMs: 0 });
      const after = await reopen(NOW);
      const again = await take(after);
      assert.deepEqual(receiptsOf(again), [...receipts].sort());
      assert.deepEqual([again[0]?.status, again[0]?.pages], ["shipping", ["pag_x"]]);
      assert.deepEqual(await take(after), []);
    });

    test("deletes the visitor's id when it is done, and keeps the receipt", async (ledger) => {
      await withSource(ledger);
      const receiptId = await requested(ledger);
      await take(ledger);
      const moved = { receiptIds: [receiptId], pages: [], now: NOW + 5 };
      await ledger.advanceErasures({ ...moved, from: "ledger", status: "done" });
      await ledger.renewErasureLeases({ receiptIds: [receiptId], now: NOW, leaseMs: 0 });
      assert.deepEqual(await take(ledger), []);
      assert.deepEqual(await ledger.erasure({ receiptId, organizationId: ORGANIZATION }), {
        receiptId,
        organizationId: ORGANIZATION,
        sourceId: null,
        kind: "anonymousId",
        status: "done",
        requestedAt: NOW,
        finishedAt: NOW + 5,
      });
      assert.equal(await ledger.erasure({ receiptId, organizationId: "org_2" }), null);
      const { rows } = await ledger.audit({ organizationId: ORGANIZATION, limit: 10, cursor: null });
      assert.equal(rows[0]?.action, "visitor.erased");
      assert.ok(!JSON.stringify(rows).includes('"visitor"'), "the log does not name the visitor");
    });

    test("never goes back to an earlier status", async (ledger) => {
      await withSource(ledger);
      const [receiptId, other] = [await requested(ledger), await requested(ledger)];
      const late = { receiptIds: [receiptId, other], now: NOW + 9 };
      await ledger.advanceErasures({ ...late, from: "ledger", status: "shipping", pages: ["pag_x"] });
      await ledger.advanceErasures({ ...late, from: "ledger", status: "shipping", pages: ["pag_late"] });
      await ledger.advanceErasures({ ...late, from: "shipping", status: "warehouse", pages: [] });
      await ledger.advanceErasures({
        receiptIds: [receiptId],
        from: "warehouse",
        status: "done",
        pages: [],
        now: NOW,
      });
      for (const from of ["ledger", "shipping", "warehouse"] as const)
        await ledger.advanceErasures({
          ...late,
          receiptIds: [receiptId],
          from,
          status: "warehouse",
          pages: [],
        });
      const finished = await ledger.erasure({ receiptId, organizationId: ORGANIZATION });
      assert.deepEqual([finished?.status, finished?.finishedAt], ["done", NOW]);
      assert.deepEqual(receiptsOf(await take(ledger)), [other]);
    });

    test("claims erasures in turn, so that a blocked one does not block others", async (ledger) => {
      await withSource(ledger);
      const receipts: string[] = [];
      for (let number = 0; number < 4; number++)
        receipts.push(await requested(ledger, { now: NOW + number }));
      const turn = async () => {
        const taken = receiptsOf(await take(ledger, 2));
        await ledger.renewErasureLeases({ receiptIds: taken, now: NOW, leaseMs: 0 });
        return taken;
      };
      const [first, second] = [receipts.slice(0, 2), receipts.slice(2)];
      assert.deepEqual(
        [await turn(), await turn()],
        [first, second].map((pair) => pair.sort()),
      );
      const newest = await requested(ledger, { now: NOW + 9 });
      assert.ok((await turn()).includes(newest), "a new one waits for nobody");
    });

    test("covers the sources of its workspace, including deleted ones", async (ledger) => {
      const own = await withSource(ledger);
      const gone = await withSource(ledger);
      const other = await withSource(ledger, { organizationId: "org_2" });
      await ledger.deleteSource({ actor: ACTOR, now: NOW, sourceId: gone.sourceId });
      assert.equal(await request(ledger, { sourceId: other.sourceId }), "unknown_source");
      await requested(ledger, { sourceId: gone.sourceId });
      await requested(ledger);
      const sources = (await take(ledger)).map(({ visitor }) => visitor.sourceIds.sort());
      const expected = [[gone.sourceId], [own.sourceId, gone.sourceId].sort()];
      assert.deepEqual(
        sources.sort((a, b) => a.length - b.length),
        expected,
      );
    });

    test("lists the sources with a retention, including deleted ones", async (ledger) => {
      const [kept, gone] = [await withSource(ledger), await withSource(ledger, { retentionDays: 7 })];
      await withSource(ledger);
      const change = { sourceId: kept.sourceId, actor: ACTOR, now: NOW };
      await ledger.updateSource({ ...change, change: { retentionDays: 30, bots: "keep" } });
      await ledger.deleteSource({ actor: ACTOR, now: NOW, sourceId: gone.sourceId });
      const days = new Map(
        (await ledger.retentions()).map(({ sourceId, retentionDays }) => [sourceId, retentionDays]),
      );
      assert.deepEqual(
        days,
        new Map([
          [kept.sourceId, 30],
          [gone.sourceId, 7],
        ]),
      );
      const keyed = await ledger.sourceByKey({ publicKey: kept.publicKey, now: NOW });
      assert.deepEqual(
        [keyed?.source.retentionDays, keyed?.source.bots, keyed?.source.goals],
        [30, "keep", []],
      );
    });

    test("removes the visitor's events from unsealed rows, and updates the totals", async (ledger) => {
      const other = { anonymousId: "other" };
      const batch = [eventOf("src_1"), eventOf("src_1", other), eventOf("src_1")];
      await ledger.commit(aCommit({ entries: batch }));
      const later = eventOf("src_1", { receivedAt: NOW + 1 });
      const whole = eventOf("src_1");
      await ledger.commit(aCommit({ entries: [batch[0]!, later] }));
      await ledger.commit(aCommit({ entries: [whole] }));
      const elsewhere = eventOf("src_2");
      await ledger.commit(aCommit({ sourceId: "src_2", entries: [elsewhere] }));
      await eraseOutbox(ledger, [visitorOf(["src_1"])]);
      const kept = [batch[1]!, later, elsewhere].map(idOf).sort();
      assert.equal((await ledger.probe({ now: NOW })).outboxEvents, 3);
      const page = (await claimPage(ledger))!;
      assert.deepEqual([idsIn(page), page.events], [kept, 3]);
      for (const { payload } of page.parts)
        assert.ok(!zstdDecompressSync(payload).includes(idOf(batch[0]!)), "a duplicate of it is gone too");
      await ledger.deletePage({ ...page, shipped: [] });
      const { outboxEvents, outboxBytes } = await ledger.probe({ now: NOW });
      assert.deepEqual([outboxEvents, outboxBytes], [0, 0]);
      assert.deepEqual(await outcomes(ledger, { entries: [batch[0]!] }), [0], "its key is known still");
    });

    test("changes sealed pages only when asked to", async (ledger) => {
      const [sealed, kept] = [eventOf("src_1"), eventOf("src_1", { userId: ODD })];
      await ledger.commit(aCommit({ entries: [sealed, kept] }));
      const page = (await claimPage(ledger))!;
      await ledger.commit(aCommit({ entries: [eventOf("src_1")] }));
      assert.deepEqual(await ledger.sealedPages(), [page.pageId]);
      await eraseOutbox(ledger, [visitorOf(["src_1"])]);
      assert.deepEqual(idsIn(await claimPage(ledger)), [sealed, kept].map(idOf).sort());
      assert.equal((await ledger.probe({ now: NOW })).outboxEvents, 2);
      await eraseOutbox(ledger, [visitorOf(["src_1"], { kind: "userId", id: ODD })], true);
      assert.deepEqual(idsIn(await claimPage(ledger)), [idOf(sealed)]);
      await eraseOutbox(ledger, [visitorOf(["src_1"])], true);
      assert.deepEqual(idsIn(await claimPage(ledger)), []);
      assert.equal((await ledger.probe({ now: NOW })).outboxEvents, 0);
    });

    test("covers several slices and several visitors", async (ledger) => {
      const rows = Array.from({ length: 1_200 }, (_, index) =>
        eventOf(`src_${index % 2}`, { anonymousId: `visitor-${index % 3}` }),
      );
      for (let at = 0; at < rows.length; at += 100)
        await Promise.all(
          rows
            .slice(at, at + 100)
            .map((entry, index) =>
              ledger.commit(aCommit({ sourceId: `src_${index % 2}`, entries: [entry] })),
            ),
        );
      const visitors = [0, 1].map((index) => visitorOf(["src_0", "src_1"], { id: `visitor-${index}` }));
      await eraseOutbox(ledger, visitors);
      const page = (await claimPage(ledger, 10_000))!;
      const kept = rows.filter((_, index) => index % 3 === 2).map(idOf);
      assert.deepEqual(idsIn(page), kept.sort());
    });

    test("deletes and returns the visitor's sessions, except later ones and those of other sources", async (ledger) => {
      const old = [aSession(), aSession({ anonymousId: "a", userId: "user" })];
      const kept = [
        aSession({ startedAt: NOW + MINUTE }),
        aSession({ anonymousId: "other" }),
        aSession({ sourceId: "src_2" }),
      ];
      for (const open of [...old, ...kept])
        await ledger.commit(aCommit({ sourceId: open.sourceId, bootstrap: true, open: [open] }));
      const visitors = [visitorOf(["src_1", "src_3"]), visitorOf(["src_1"], { kind: "userId", id: "user" })];
      const slices = await walk((after) => ledger.eraseSessions({ visitors, after }));
      const erased = slices.flatMap((slice) => slice.erased.map(({ sessionId }) => sessionId));
      assert.deepEqual(erased.sort(), old.map(({ sessionId }) => sessionId).sort());
      for (const session of old) assert.equal(await sessionOf(ledger, session), undefined);
      for (const session of kept) assert.ok(await sessionOf(ledger, session));
    });
  });
}
