/** What every register must do, whichever engine keeps it: run by each adapter's own test. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Register } from "./ledger.ts";
import type { OrganizationRecord, SourceRecord } from "./records.ts";
import { registerBoundsSuite } from "./register-bounds.suite.ts";
import { aMember, aSource, aToken, fresh, NOW, OWNER } from "./register-samples.ts";

const DAY = 86_400_000;

/** @param open an empty register of its own */
export function registerSuite(open: () => Promise<{ ledger: Register; close(): Promise<void> }>): void {
  let ledger: Register;
  let close: () => Promise<void>;
  before(async () => {
    ({ ledger, close } = await open());
  });
  after(() => close());

  const by = { actor: OWNER, now: NOW };
  async function workspace(): Promise<string> {
    const organizationId = fresh("org");
    await ledger.createOrganization({ ...by, organizationId, name: "Workspace" });
    return organizationId;
  }
  async function stored(source: SourceRecord, slugGiven = false): Promise<SourceRecord> {
    const made = await ledger.createSource({ ...by, source, slugGiven });
    assert.ok(typeof made === "object", `createSource answered ${String(made)}`);
    return made;
  }
  const page = (organizationId: string, cursor: string | null = null, limit = 100) => ({
    organizationId,
    cursor,
    limit,
  });
  const actions = async (organizationId: string) =>
    (await ledger.audit(page(organizationId))).rows.map((entry) => entry.action);

  describe("the first start", () => {
    const first = {
      organizationId: "org_first",
      organizationName: "First",
      userId: OWNER.userId,
      token: { tokenId: "tok_first", hash: "hash-first", hint: "last", label: "owner" },
      signIn: { codeHash: "code-first", expiresAt: NOW + 600_000 },
      now: NOW,
    };
    const exchange = (codeHash: string, now = NOW) => {
      const tokenId = fresh("tok");
      return { codeHash, token: { tokenId, hash: `hash-${tokenId}`, hint: "last", label: "console" }, now };
    };

    it("makes a workspace, its owner and a token for all of the owner's workspaces, once", async () => {
      assert.equal(await ledger.setUp(first), true);
      assert.equal(await ledger.roleOf({ userId: OWNER.userId, organizationId: "org_first" }), "owner");
      const token = await ledger.tokenByHash({ hash: "hash-first" });
      assert.equal(token?.organizationId, null);
      assert.equal(token?.userId, OWNER.userId);
      assert.equal(await ledger.setUp({ ...first, organizationId: "org_second" }), false);
      assert.equal(await ledger.roleOf({ userId: OWNER.userId, organizationId: "org_second" }), null);
      assert.deepEqual(await actions("org_first"), ["token.created", "organization.created"]);
    });

    it("takes the one-time code once, and not after its time", async () => {
      assert.equal(await ledger.signIn(exchange("code-other")), "unknown");
      const asked = exchange("code-first");
      const token = await ledger.signIn(asked);
      assert.ok(typeof token === "object");
      assert.equal(token.userId, OWNER.userId);
      assert.deepEqual(await ledger.tokenByHash({ hash: asked.token.hash }), token);
      assert.equal(await ledger.signIn(exchange("code-first")), "unknown");
    });
  });

  describe("organizations", () => {
    it("lists the workspaces of a user with the role in each", async () => {
      const userId = fresh("usr");
      const own = fresh("org");
      await ledger.createOrganization({
        actor: { userId, tokenId: null },
        now: NOW,
        organizationId: own,
        name: "Own",
      });
      const other = await workspace();
      await ledger.addMember({
        ...by,
        organizationId: other,
        member: aMember({ userId, role: "developer" }),
      });
      const listed = await ledger.organizationsOf({ userId });
      assert.deepEqual(
        new Map(listed.map((one) => [one.organizationId, one])),
        new Map([
          [own, { organizationId: own, name: "Own", role: "owner" }],
          [other, { organizationId: other, name: "Workspace", role: "developer" }],
        ]),
      );
    });

    it("are made for another owner than who makes them, and all of them listed with their sizes", async () => {
      const owned = { organizationId: fresh("org"), name: "Owned", owner: fresh("usr") };
      await ledger.createOrganization({ ...by, ...owned });
      assert.equal(
        await ledger.roleOf({ organizationId: owned.organizationId, userId: owned.owner }),
        "owner",
      );
      assert.equal(await ledger.roleOf({ organizationId: owned.organizationId, userId: OWNER.userId }), null);
      await stored(aSource(owned.organizationId));
      const gone = await stored(aSource(owned.organizationId));
      await ledger.deleteSource({ ...by, sourceId: gone.sourceId });
      const all: OrganizationRecord[] = [];
      let cursor: string | null = null;
      do {
        const { rows, nextCursor } = await ledger.organizations({ limit: 2, cursor });
        all.push(...rows);
        cursor = nextCursor;
      } while (cursor !== null);
      assert.deepEqual(
        all.filter(({ organizationId }) => organizationId === owned.organizationId),
        [{ organizationId: owned.organizationId, name: "Owned", members: 1, sources: 1, createdAt: NOW }],
      );
      assert.equal(new Set(all.map(({ organizationId }) => organizationId)).size, all.length);
    });

    it("knows no role in a workspace that does not exist, nor for who is no member", async () => {
      assert.equal(await ledger.roleOf({ userId: OWNER.userId, organizationId: "org_nowhere" }), null);
      assert.equal(await ledger.roleOf({ userId: "usr_stranger", organizationId: await workspace() }), null);
    });
  });

  describe("members", () => {
    it("are added once and paged without gaps", async () => {
      const organizationId = await workspace();
      const member = aMember({ name: "Ada", email: "ada@example.com" });
      assert.deepEqual(await ledger.addMember({ ...by, organizationId, member }), member);
      assert.equal(await ledger.addMember({ ...by, organizationId, member }), "exists");
      await ledger.addMember({ ...by, organizationId, member: aMember() });
      const one = await ledger.members(page(organizationId, null, 2));
      const two = await ledger.members(page(organizationId, one.nextCursor, 2));
      assert.equal(two.nextCursor, null);
      const all = [...one.rows, ...two.rows];
      assert.equal(new Set(all.map((row) => row.userId)).size, 3);
      assert.deepEqual(
        all.find((row) => row.userId === member.userId),
        member,
      );
    });

    it("have in each workspace the name and e-mail that it gave them", async () => {
      const here = await workspace();
      const there = await workspace();
      const ada = aMember({ name: "Ada", email: "ada@example.com" });
      const eve = { ...ada, name: "Eve", email: null };
      assert.deepEqual(await ledger.addMember({ ...by, organizationId: here, member: ada }), ada);
      assert.deepEqual(await ledger.addMember({ ...by, organizationId: there, member: eve }), eve);
      const shown = async (organizationId: string) =>
        (await ledger.members(page(organizationId))).rows.find(({ userId }) => userId === ada.userId);
      assert.deepEqual([await shown(here), await shown(there)], [ada, eve]);
    });

    it("change their role, and the change is in the log", async () => {
      const organizationId = await workspace();
      const member = aMember();
      await ledger.addMember({ ...by, organizationId, member });
      const changed = await ledger.changeRole({
        ...by,
        organizationId,
        userId: member.userId,
        role: "admin",
      });
      assert.deepEqual(changed, { ...member, role: "admin" });
      const [entry] = (await ledger.audit(page(organizationId))).rows;
      assert.equal(entry?.action, "member.role_changed");
      assert.deepEqual([entry?.before, entry?.after], [{ role: "viewer" }, { role: "admin" }]);
      assert.equal(
        await ledger.changeRole({ ...by, organizationId, userId: "usr_no", role: "admin" }),
        "unknown",
      );
    });

    it("leave no workspace without an owner, even two at once", async () => {
      const organizationId = await workspace();
      const owner = { ...by, organizationId, userId: OWNER.userId };
      assert.equal(await ledger.changeRole({ ...owner, role: "admin" }), "last_owner");
      assert.equal(await ledger.removeMember(owner), "last_owner");
      const second = aMember({ role: "owner" });
      await ledger.addMember({ ...by, organizationId, member: second });
      assert.equal(await ledger.changeRole({ ...owner, role: "owner" }).then((one) => typeof one), "object");
      const answers = [];
      for (const userId of [OWNER.userId, second.userId]) {
        answers.push(await ledger.removeMember({ ...by, organizationId, userId }));
      }
      assert.deepEqual(answers, ["removed", "last_owner"]);
    });

    it("lose their tokens of the workspace when removed, and no others", async () => {
      const organizationId = await workspace();
      const member = aMember();
      await ledger.addMember({ ...by, organizationId, member });
      const here = aToken({ userId: member.userId, organizationId });
      const everywhere = aToken({ userId: member.userId });
      const made = { ...by, auditOrganizationId: organizationId };
      await ledger.createToken({ ...made, hash: here.tokenId, token: here });
      await ledger.createToken({ ...made, hash: everywhere.tokenId, token: everywhere });
      assert.equal(await ledger.removeMember({ ...by, organizationId, userId: member.userId }), "removed");
      assert.equal((await ledger.tokenByHash({ hash: here.tokenId }))?.revokedAt, NOW);
      assert.equal((await ledger.tokenByHash({ hash: everywhere.tokenId }))?.revokedAt, null);
      assert.equal(await ledger.removeMember({ ...by, organizationId, userId: member.userId }), "unknown");
    });
  });

  describe("tokens", () => {
    it("for one source's numbers are listed by source, and revoked with it", async () => {
      const organizationId = await workspace();
      const { sourceId } = await stored(aSource(organizationId));
      const given = aToken({ organizationId, sourceId, ceiling: "viewer" });
      const other = aToken({ organizationId });
      for (const token of [given, other]) {
        const made = { ...by, auditOrganizationId: organizationId, hash: token.tokenId, token };
        assert.equal(await ledger.createToken(made), "created");
      }
      const listed = await ledger.tokens({ ...page(organizationId), wideOf: null, sourceId });
      assert.deepEqual(listed.rows, [given]);
      await ledger.deleteSource({ ...by, sourceId });
      assert.equal((await ledger.token({ tokenId: given.tokenId }))?.revokedAt, NOW);
      assert.equal((await ledger.token({ tokenId: other.tokenId }))?.revokedAt, null);
      const [deleted] = (await ledger.audit(page(organizationId))).rows;
      assert.deepEqual(deleted?.after, { revokedTokens: [given.tokenId] });
    });

    it("are found by their hash, and the hash is in no list and no log", async () => {
      const organizationId = await workspace();
      const token = aToken({ organizationId, ceiling: "admin", expiresAt: NOW + DAY });
      const hash = `secret-${token.tokenId}`;
      await ledger.createToken({ ...by, auditOrganizationId: organizationId, hash, token });
      assert.deepEqual(await ledger.tokenByHash({ hash }), token);
      assert.equal(await ledger.tokenByHash({ hash: "secret-other" }), null);
      assert.deepEqual(await ledger.token({ tokenId: token.tokenId }), token);
      assert.equal(await ledger.token({ tokenId: "tok_never" }), null);
      const listed = await ledger.tokens({ ...page(organizationId), wideOf: null, sourceId: null });
      assert.deepEqual(listed, { rows: [token], nextCursor: null });
      const logged = await ledger.audit(page(organizationId));
      assert.ok(!JSON.stringify([listed, logged]).includes(hash));
    });

    it("of all workspaces are listed for one user, for every member, or not at all", async () => {
      const organizationId = await workspace();
      const member = aMember();
      await ledger.addMember({ ...by, organizationId, member });
      const own = aToken({ organizationId, userId: member.userId });
      const wide = aToken({ userId: member.userId });
      const outside = aToken({ userId: "usr_outside" });
      for (const token of [own, wide, outside]) {
        await ledger.createToken({ ...by, auditOrganizationId: organizationId, hash: token.tokenId, token });
      }
      const listed = async (wideOf: Parameters<Register["tokens"]>[0]["wideOf"]) =>
        (await ledger.tokens({ ...page(organizationId), wideOf, sourceId: null })).rows;
      assert.deepEqual(await listed(null), [own]);
      assert.deepEqual(await listed({ userId: member.userId }), [own, wide]);
      const opening = await listed("members");
      assert.deepEqual(
        opening.filter(({ userId }) => userId !== OWNER.userId),
        [own, wide],
      );
      assert.ok(!opening.some(({ tokenId }) => tokenId === outside.tokenId));
    });

    it("are revoked once: later tries answer the first time, and the log has one entry", async () => {
      const organizationId = await workspace();
      const token = aToken({ organizationId });
      await ledger.createToken({ ...by, auditOrganizationId: organizationId, hash: token.tokenId, token });
      const revoked = { ...token, revokedAt: NOW + 1 };
      for (const now of [NOW + 1, NOW + 2]) {
        assert.deepEqual(await ledger.revokeToken({ actor: OWNER, now, tokenId: token.tokenId }), revoked);
      }
      assert.deepEqual(await ledger.tokenByHash({ hash: token.tokenId }), revoked);
      assert.equal((await actions(organizationId)).filter((action) => action === "token.revoked").length, 1);
      assert.equal(await ledger.revokeToken({ ...by, tokenId: "tok_never" }), "unknown");
    });

    it("of all workspaces are revoked in the log of each that they opened", async () => {
      const [one, two, other] = [await workspace(), await workspace(), await workspace()];
      const member = aMember();
      for (const organizationId of [one, two]) await ledger.addMember({ ...by, organizationId, member });
      const token = aToken({ userId: member.userId });
      await ledger.createToken({ ...by, auditOrganizationId: one, hash: token.tokenId, token });
      await ledger.revokeToken({ ...by, tokenId: token.tokenId });
      const last = await Promise.all(
        [one, two, other].map(async (organizationId) => (await actions(organizationId))[0]),
      );
      assert.deepEqual(last, ["token.revoked", "token.revoked", "organization.created"]);
    });

    it("keep the latest time of use, whichever is written last", async () => {
      const organizationId = await workspace();
      const token = aToken({ organizationId });
      await ledger.createToken({ ...by, auditOrganizationId: organizationId, hash: token.tokenId, token });
      await ledger.touchTokens([{ tokenId: token.tokenId, lastUsedAt: NOW + 5 }]);
      await ledger.touchTokens([{ tokenId: token.tokenId, lastUsedAt: NOW + 3 }]);
      await ledger.touchTokens([]);
      assert.equal((await ledger.tokenByHash({ hash: token.tokenId }))?.lastUsedAt, NOW + 5);
    });
  });

  describe("sources", () => {
    it("are read as they were made", async () => {
      const source = aSource(await workspace(), { slug: "shop-front", frameworkHint: "nextjs" });
      const made = await stored(source, true);
      assert.deepEqual(made, source);
      assert.deepEqual(await ledger.source({ sourceId: source.sourceId, now: NOW }), source);
      assert.equal(await ledger.source({ sourceId: "src_never", now: NOW }), null);
    });

    it("get a slug from their name, made unique in the workspace", async () => {
      const organizationId = await workspace();
      const slugs = [];
      for (const name of ["Café — Zürich!", "café zürich", "日本語", "  ", "CAFE-ZURICH"]) {
        slugs.push((await stored(aSource(organizationId, { name }))).slug);
      }
      assert.deepEqual(slugs, ["cafe-zurich", "cafe-zurich-2", "source", "source-2", "cafe-zurich-3"]);
      assert.equal((await stored(aSource(await workspace(), { name: "Café Zürich" }))).slug, "cafe-zurich");
    });

    it("with very long names get different slugs of at most 63 characters", async () => {
      const organizationId = await workspace();
      const one = await stored(aSource(organizationId, { name: "x".repeat(120) }));
      const two = await stored(aSource(organizationId, { name: "x".repeat(120) }));
      assert.equal(one.slug, "x".repeat(63));
      assert.equal(two.slug, `${"x".repeat(61)}-2`);
    });

    it("do not take a slug that is given and taken", async () => {
      const organizationId = await workspace();
      await stored(aSource(organizationId, { slug: "shop" }), true);
      const again = aSource(organizationId, { slug: "shop" });
      assert.equal(await ledger.createSource({ ...by, source: again, slugGiven: true }), "slug_taken");
      assert.equal(await ledger.source({ sourceId: again.sourceId, now: NOW }), null);
    });

    it("are paged in the order of their making", async () => {
      const organizationId = await workspace();
      const made: string[] = [];
      for (let at = 0; at < 5; at += 1)
        made.push((await stored(aSource(organizationId, { createdAt: NOW + at }))).sourceId);
      const given: string[] = [];
      let cursor: string | null = null;
      do {
        const { rows, nextCursor } = await ledger.sources(page(organizationId, cursor, 2));
        given.push(...rows.map((row) => row.sourceId));
        cursor = nextCursor;
      } while (cursor !== null);
      assert.deepEqual(given, made);
    });

    it("are all given, page by page, when some that were given are deleted meanwhile", async () => {
      const organizationId = await workspace();
      const made: string[] = [];
      for (let at = 0; at < 6; at += 1)
        made.push((await stored(aSource(organizationId, { createdAt: NOW + Math.floor(at / 3) }))).sourceId);
      const given: string[] = [];
      let cursor: string | null = null;
      do {
        const { rows, nextCursor } = await ledger.sources(page(organizationId, cursor, 2));
        for (const { sourceId } of rows) await ledger.deleteSource({ ...by, sourceId });
        given.push(...rows.map((row) => row.sourceId));
        cursor = nextCursor;
      } while (cursor !== null);
      assert.deepEqual(given.toSorted(), made.toSorted());
    });

    it("change in the supplied fields only", async () => {
      const source = await stored(
        aSource(await workspace(), { limits: { ...aSource("").limits, maxBatchSize: 7 } }),
      );
      const change = { allowedOrigins: ["*"], isActive: false, limits: { clientRatePerSecond: 9 } };
      const updated = await ledger.updateSource({
        actor: OWNER,
        now: NOW + 1,
        sourceId: source.sourceId,
        change,
      });
      const limits = { maxBatchSize: 7, maxPayloadBytes: null, clientRatePerSecond: 9 };
      const expected = { ...source, allowedOrigins: ["*"], isActive: false, limits, updatedAt: NOW + 1 };
      assert.deepEqual(updated, expected);
      assert.deepEqual(await ledger.source({ sourceId: source.sourceId, now: NOW }), expected);
      const [entry] = (await ledger.audit(page(source.organizationId))).rows;
      assert.equal(entry?.action, "source.updated");
      assert.deepEqual(entry?.before, {
        allowedOrigins: source.allowedOrigins,
        isActive: true,
        limits: source.limits,
      });
      assert.deepEqual(entry?.after, { allowedOrigins: ["*"], isActive: false, limits });
    });

    it("stay as they are, without an entry in the log, when a change changes nothing", async () => {
      const source = await stored(aSource(await workspace()));
      const same = { ...by, now: NOW + 9, sourceId: source.sourceId };
      assert.deepEqual(await ledger.updateSource({ ...same, change: {} }), source);
      assert.deepEqual(
        await ledger.updateSource({ ...same, change: { name: source.name, limits: {} } }),
        source,
      );
      assert.ok(!(await actions(source.organizationId)).includes("source.updated"));
    });

    it("keep their own slug and do not take another's", async () => {
      const organizationId = await workspace();
      const one = await stored(aSource(organizationId, { slug: "one" }), true);
      await stored(aSource(organizationId, { slug: "two" }), true);
      const change = (slug: string) =>
        ledger.updateSource({ ...by, sourceId: one.sourceId, change: { slug } });
      assert.equal(await change("two"), "slug_taken");
      assert.deepEqual(await change("one"), one);
      assert.equal(await ledger.updateSource({ ...by, sourceId: "src_never", change: {} }), "unknown");
    });

    it("are gone when deleted, and their slug is free", async () => {
      const source = await stored(aSource(await workspace(), { slug: "shop" }), true);
      const asked = { ...by, sourceId: source.sourceId };
      assert.equal(await ledger.deleteSource(asked), "deleted");
      assert.equal(await ledger.deleteSource(asked), "unknown");
      assert.equal(await ledger.source({ sourceId: source.sourceId, now: NOW }), null);
      assert.deepEqual((await ledger.sources(page(source.organizationId))).rows, []);
      assert.equal(await ledger.updateSource({ ...asked, change: { name: "x" } }), "unknown");
      assert.equal(await ledger.rotateKey({ ...asked, publicKey: fresh("pk"), graceMs: 0 }), "unknown");
      await stored(aSource(source.organizationId, { slug: "shop" }), true);
    });
  });

  describe("public keys", () => {
    const rotate = (sourceId: string, publicKey: string, graceMs: number, now = NOW) =>
      ledger.rotateKey({ actor: OWNER, now, sourceId, publicKey, graceMs });
    const restore = (sourceId: string, publicKey: string, now = NOW) =>
      ledger.restoreKey({ actor: OWNER, now, sourceId, publicKey, graceMs: DAY });

    it("are replaced at once without a grace period", async () => {
      const source = await stored(aSource(await workspace()));
      const rotated = await rotate(source.sourceId, "pk_new_1", 0, NOW + 1);
      const expected = { ...source, publicKey: "pk_new_1", publicKeyRotatedAt: NOW + 1, updatedAt: NOW + 1 };
      assert.deepEqual(rotated, expected);
      assert.deepEqual(await ledger.source({ sourceId: source.sourceId, now: NOW }), expected);
      const [entry] = (await ledger.audit(page(source.organizationId))).rows;
      assert.equal(entry?.action, "source.key_rotated");
      assert.deepEqual(entry?.before, { publicKey: source.publicKey });
    });

    it("are let in during the grace period, which is not shown once it is over", async () => {
      const source = await stored(aSource(await workspace()));
      const rotated = await rotate(source.sourceId, "pk_new_2", DAY);
      assert.ok(typeof rotated === "object");
      assert.equal(rotated.previousKeyExpiresAt, NOW + DAY);
      const shown = async (now: number) =>
        (await ledger.source({ sourceId: source.sourceId, now }))?.previousKeyExpiresAt;
      assert.equal(await shown(NOW + DAY - 1), NOW + DAY);
      assert.equal(await shown(NOW + DAY), null);
    });

    it("come back only when retired: neither current, nor let in, nor another source's", async () => {
      const organizationId = await workspace();
      const source = await stored(aSource(organizationId));
      const other = await stored(aSource(organizationId));
      assert.equal(await restore(source.sourceId, source.publicKey), "not_retired");
      await rotate(source.sourceId, "pk_new_3", DAY);
      assert.equal(await restore(source.sourceId, source.publicKey), "not_retired");
      assert.equal(await restore(source.sourceId, other.publicKey), "not_retired");
      assert.equal(await restore(source.sourceId, "pk_never"), "not_retired");
      assert.equal(await restore("src_never", source.publicKey), "unknown");
      const restored = await restore(source.sourceId, source.publicKey, NOW + DAY);
      assert.ok(typeof restored === "object");
      assert.equal(restored.previousKeyExpiresAt, NOW + 2 * DAY);
      assert.ok((await actions(organizationId)).includes("source.key_restored"));
    });

    it("have one previous at a time: a second rotation and a restoring retire the older", async () => {
      const source = await stored(aSource(await workspace()));
      const keys = [source.publicKey, fresh("pk"), fresh("pk")] as const;
      await rotate(source.sourceId, keys[1], DAY);
      await rotate(source.sourceId, keys[2], DAY);
      const restored = await restore(source.sourceId, keys[0]);
      assert.equal(typeof restored, "object", "the first key was retired by the second rotation");
      assert.equal(
        typeof (await restore(source.sourceId, keys[1])),
        "object",
        "the second by restoring the first",
      );
    });
  });

  describe("the log", () => {
    it("is given newest first, a page at a time, for one workspace", async () => {
      const organizationId = await workspace();
      for (let made = 0; made < 4; made += 1) await stored(aSource(organizationId));
      const one = await ledger.audit(page(organizationId, null, 3));
      const two = await ledger.audit(page(organizationId, one.nextCursor, 3));
      assert.deepEqual(
        [...one.rows, ...two.rows].map((entry) => entry.action),
        [...Array(4).fill("source.created"), "organization.created"],
      );
      assert.equal(two.nextCursor, null);
      assert.deepEqual(
        [one.rows[0]?.userId, one.rows[0]?.tokenId, one.rows[0]?.at, one.rows[0]?.before],
        [OWNER.userId, OWNER.tokenId, NOW, null],
      );
    });
  });

  describe("onboarding and usage", () => {
    it("show what was done, and complete once", async () => {
      const organizationId = await workspace();
      const empty = { sourceCreatedAt: null, firstBootstrapAt: null, firstEventAt: null, completedAt: null };
      assert.deepEqual(await ledger.onboarding({ organizationId }), empty);
      await stored(aSource(organizationId, { createdAt: NOW + 2 }));
      await ledger.completeOnboarding({ actor: OWNER, now: NOW + 3, organizationId });
      await ledger.completeOnboarding({ actor: OWNER, now: NOW + 4, organizationId });
      const done = { ...empty, sourceCreatedAt: NOW + 2, completedAt: NOW + 3 };
      assert.deepEqual(await ledger.onboarding({ organizationId }), done);
      assert.deepEqual(await actions(organizationId), [
        "onboarding.completed",
        "source.created",
        "organization.created",
      ]);
      assert.deepEqual(await ledger.usage({ organizationId, from: "2026-01-01", to: "2026-12-31" }), []);
    });
  });

  registerBoundsSuite(() => ledger);
}
