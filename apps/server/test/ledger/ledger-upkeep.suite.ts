/** The upkeep of every minute: keys are kept as long as promised, and not for ever. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { DEDUP_WINDOW_SECONDS } from "@headwater/contract/limits";
import { aCommit, DAY, entries, type NewHome, NOW, outcomes, testerOf } from "./ledger-home.suite.ts";

export function upkeepSuite(name: string, newHome: NewHome): void {
  const test = testerOf(newHome);

  describe(`maintenance of ${name}`, () => {
    const WINDOW = DEDUP_WINDOW_SECONDS * 1_000;

    test("keeps every key for the whole dedup window", async (ledger) => {
      const accepted: { at: number; batch: ReturnType<typeof entries> }[] = [];
      const STEP = DAY / 4;
      for (let now = NOW; now < NOW + 3 * WINDOW; now += STEP) {
        await ledger.maintain({ now });
        const batch = entries(1);
        assert.deepEqual(await outcomes(ledger, { receivedAt: now, entries: batch }), [1]);
        accepted.push({ at: now, batch });
        const young = accepted.filter(({ at }) => now - at <= WINDOW);
        const again = young.flatMap(({ batch: [one] }) => one!);
        const seen = await outcomes(ledger, { receivedAt: now, entries: again });
        const lost = young.filter((_, index) => seen[index] === 1);
        assert.deepEqual(
          lost.map(({ at }) => `${(now - at) / DAY} days`),
          [],
          "forgotten before its time",
        );
      }
    });

    test("deletes keys after the window", async (ledger) => {
      const batch = entries(2);
      await ledger.commit(aCommit({ entries: batch }));
      const end = NOW + 3 * WINDOW;
      for (let now = NOW; now <= end; now += DAY) await ledger.maintain({ now });
      assert.deepEqual(await outcomes(ledger, { receivedAt: end, entries: batch }), [1, 1]);
    });

    test("loses no key when the clock jumps far ahead and back", async (ledger) => {
      const batch = entries(2);
      await ledger.commit(aCommit({ entries: batch }));
      await ledger.maintain({ now: NOW + 3_000 * DAY });
      await ledger.maintain({ now: NOW });
      assert.deepEqual(await outcomes(ledger, { entries: batch }), [0, 0]);
    });

    test("reports the size of the outbox and the free disk space", async (ledger) => {
      const before = await ledger.probe({ now: NOW });
      await ledger.commit(aCommit({ entries: entries(5) }));
      const after = await ledger.probe({ now: NOW + 1 });
      assert.deepEqual([before.outboxEvents, before.outboxBytes, after.outboxEvents], [0, 0, 5]);
      assert.ok(after.outboxBytes > 0 && (await ledger.freeBytes()) > 0);
    });
  });
}
