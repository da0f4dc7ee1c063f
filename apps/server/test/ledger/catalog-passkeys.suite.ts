/** Passkeys and their challenges, as every engine stores them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Catalog } from "../../src/ledger/ledger.ts";
import type { PasskeyRecord } from "../../src/ledger/records.ts";
import { aMember, catalogSamples, fresh, NOW } from "./catalog-samples.ts";

const MINUTE = 60_000;

/** @param catalog asked for in each test */
export function catalogPasskeysSuite(catalog: () => Catalog): void {
  const { by, workspace, actions } = catalogSamples(catalog);

  async function stored(over: Partial<PasskeyRecord> = {}): Promise<PasskeyRecord> {
    const passkey: PasskeyRecord = {
      passkeyId: fresh("pky"),
      userId: fresh("usr"),
      host: "stats.example.com",
      credentialId: fresh("credential"),
      publicKey: "key",
      counter: 0,
      name: "Laptop",
      createdAt: NOW,
      lastUsedAt: null,
      ...over,
    };
    assert.equal(await catalog().addPasskey({ ...by, passkey }), "added");
    return passkey;
  }
  const use = ({ passkeyId }: PasskeyRecord, counter: number, now = NOW) => {
    const tokenId = fresh("tok");
    const token = { tokenId, hash: `hash-${tokenId}`, hint: "last", label: "Console" };
    return catalog().signInWithPasskey({ passkeyId, counter, token, expiresAt: now + MINUTE, now });
  };

  describe("passkeys", () => {
    it("are found by their credential, which belongs to one person, and listed for the person", async () => {
      const passkey = await stored();
      const { credentialId, userId } = passkey;
      assert.deepEqual(await catalog().passkeyOfCredential({ credentialId }), passkey);
      assert.equal(await catalog().passkeyOfCredential({ credentialId: "none" }), null);
      const taken = { ...passkey, passkeyId: fresh("pky"), userId: fresh("usr") };
      assert.equal(await catalog().addPasskey({ ...by, passkey: taken }), "exists");
      const newer = await stored({ userId, createdAt: NOW + 1 });
      assert.deepEqual(await catalog().passkeys({ userId }), [newer, passkey]);
      assert.deepEqual(await catalog().passkeys({ userId: taken.userId }), []);
    });

    it("are known by their host", async () => {
      const { host } = await stored({ host: `${fresh("host")}.example.com` });
      assert.equal(await catalog().hasPasskeys({ host }), true);
      assert.equal(await catalog().hasPasskeys({ host: "other.example.com" }), false);
    });

    it("begin a session only with a counter that grows, or with none", async () => {
      const counted = await stored();
      assert.equal((await use(counted, 0))?.scope, "console", "no counter yet");
      assert.equal((await use(counted, 5, NOW + 1))?.userId, counted.userId);
      for (const counter of [5, 4, 0]) assert.equal(await use(counted, counter), null);
      const [{ counter, lastUsedAt } = counted] = await catalog().passkeys(counted);
      assert.deepEqual([counter, lastUsedAt], [5, NOW + 1]);
      const once = await stored();
      const both = await Promise.all([use(once, 1), use(once, 1)]);
      assert.equal(both.filter((token) => token !== null).length, 1, "two answers with one counter");
    });

    it("end with their removal, which only their person can ask for", async () => {
      const passkey = await stored();
      const { passkeyId, userId } = passkey;
      await catalog().removePasskey({ ...by, passkeyId, userId: fresh("usr") });
      assert.notEqual(await use(passkey, 1), null);
      await catalog().removePasskey({ ...by, passkeyId, userId });
      assert.equal(await use(passkey, 2), null);
    });

    it("end when their person leaves the last workspace; the logs have each change", async () => {
      const member = aMember();
      const { userId } = member;
      const [first, second] = [await workspace(), await workspace()];
      for (const organizationId of [first, second])
        await catalog().addMember({ ...by, organizationId, member });
      const { passkeyId } = await stored({ userId });
      await catalog().removePasskey({ ...by, userId, passkeyId });
      await stored({ userId });
      await catalog().removeMember({ ...by, organizationId: first, userId });
      assert.equal((await catalog().passkeys({ userId })).length, 1);
      await catalog().removeMember({ ...by, organizationId: second, userId });
      assert.deepEqual(await catalog().passkeys({ userId }), []);
      assert.deepEqual((await actions(first)).slice(0, 4), [
        "member.removed",
        "person.passkey_added",
        "person.passkey_removed",
        "person.passkey_added",
      ]);
    });
  });

  describe("challenges of passkeys", () => {
    const create = async (userId: string | null, now = NOW) => {
      const hash = fresh("challenge");
      await catalog().createPasskeyChallenge({ hash, userId, expiresAt: now + MINUTE, now });
      return hash;
    };
    const take = (hash: string, userId: string | null, now = NOW) =>
      catalog().takePasskeyChallenge({ hash, userId, now });

    it("work once, for their purpose and their person, until they expire", async () => {
      const userId = fresh("usr");
      const own = await create(userId);
      assert.equal(await take(own, userId), true);
      assert.equal(await take(own, userId), false);
      assert.equal(await take(await create(userId), fresh("usr")), false);
      assert.equal(await take(await create(userId), null), false);
      assert.equal(await take(await create(null), userId), false);
      const open = await create(null);
      assert.equal(await take(open, null, NOW + MINUTE), false);
      assert.equal(await take(await create(null), null, NOW + MINUTE - 1), true);
    });

    it("of one person are five at most: a further one ends the oldest", async () => {
      const userId = fresh("usr");
      const other = await create(null, NOW - 1);
      const made: string[] = [];
      for (let index = 0; index < 6; index += 1) made.push(await create(userId, NOW + index));
      const taken = [];
      for (const hash of made) taken.push(await take(hash, userId));
      assert.deepEqual(taken, [false, true, true, true, true, true]);
      assert.equal(await take(other, null), true);
    });
  });
}
