/** What the hot verbs of every ledger must do, whichever engine keeps it: run by each adapter's own test. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { DEDUP_WINDOW_SECONDS, LIMITS } from "@headwater/contract/limits";
import type { Ledger } from "./ledger.ts";
import { ledgerModelSuite } from "./ledger-model.suite.ts";
import type { Commit, SessionRecord, SourceRecord } from "./records.ts";

/** One empty store that may be opened, closed and opened again. */
export interface LedgerHome {
  open(now: number): Promise<Ledger>;
  remove(): Promise<void>;
}

const NOW = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;
const DAY = 86_400_000;
const ORGANIZATION = "org_1";
const ACTOR = { userId: "usr_1", tokenId: null };

let numbered = 0;
const fresh = (prefix: string) => `${prefix}_${++numbered}`;
export const keyOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);
const entry = (id: string) => ({ key: keyOf(id), json: JSON.stringify({ id, text: "ünï ✓" }) });
const entries = (count: number) => Array.from({ length: count }, () => entry(fresh("event")));

export const aCommit = (over: Partial<Commit> = {}): Commit => ({
  sourceId: "src_1",
  receivedAt: NOW,
  bootstrap: false,
  open: null,
  touch: [],
  entries: [],
  ...over,
});
const aSession = (over: Partial<SessionRecord> = {}): SessionRecord => ({
  sourceId: "src_1",
  sessionId: fresh("ses"),
  anonymousId: "visitor",
  userId: null,
  startedAt: NOW,
  lastActivityAt: NOW,
  landing: '{"url":"https://shop.example/ünï"}',
  ...over,
});
const aSource = (over: Partial<SourceRecord> = {}): SourceRecord => ({
  sourceId: fresh("src"),
  organizationId: ORGANIZATION,
  name: "Shop",
  slug: fresh("shop").replace("_", "-"),
  publicKey: fresh("pk"),
  previousKeyExpiresAt: null,
  publicKeyRotatedAt: null,
  allowedOrigins: ["https://shop.example"],
  frameworkHint: null,
  isActive: true,
  requireOrigin: true,
  limits: { maxBatchSize: null, maxPayloadBytes: null, clientRatePerSecond: null },
  lastBootstrapAt: null,
  lastEventAt: null,
  createdAt: NOW,
  updatedAt: NOW,
  ...over,
});

/** @param newHome a home of its own for each test */
export function ledgerSuite(name: string, newHome: () => Promise<LedgerHome>): void {
  const test = (title: string, run: (ledger: Ledger, home: LedgerHome) => Promise<void>) =>
    it(title, async () => {
      const home = await newHome();
      const ledger = await home.open(NOW);
      try {
        await run(ledger, home);
      } finally {
        await ledger.close();
        await home.remove();
      }
    });
  const outcomes = async (ledger: Ledger, commit: Partial<Commit>) => [
    ...(await ledger.commit(aCommit(commit))),
  ];
  const withSource = async (ledger: Ledger, over: Partial<SourceRecord> = {}) => {
    const source = aSource(over);
    await ledger.createSource({ actor: ACTOR, now: NOW, source, slugGiven: true });
    return source;
  };
  const usageOf = (ledger: Ledger) =>
    ledger.usage({ organizationId: ORGANIZATION, from: "2026-01-01", to: "2027-12-31" });
  const outboxEvents = async (ledger: Ledger) => (await ledger.probe({ now: NOW })).outboxEvents;

  describe(`commit in ${name}`, () => {
    test("answers for each entry in order, and stores what is new", async (ledger) => {
      const [a, b, c, d] = entries(4);
      assert.deepEqual(await outcomes(ledger, { entries: [b!, d!] }), [1, 1]);
      assert.deepEqual(await outcomes(ledger, { entries: [a!, b!, c!, d!] }), [1, 0, 1, 0]);
      assert.equal(await outboxEvents(ledger), 4);
    });

    test("takes the first of two with the same key in one batch", async (ledger) => {
      const [a, b] = entries(2);
      assert.deepEqual(await outcomes(ledger, { entries: [a!, b!, a!, a!] }), [1, 1, 0, 0]);
      assert.equal(await outboxEvents(ledger), 2);
    });

    test("of the same batch sent many times at once accepts each entry exactly once", async (ledger) => {
      const batch = entries(7);
      const all = await Promise.all(
        Array.from({ length: 50 }, () => outcomes(ledger, { entries: [...batch] })),
      );
      for (const index of batch.keys()) assert.equal(all.filter((one) => one[index] === 1).length, 1);
      assert.equal(await outboxEvents(ledger), batch.length);
    });

    test("answers each of many concurrent batches with its own outcomes", async (ledger) => {
      const batches = Array.from({ length: 60 }, (_, index) => entries(index % 7));
      await ledger.commit(aCommit({ entries: batches.flatMap((batch) => batch.slice(0, 2)) }));
      const all = await Promise.all(batches.map((batch) => outcomes(ledger, { entries: batch })));
      assert.deepEqual(
        all,
        batches.map((batch) => batch.map((_, index) => (index < 2 ? 0 : 1))),
      );
    });

    test("without entries is no event, and answers with nothing", async (ledger) => {
      assert.deepEqual(await outcomes(ledger, {}), []);
      assert.equal(await outboxEvents(ledger), 0);
    });

    test("counts acceptances and bootstraps by source and UTC day in the same transaction", async (ledger) => {
      const { sourceId } = await withSource(ledger);
      const other = await withSource(ledger);
      const [a, b, c] = entries(3);
      const midnight = Date.UTC(2026, 10, 22);
      await Promise.all([
        ledger.commit(aCommit({ sourceId, bootstrap: true, entries: [a!], receivedAt: midnight - 1 })),
        ledger.commit(aCommit({ sourceId, entries: [b!, b!], receivedAt: midnight })),
        ledger.commit(aCommit({ sourceId: other.sourceId, entries: [c!], receivedAt: midnight })),
      ]);
      await ledger.commit(aCommit({ sourceId, entries: [a!, b!], receivedAt: midnight + 5 }));
      const rows = (await usageOf(ledger)).map(({ sourceId: of, day, accepted, bootstraps }) =>
        [of === sourceId ? "one" : "two", day, accepted, bootstraps].join(" "),
      );
      assert.deepEqual(rows.sort(), ["one 2026-11-21 1 1", "one 2026-11-22 1 0", "two 2026-11-22 1 0"]);
    });

    test("notes the source's last bootstrap and last accepted event; a duplicate is neither", async (ledger) => {
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
      const { firstBootstrapAt, firstEventAt } = await ledger.onboarding({ organizationId: ORGANIZATION });
      assert.deepEqual([firstBootstrapAt, firstEventAt], [NOW + 1, NOW + 2]);
    });

    test("is all or nothing: of a commit that fails nothing is there", async (ledger) => {
      const { sourceId } = await withSource(ledger);
      const session = aSession({ sourceId });
      const [a, b] = entries(2);
      await ledger.commit(aCommit({ sourceId, open: session }));
      const again = aCommit({ sourceId, bootstrap: true, open: session, entries: [a!, b!] });
      await assert.rejects(ledger.commit(again), { name: "StorageError" });
      assert.equal(await outboxEvents(ledger), 0);
      assert.deepEqual(await usageOf(ledger), []);
      assert.deepEqual(await outcomes(ledger, { sourceId, entries: [a!, b!] }), [1, 1]);
    });

    test("is kept when the ledger is closed and opened again", async (ledger, home) => {
      const batch = entries(3);
      const session = aSession();
      await ledger.commit(aCommit({ entries: batch, open: session }));
      await ledger.close();
      const again = await home.open(NOW + DAY);
      try {
        assert.deepEqual(await outcomes(again, { entries: batch }), [0, 0, 0]);
        assert.deepEqual({ ...(await again.session(session)) }, session);
        assert.equal(await outboxEvents(again), 3);
      } finally {
        await again.close();
      }
    });
  });

  describe(`sessions in ${name}`, () => {
    test("come back as they were opened, to their own source only", async (ledger) => {
      const session = aSession({ userId: "user ✓", anonymousId: "вася" });
      await ledger.commit(aCommit({ bootstrap: true, open: session }));
      assert.deepEqual({ ...(await ledger.session(session)) }, session);
      assert.equal(await ledger.session({ sourceId: "src_2", sessionId: session.sessionId }), null);
      assert.equal(await ledger.session({ sourceId: "src_1", sessionId: "ses_never" }), null);
    });

    test("live on by a bootstrap and by an accepted event, never backwards", async (ledger) => {
      const session = aSession();
      const { sessionId } = session;
      const touch = [{ sessionId, userId: null }];
      const [a] = entries(1);
      const activity = async () => (await ledger.session(session))?.lastActivityAt;
      await ledger.commit(aCommit({ open: session }));
      await ledger.commit(aCommit({ bootstrap: true, touch, receivedAt: NOW + MINUTE }));
      assert.equal(await activity(), NOW + MINUTE);
      await ledger.commit(aCommit({ entries: [a!], touch, receivedAt: NOW + 2 * MINUTE }));
      assert.equal(await activity(), NOW + 2 * MINUTE);
      await ledger.commit(aCommit({ entries: [a!], touch, receivedAt: NOW + 3 * MINUTE }));
      assert.equal(await activity(), NOW + 2 * MINUTE, "a batch of duplicates is no activity");
      await ledger.commit(aCommit({ entries: entries(1), touch, receivedAt: NOW }));
      assert.equal(await activity(), NOW + 2 * MINUTE, "a request that took long sets nothing back");
    });

    test("take a user when one is named, and keep it when none is", async (ledger) => {
      const session = aSession();
      const { sessionId } = session;
      const userId = async () => (await ledger.session(session))?.userId;
      const touchedBy = (user: string | null) =>
        ledger.commit(aCommit({ bootstrap: true, touch: [{ sessionId, userId: user }] }));
      await ledger.commit(aCommit({ open: session }));
      assert.equal(await userId(), null);
      await touchedBy("user_1");
      await touchedBy(null);
      assert.equal(await userId(), "user_1");
      await touchedBy("user_2");
      assert.equal(await userId(), "user_2");
    });

    test("that do not exist are touched without harm", async (ledger) => {
      const touch = [{ sessionId: "ses_never", userId: "user_1" }];
      await ledger.commit(aCommit({ bootstrap: true, touch }));
      assert.equal(await ledger.session({ sourceId: "src_1", sessionId: "ses_never" }), null);
    });

    test("are deleted nine days after their last activity, and not before", async (ledger) => {
      const old = aSession();
      const kept = aSession();
      const touch = [{ sessionId: kept.sessionId, userId: null }];
      await ledger.commit(aCommit({ open: old }));
      await ledger.commit(aCommit({ open: kept }));
      await ledger.commit(aCommit({ bootstrap: true, touch, receivedAt: NOW + MINUTE }));
      const end = NOW + LIMITS.sessionRetentionSeconds * 1_000;
      await ledger.maintain({ now: end });
      assert.ok(await ledger.session(old));
      await ledger.maintain({ now: end + 1 });
      assert.equal(await ledger.session(old), null);
      assert.ok(await ledger.session(kept));
    });

    test("beyond one slice are all deleted in the end", async (ledger) => {
      const sessions = Array.from({ length: 4_500 }, () => aSession());
      await Promise.all(sessions.slice(0, 900).map((open) => ledger.commit(aCommit({ open }))));
      for (let at = 900; at < sessions.length; at += 900) {
        await Promise.all(sessions.slice(at, at + 900).map((open) => ledger.commit(aCommit({ open }))));
      }
      const end = NOW + LIMITS.sessionRetentionSeconds * 1_000 + 1;
      for (let turn = 0; turn < 4; turn++) await ledger.maintain({ now: end });
      for (const session of [sessions[0]!, sessions[2_222]!, sessions.at(-1)!]) {
        assert.equal(await ledger.session(session), null);
      }
    });
  });

  describe(`a source by its public key in ${name}`, () => {
    test("is found by its current key, by a previous one in its grace, and by retired ones", async (ledger) => {
      const source = await withSource(ledger);
      const find = (publicKey: string, now: number) => ledger.sourceByKey({ publicKey, now });
      const keys = [source.publicKey, fresh("pk"), fresh("pk")] as const;
      const states = async (now: number) =>
        Promise.all(keys.map(async (key) => (await find(key, now))?.keyState ?? null));
      assert.deepEqual(await states(NOW), ["current", null, null]);
      const rotate = (publicKey: string, graceMs: number) =>
        ledger.rotateKey({ actor: ACTOR, now: NOW, sourceId: source.sourceId, publicKey, graceMs });
      await rotate(keys[1], MINUTE);
      assert.deepEqual(await states(NOW), ["previous", "current", null]);
      assert.equal((await find(keys[0], NOW))?.keyExpiresAt, NOW + MINUTE);
      assert.deepEqual(await states(NOW + MINUTE), ["retired", "current", null]);
      await rotate(keys[2], 0);
      assert.deepEqual(await states(NOW), ["retired", "retired", "current"]);
      assert.equal((await find(keys[0], NOW))?.source.sourceId, source.sourceId);
    });

    test("comes as the register has it, and is gone when deleted", async (ledger) => {
      const source = await withSource(ledger, { isActive: false, allowedOrigins: ["*"] });
      const find = () => ledger.sourceByKey({ publicKey: source.publicKey, now: NOW });
      assert.deepEqual((await find())?.source, await ledger.source({ sourceId: source.sourceId, now: NOW }));
      await ledger.deleteSource({ actor: ACTOR, now: NOW, sourceId: source.sourceId });
      assert.equal(await find(), null);
      assert.equal(await ledger.sourceByKey({ publicKey: "pk_never", now: NOW }), null);
    });
  });

  describe(`upkeep of ${name}`, () => {
    const WINDOW = DEDUP_WINDOW_SECONDS * 1_000;

    test("keeps every key for the whole window that the debug view promises", async (ledger) => {
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

    test("forgets keys at last, so that their number is bounded", async (ledger) => {
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

    test("tells what waits in the outbox and what is free on the disk", async (ledger) => {
      const before = await ledger.probe({ now: NOW });
      await ledger.commit(aCommit({ entries: entries(5) }));
      const after = await ledger.probe({ now: NOW + 1 });
      assert.deepEqual([before.outboxEvents, before.outboxBytes, after.outboxEvents], [0, 0, 5]);
      assert.ok(after.outboxBytes > 0 && after.freeBytes > 0);
    });
  });

  ledgerModelSuite(name, newHome);
}
