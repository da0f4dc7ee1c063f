/** The outbox of every ledger: sealed pages never change, are claimed by one caller at a time, and are deleted when shipped. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { zstdDecompressSync } from "node:zlib";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { CommitEntry, Cursor, OutboxPage } from "../../src/ledger/records.ts";
import { aCommit, entries, fresh, type NewHome, NOW, outboxEvents, testerOf } from "./ledger-home.suite.ts";

const LEASE_MS = 600_000;
const take = (ledger: Ledger, leaseMs = LEASE_MS, maxEvents = 1_000) =>
  ledger.claimPage({ pageId: fresh("pag"), now: NOW, maxEvents, leaseMs });
const release = (ledger: Ledger, { pageId }: OutboxPage, waitMs = 0) =>
  ledger.releasePage({ pageId, now: NOW, waitMs });

const linesOf = (page: OutboxPage) =>
  page.parts.flatMap(({ payload, skipped }) =>
    zstdDecompressSync(payload)
      .toString("utf8")
      .split("\n")
      .filter((_, index) => !skipped.includes(index + 1)),
  );
const jsonOf = (batch: CommitEntry[]) => batch.map(({ line }) => `${line}`).sort();

export function outboxSuite(name: string, newHome: NewHome): void {
  const test = testerOf(newHome);

  describe(`the outbox of ${name}`, () => {
    test("returns each accepted event once, without duplicates", async (ledger) => {
      assert.equal(await take(ledger), null);
      const [one, other, elsewhere] = [entries(3), entries(2), entries(2)];
      await ledger.commit(aCommit({ entries: one }));
      await ledger.commit(aCommit({ entries: [one[1]!, ...other, other[0]!] }));
      await ledger.commit(aCommit({ sourceId: "src_2", entries: elsewhere, receivedAt: NOW - 5 }));
      const page = (await take(ledger))!;
      assert.deepEqual(linesOf(page).sort(), jsonOf([...one, ...other, ...elsewhere]));
      assert.deepEqual([page.events, page.createdAt, page.tries], [7, NOW - 5, 0]);
      assert.equal(await take(ledger), null, "nothing waits, and the page is somebody's");
    });

    test("returns the same page with the same bytes after it was released or its lease has ended", async (ledger, reopen) => {
      await ledger.commit(aCommit({ entries: entries(3) }));
      const page = (await take(ledger))!;
      await ledger.commit(aCommit({ entries: entries(2) }));
      await release(ledger, page);
      const again = (await take(ledger, 0))!;
      assert.deepEqual(again, { ...page, tries: 1 });
      const after = (await take(await reopen(NOW), 0))!;
      assert.deepEqual(after, { ...page, tries: 2 });
    });

    test("gives a page to one caller at a time", async (ledger) => {
      const batches = [entries(3), entries(2)];
      await ledger.commit(aCommit({ entries: batches[0]! }));
      const first = (await take(ledger))!;
      await ledger.commit(aCommit({ entries: batches[1]! }));
      const taken = await Promise.all([take(ledger), take(ledger), take(ledger)]);
      const [second, ...more] = taken.filter((page) => page !== null);
      assert.deepEqual(more, []);
      assert.deepEqual(linesOf(second!).sort(), jsonOf(batches[1]!));
      await release(ledger, first, LEASE_MS);
      assert.equal(await take(ledger), null, "what was released for later is not given before");
    });

    test("deletes a shipped page, and updates the totals", async (ledger) => {
      await ledger.commit(aCommit({ entries: entries(3) }));
      const page = (await take(ledger))!;
      await ledger.commit(aCommit({ entries: entries(2), receivedAt: NOW + 1 }));
      await ledger.deletePage({ pageId: page.pageId, shipped: [] });
      await ledger.deletePage({ pageId: page.pageId, shipped: [] });
      const { outboxOldestAt } = await ledger.probe({ now: NOW });
      assert.deepEqual([await outboxEvents(ledger), outboxOldestAt], [2, NOW + 1]);
      await ledger.deletePage({ pageId: (await take(ledger))!.pageId, shipped: [] });
      const { outboxBytes, outboxOldestAt: none } = await ledger.probe({ now: NOW });
      assert.deepEqual([await outboxEvents(ledger), outboxBytes, none], [0, 0, null]);
    });

    test("seals pages in order, up to the maximum size unless one commit is larger", async (ledger) => {
      const large = Array.from({ length: 3 }, () => entries(4));
      for (const batch of large) await ledger.commit(aCommit({ entries: batch }));
      const [first, second] = [(await take(ledger, LEASE_MS, 10))!, (await take(ledger, LEASE_MS, 3))!];
      assert.deepEqual([first.events, second.events], [large[0]!.length * 2, large[2]!.length]);
      const all = [...linesOf(first), ...linesOf(second)];
      assert.deepEqual(
        all,
        large.flat().map(({ line }) => `${line}`),
      );
    });

    test("returns each event once while commits, shipping and erasures run at once", async (ledger) => {
      const batches = Array.from({ length: 12 }, (_, index) => ({
        sourceId: `src_${index % 3}`,
        entries: entries(2),
      }));
      const shipped: string[] = [];
      const ship = async () => {
        for (let page = await take(ledger, LEASE_MS, 3); page; page = await take(ledger, LEASE_MS, 3)) {
          shipped.push(...linesOf(page));
          await ledger.deletePage({ ...page, shipped: [] });
        }
      };
      const visitors = [
        { sourceIds: ["src_0", "src_1"], kind: "anonymousId" as const, id: "none", until: NOW },
      ];
      const erase = async () => {
        for (let after: Cursor | null = { sourceIndex: 0 }; after; )
          after = (await ledger.eraseOutbox({ visitors, after, sealed: false })).next;
      };
      const commit = async (batch: (typeof batches)[number]) => {
        await ledger.commit(aCommit(batch));
        await Promise.all([ship(), ship(), erase(), ledger.expireOutbox({ before: NOW })]);
      };
      await Promise.all(batches.map(commit));
      assert.deepEqual(shipped.sort(), jsonOf(batches.flatMap((batch) => batch.entries)));
      const { outboxBytes } = await ledger.probe({ now: NOW });
      assert.deepEqual([await outboxEvents(ledger), outboxBytes], [0, 0]);
    });

    test("can be read in slices without a claim, including rows that are being shipped", async (ledger) => {
      const [one, other, elsewhere] = [entries(3), entries(2), entries(2)];
      await ledger.commit(aCommit({ entries: one }));
      const page = await take(ledger);
      await ledger.commit(aCommit({ sourceId: "src_2", entries: elsewhere }));
      await ledger.commit(aCommit({ entries: [one[0]!, ...other] }));
      const read: string[] = [];
      for (let after = 0; ; ) {
        const [row, ...more] = await ledger.readOutbox({ sourceId: "src_1", after, limit: 1 });
        assert.deepEqual(more, []);
        if (!row) break;
        assert.ok(row.seq > after);
        after = row.seq;
        read.push(...linesOf({ parts: [row.part] } as OutboxPage));
      }
      const own = new Set(jsonOf([...one, ...other]));
      assert.deepEqual(read.filter((line) => own.has(line)).sort(), [...own].sort());
      assert.equal(await outboxEvents(ledger), 7);
      await release(ledger, page!);
      assert.deepEqual((await take(ledger))!.parts, page!.parts);
    });

    test("deletes old rows with expireOutbox", async (ledger) => {
      await ledger.commit(aCommit({ entries: entries(3), receivedAt: NOW - 10 }));
      await release(ledger, (await take(ledger))!);
      await ledger.commit(aCommit({ entries: entries(2), receivedAt: NOW }));
      while (await ledger.expireOutbox({ before: NOW }));
      const page = (await take(ledger))!;
      assert.deepEqual([await outboxEvents(ledger), page.events, page.createdAt], [2, 2, NOW]);
    });
  });
}
