/** Tests of sessions and of sources by their public keys, for every ledger. */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { LIMITS } from "@headwater/contract/limits";
import type { SessionRecord } from "../../src/ledger/records.ts";
import {
  ACTOR,
  aCommit,
  aSession,
  entries,
  fresh,
  MINUTE,
  type NewHome,
  NOW,
  sessionOf,
  testerOf,
  withSource,
} from "./ledger-home.suite.ts";

export function sessionSuite(name: string, newHome: NewHome): void {
  const test = testerOf(newHome);

  describe(`sessions in ${name}`, () => {
    test("are returned as they were created, for their own source only", async (ledger) => {
      const session = aSession({ userId: "user ✓", anonymousId: "вася" });
      await ledger.commit(aCommit({ bootstrap: true, open: [session] }));
      assert.deepEqual({ ...(await sessionOf(ledger, session)) }, session);
      assert.equal(await sessionOf(ledger, { sourceId: "src_2", sessionId: session.sessionId }), undefined);
      assert.equal(await sessionOf(ledger, { sourceId: "src_1", sessionId: "ses_never" }), undefined);
    });

    test("are found together, each once, without those that do not exist", async (ledger) => {
      const open = Array.from({ length: 3 }, () => aSession());
      await ledger.commit(aCommit({ open }));
      const ids = open.map(({ sessionId }) => sessionId);
      const invented = Array.from({ length: 500 }, (_, at) => `ses_${at}`);
      const sessionIds = [...ids, ...invented];
      const sessions = await ledger.sessionsById({ sourceId: "src_1", sessionIds });
      assert.deepEqual(sessions.map(({ sessionId }) => sessionId).sort(), ids.sort());
      assert.deepEqual(await ledger.sessionsById({ sourceId: "src_2", sessionIds }), []);
    });

    test("are found by their visitors together, of each the one that was last active", async (ledger) => {
      const of = (anonymousId: string, minute: number, over: Partial<SessionRecord> = {}) =>
        aSession({ anonymousId, sessionId: fresh("sesv"), lastActivityAt: NOW + minute * MINUTE, ...over });
      const [early, late, other] = [of("one", 1), of("one", 2), of("other", 1)];
      const opened = of("third", 3, { sessionId: fresh("ses") });
      await ledger.commit(aCommit({ open: [late, early, other, opened] }));
      const invented = Array.from({ length: 500 }, (_, at) => `visitor_${at}`);
      const find = async (sourceId: string) =>
        (await ledger.latestSessions({ sourceId, anonymousIds: [...invented, "other", "one", "third"] }))
          .map((session) => ({ ...session }))
          .sort((a, b) => b.lastActivityAt - a.lastActivityAt);
      assert.deepEqual(await find("src_1"), [opened, late, other]);
      assert.deepEqual(await find("src_2"), []);
    });

    test("update their last activity on a bootstrap and on an accepted event, never to an earlier time", async (ledger) => {
      const session = aSession();
      const { sessionId } = session;
      const touch = [{ sessionId, userId: null }];
      const [a] = entries(1);
      const activity = async () => (await sessionOf(ledger, session))?.lastActivityAt;
      await ledger.commit(aCommit({ open: [session] }));
      await ledger.commit(aCommit({ bootstrap: true, touch, receivedAt: NOW + MINUTE }));
      assert.equal(await activity(), NOW + MINUTE);
      await ledger.commit(aCommit({ entries: [a!], touch, receivedAt: NOW + 2 * MINUTE }));
      assert.equal(await activity(), NOW + 2 * MINUTE);
      await ledger.commit(aCommit({ entries: [a!], touch, receivedAt: NOW + 3 * MINUTE }));
      assert.equal(await activity(), NOW + 2 * MINUTE, "a batch of duplicates is not activity");
      await ledger.commit(aCommit({ entries: entries(1), touch, receivedAt: NOW }));
      assert.equal(await activity(), NOW + 2 * MINUTE, "a request that took long sets nothing back");
    });

    test("store the user that a request names, and keep it when a request names none", async (ledger) => {
      const session = aSession();
      const { sessionId } = session;
      const userId = async () => (await sessionOf(ledger, session))?.userId;
      const touchedBy = (user: string | null) =>
        ledger.commit(aCommit({ bootstrap: true, touch: [{ sessionId, userId: user }] }));
      await ledger.commit(aCommit({ open: [session] }));
      assert.equal(await userId(), null);
      await touchedBy("user_1");
      await touchedBy(null);
      assert.equal(await userId(), "user_1");
      await touchedBy("user_2");
      assert.equal(await userId(), "user_2");
    });

    test("that do not exist are ignored in a commit", async (ledger) => {
      const touch = [{ sessionId: "ses_never", userId: "user_1" }];
      await ledger.commit(aCommit({ bootstrap: true, touch }));
      assert.equal(await sessionOf(ledger, { sourceId: "src_1", sessionId: "ses_never" }), undefined);
    });

    test("are deleted nine days after their last activity, and not before", async (ledger) => {
      const old = aSession();
      const kept = aSession();
      const touch = [{ sessionId: kept.sessionId, userId: null }];
      await ledger.commit(aCommit({ open: [old] }));
      await ledger.commit(aCommit({ open: [kept] }));
      await ledger.commit(aCommit({ bootstrap: true, touch, receivedAt: NOW + MINUTE }));
      const end = NOW + LIMITS.sessionRetentionSeconds * 1_000;
      await ledger.maintain({ now: end });
      assert.ok(await sessionOf(ledger, old));
      await ledger.maintain({ now: end + 1 });
      assert.equal(await sessionOf(ledger, old), undefined);
      assert.ok(await sessionOf(ledger, kept));
    });

    test("that have expired are all deleted, even when they fill several slices", async (ledger) => {
      const sessions = Array.from({ length: 4_500 }, () => aSession());
      await Promise.all(sessions.slice(0, 900).map((open) => ledger.commit(aCommit({ open: [open] }))));
      for (let at = 900; at < sessions.length; at += 900) {
        await Promise.all(
          sessions.slice(at, at + 900).map((open) => ledger.commit(aCommit({ open: [open] }))),
        );
      }
      const end = NOW + LIMITS.sessionRetentionSeconds * 1_000 + 1;
      for (let turn = 0; turn < 4; turn++) await ledger.maintain({ now: end });
      for (const session of [sessions[0]!, sessions[2_222]!, sessions.at(-1)!]) {
        assert.equal(await sessionOf(ledger, session), undefined);
      }
    });
  });

  describe(`a source by its public key in ${name}`, () => {
    test("is found by its current, previous and retired keys", async (ledger) => {
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

    test("equals the catalog's source, and is unknown after deletion", async (ledger) => {
      const source = await withSource(ledger, { isActive: false, allowedOrigins: ["*"] });
      const find = () => ledger.sourceByKey({ publicKey: source.publicKey, now: NOW });
      assert.deepEqual((await find())?.source, await ledger.source({ sourceId: source.sourceId, now: NOW }));
      await ledger.deleteSource({ actor: ACTOR, now: NOW, sourceId: source.sourceId });
      assert.equal(await find(), null);
      assert.equal(await ledger.sourceByKey({ publicKey: "pk_never", now: NOW }), null);
    });
  });
}
