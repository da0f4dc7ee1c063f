/** What alerts need of every ledger: one node sees a transition, one sends it, and none is sent for ever. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { AlertStatus, AlertTopic } from "../../src/ledger/records.ts";
import {
  ACTOR,
  aCommit,
  entries,
  fresh,
  MINUTE,
  type NewHome,
  NOW,
  testerOf,
  withSource,
} from "./ledger-home.suite.ts";

const HOUR = 3_600_000;
const watched = (ledger: Ledger, after = "", limit = 10) => ledger.watchedSources({ after, limit });

export function alertSuite(name: string, newHome: NewHome): void {
  const test = testerOf(newHome);

  describe(`alerts in ${name}`, () => {
    const receiving = async (ledger: Ledger) => {
      const source = await withSource(ledger);
      await ledger.commit(aCommit({ sourceId: source.sourceId, entries: entries(1) }));
      return source;
    };
    const see = (ledger: Ledger, sourceId: string, was: AlertStatus | null, status: AlertStatus) =>
      ledger.recordAlertStatus({
        sourceId,
        topic: "health",
        was,
        status,
        alertId: was && fresh("alr"),
        now: NOW,
      });
    const take = (ledger: Ledger, now = NOW, topics: AlertTopic[] = ["health"]) =>
      ledger.claimAlerts({ now, limit: 10, retryMs: [MINUTE, 2 * MINUTE], topics });

    test("list the active sources that have received something, a page at a time", async (ledger) => {
      const [one, other, off, gone] = [
        await receiving(ledger),
        await receiving(ledger),
        await receiving(ledger),
        await receiving(ledger),
      ];
      await withSource(ledger);
      const change = { actor: ACTOR, now: NOW };
      await ledger.updateSource({ ...change, sourceId: off.sourceId, change: { isActive: false } });
      await ledger.deleteSource({ ...change, sourceId: gone.sourceId });
      await see(ledger, one.sourceId, null, "receiving");
      const [first] = await watched(ledger, "", 1);
      const rest = await watched(ledger, first!.sourceId);
      const all = [first!, ...rest].map((row) => ({ ...row }));
      const ids = [one, other].map(({ sourceId }) => sourceId).sort();
      assert.deepEqual(
        all.map(({ sourceId }) => sourceId),
        ids,
      );
      const found = all.find(({ sourceId }) => sourceId === one.sourceId);
      const health = { status: "receiving", since: NOW, isPending: false };
      const seen = { sourceId: one.sourceId, lastBootstrapAt: null, lastEventAt: NOW };
      assert.deepEqual(found, { ...seen, alerts: { health } });
      assert.deepEqual(all.find((row) => row.sourceId === other.sourceId)?.alerts, {});
    });

    test("keep the topics of a source apart, and give only those that are asked for", async (ledger) => {
      const { sourceId } = await receiving(ledger);
      await see(ledger, sourceId, null, "receiving");
      const change = { sourceId, topic: "statement", was: null, status: "2026-11-20" } as const;
      const alertId = fresh("alr");
      assert.equal(await ledger.recordAlertStatus({ ...change, alertId, now: NOW }), true);
      assert.equal(await ledger.recordAlertStatus({ ...change, alertId: fresh("alr"), now: NOW }), false);
      const [found] = await watched(ledger);
      assert.deepEqual(found?.alerts.statement, { status: "2026-11-20", since: NOW, isPending: true });
      assert.equal(found?.alerts.health?.status, "receiving");
      assert.deepEqual(await take(ledger), []);
      const [taken] = await take(ledger, NOW, ["statement"]);
      assert.deepEqual([taken?.alertId, taken?.status, taken?.was], [alertId, "2026-11-20", null]);
      await ledger.finishAlert({ sourceId, alertId });
      const [after] = await watched(ledger);
      assert.equal(after?.alerts.statement?.isPending, false);
    });

    test("record each status change once, and give its alert to one caller at a time until it is finished", async (ledger) => {
      const { sourceId } = await receiving(ledger);
      const first = await Promise.all([1, 2].map(() => see(ledger, sourceId, null, "receiving")));
      assert.deepEqual(first.sort(), [false, true]);
      assert.deepEqual(await take(ledger), [], "nobody is told of the first sight");
      const turned = await Promise.all([1, 2, 3].map(() => see(ledger, sourceId, "receiving", "failing")));
      assert.equal(turned.filter(Boolean).length, 1);
      const [alert, ...more] = (await Promise.all([take(ledger), take(ledger)])).flat();
      assert.deepEqual(more, []);
      const { alertId, ...told } = alert!;
      assert.deepEqual(told, {
        sourceId,
        topic: "health",
        status: "failing",
        was: "receiving",
        since: NOW,
        tries: 1,
      });
      assert.deepEqual(await take(ledger, NOW + MINUTE - 1), []);
      assert.deepEqual(
        (await take(ledger, NOW + MINUTE)).map(({ tries }) => tries),
        [2],
      );
      assert.deepEqual(
        (await take(ledger, NOW + 3 * MINUTE)).map(({ tries }) => tries),
        [3],
      );
      await see(ledger, sourceId, "failing", "quiet");
      await ledger.finishAlert({ sourceId, alertId });
      const [next] = await take(ledger);
      assert.deepEqual([next?.status, next?.was, next?.tries], ["quiet", "failing", 1]);
      await ledger.finishAlert({ sourceId, alertId: next!.alertId });
      assert.deepEqual(await take(ledger, NOW + HOUR), []);
    });

    test("count recent successes and failures", async (ledger) => {
      const count = (sourceId: string, hour: number, of: string) => ({
        sourceId,
        hour,
        name: of,
        count: 2,
        lastSeenAt: hour + 5,
      });
      const counts = [
        count("src_1", NOW, "failed"),
        count("src_1", NOW - HOUR, "failed"),
        count("src_1", NOW - 2 * HOUR, "failed"),
        count("src_1", NOW, "origin_not_allowed"),
        count("src_2", NOW, "succeeded"),
      ];
      await ledger.recordAttempts({ rows: [], counts });
      const found = await ledger.recentAttemptCounts({ sinceHour: NOW - HOUR });
      assert.deepEqual(
        found.map((row) => ({ ...row })).sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1)),
        [
          { sourceId: "src_1", hour: NOW - HOUR, name: "failed", count: 4, lastSeenAt: NOW + 5 },
          { sourceId: "src_2", hour: NOW - HOUR, name: "succeeded", count: 2, lastSeenAt: NOW + 5 },
        ],
      );
    });
  });
}
