/** Commit: outcomes in order, each id once, all or nothing. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import {
  aCommit,
  aSession,
  DAY,
  entries,
  type NewHome,
  NOW,
  ORGANIZATION,
  outboxEvents,
  outcomes,
  sessionOf,
  testerOf,
  usageOf,
  withSource,
} from "./ledger-home.suite.ts";

export function commitSuite(name: string, newHome: NewHome): void {
  const test = testerOf(newHome);

  describe(`commit in ${name}`, () => {
    test("returns a flag for each entry in order, and stores new entries", async (ledger) => {
      const [a, b, c, d] = entries(4);
      assert.deepEqual(await outcomes(ledger, { entries: [b!, d!] }), [1, 1]);
      assert.deepEqual(await outcomes(ledger, { entries: [a!, b!, c!, d!] }), [1, 0, 1, 0]);
      assert.equal(await outboxEvents(ledger), 4);
    });

    test("stores the first of two entries with the same key", async (ledger) => {
      const [a, b] = entries(2);
      assert.deepEqual(await outcomes(ledger, { entries: [a!, b!, a!, a!] }), [1, 1, 0, 0]);
      assert.equal(await outboxEvents(ledger), 2);
    });

    test("stores each entry once when the same batch is sent many times at once", async (ledger) => {
      const batch = entries(7);
      const all = await Promise.all(
        Array.from({ length: 50 }, () => outcomes(ledger, { entries: [...batch] })),
      );
      for (const index of batch.keys()) assert.equal(all.filter((one) => one[index] === 1).length, 1);
      assert.equal(await outboxEvents(ledger), batch.length);
    });

    test("returns to each of many concurrent batches its own flags", async (ledger) => {
      const batches = Array.from({ length: 60 }, (_, index) => entries(index % 7));
      await ledger.commit(aCommit({ entries: batches.flatMap((batch) => batch.slice(0, 2)) }));
      const all = await Promise.all(batches.map((batch) => outcomes(ledger, { entries: batch })));
      assert.deepEqual(
        all,
        batches.map((batch) => batch.map((_, index) => (index < 2 ? 0 : 1))),
      );
    });

    test("without entries stores no event and returns no flags", async (ledger) => {
      assert.deepEqual(await outcomes(ledger, {}), []);
      assert.equal(await outboxEvents(ledger), 0);
    });

    test("counts acceptances, bootstraps and bytes of what stores something by source and UTC day in the same transaction", async (ledger) => {
      const { sourceId } = await withSource(ledger);
      const other = await withSource(ledger);
      const [a, b, c] = entries(3);
      const midnight = Date.UTC(2026, 10, 22);
      await Promise.all([
        ledger.commit(
          aCommit({ sourceId, bootstrap: true, bytes: 10, entries: [a!], receivedAt: midnight - 1 }),
        ),
        ledger.commit(aCommit({ sourceId, bytes: 20, entries: [b!, b!], receivedAt: midnight })),
        ledger.commit(aCommit({ sourceId: other.sourceId, bytes: 1, entries: [c!], receivedAt: midnight })),
      ]);
      await ledger.commit(aCommit({ sourceId, bytes: 40, entries: [a!, b!], receivedAt: midnight + 5 }));
      await ledger.commit(aCommit({ sourceId, bytes: 5, bootstrap: true, receivedAt: midnight + 6 }));
      const rows = (await usageOf(ledger)).map(({ sourceId: of, day, accepted, bootstraps, bytes }) =>
        [of === sourceId ? "one" : "two", day, accepted, bootstraps, bytes].join(" "),
      );
      assert.deepEqual(rows.sort(), [
        "one 2026-11-21 1 1 10",
        "one 2026-11-22 1 1 25",
        "two 2026-11-22 1 0 1",
      ]);
    });

    test("updates the source's last bootstrap and last event, but not for duplicates", async (ledger) => {
      const { sourceId } = await withSource(ledger);
      const [a] = entries(1);
      const seen = async () => {
        const source = await ledger.source({ sourceId, now: NOW });
        return [source?.lastBootstrapAt, source?.lastEventAt];
      };
      assert.deepEqual(await seen(), [null, null]);
      await ledger.commit(aCommit({ sourceId, bootstrap: true, receivedAt: NOW + 1 }));
      assert.deepEqual(await seen(), [NOW + 1, null]);
      await ledger.commit(aCommit({ sourceId, entries: [a!], receivedAt: NOW + 2 }));
      await ledger.commit(aCommit({ sourceId, entries: [a!], receivedAt: NOW + 3 }));
      assert.deepEqual(await seen(), [NOW + 1, NOW + 2]);
      const [late] = entries(1);
      await ledger.commit(aCommit({ sourceId, bootstrap: true, entries: [late!], receivedAt: NOW }));
      assert.deepEqual(await seen(), [NOW + 1, NOW + 2], "one that was slow to arrive takes nothing back");
      const { firstBootstrapAt, firstEventAt } = await ledger.onboarding({ organizationId: ORGANIZATION });
      assert.deepEqual([firstBootstrapAt, firstEventAt], [NOW + 1, NOW + 2]);
    });

    test("stores nothing when it fails", async (ledger) => {
      const { sourceId } = await withSource(ledger);
      const [a, b] = entries(2);
      const broken = { ...aSession({ sourceId }), anonymousId: null as unknown as string };
      const again = aCommit({ sourceId, bootstrap: true, open: [broken], entries: [a!, b!] });
      await assert.rejects(ledger.commit(again), /sessions/);
      assert.equal(await outboxEvents(ledger), 0);
      assert.deepEqual(await usageOf(ledger), []);
      assert.deepEqual(await outcomes(ledger, { sourceId, entries: [a!, b!] }), [1, 1]);
    });

    test("keeps a session that another node has opened", async (ledger) => {
      const session = aSession();
      await ledger.commit(aCommit({ open: [session] }));
      await ledger.commit(aCommit({ open: [{ ...session, anonymousId: "other" }], entries: entries(1) }));
      assert.deepEqual({ ...(await sessionOf(ledger, session)) }, session);
    });

    test("survives a restart of the ledger", async (ledger, reopen) => {
      const batch = entries(3);
      const session = aSession();
      await ledger.commit(aCommit({ entries: batch, open: [session] }));
      const again = await reopen(NOW + DAY);
      assert.deepEqual(await outcomes(again, { entries: batch }), [0, 0, 0]);
      assert.deepEqual({ ...(await sessionOf(again, session)) }, session);
      assert.equal(await outboxEvents(again), 3);
    });
  });
}
