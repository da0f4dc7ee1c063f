/** Workspaces: the first start, who is in them, what their log and their set-up show. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Catalog } from "../../src/ledger/ledger.ts";
import type { OrganizationRecord } from "../../src/ledger/records.ts";
import { aMember, aSource, aToken, catalogSamples, fresh, NOW, OWNER } from "./catalog-samples.ts";

/** @param catalog asked for in each test */
export function catalogWorkspacesSuite(catalog: () => Catalog): void {
  const { by, workspace, stored, page, actions } = catalogSamples(catalog);

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
      const token = { tokenId, hash: `hash-${tokenId}`, hint: "last", label: "console" };
      return { codeHash, token, expiresAt: now + 1_000, now };
    };

    it("creates a workspace, its owner and a user-wide token, once", async () => {
      assert.equal(await catalog().setUp(first), true);
      assert.equal(await catalog().roleOf({ userId: OWNER.userId, organizationId: "org_first" }), "owner");
      const token = await catalog().tokenByHash({ hash: "hash-first" });
      assert.equal(token?.organizationId, null);
      assert.equal(token?.userId, OWNER.userId);
      assert.equal(await catalog().setUp({ ...first, organizationId: "org_second" }), false);
      assert.equal(await catalog().roleOf({ userId: OWNER.userId, organizationId: "org_second" }), null);
      assert.deepEqual(await actions("org_first"), ["token.created", "organization.created"]);
    });

    it("accepts the one-time code once, and not after it has expired", async () => {
      assert.equal(await catalog().signIn(exchange("code-other")), "unknown");
      const asked = exchange("code-first");
      const token = await catalog().signIn(asked);
      assert.ok(typeof token === "object");
      assert.deepEqual([token.userId, token.scope, token.expiresAt], [OWNER.userId, "console", NOW + 1_000]);
      assert.deepEqual(await catalog().tokenByHash({ hash: asked.token.hash }), token);
      assert.equal(await catalog().signIn(exchange("code-first")), "unknown");
    });

    it("a new code signs its user in, and deletes the codes that have expired", async () => {
      const { userId } = OWNER;
      const create = (codeHash: string, now: number) =>
        catalog().createSignInCode({ codeHash, userId, expiresAt: now + 1_000, now });
      await create("code-old", NOW);
      assert.equal(await catalog().signIn(exchange("code-old", NOW + 1_000)), "expired");
      await create("code-older", NOW);
      await create("code-new", NOW + 1_000);
      assert.equal(await catalog().signIn(exchange("code-older", NOW)), "unknown");
      assert.ok(typeof (await catalog().signIn(exchange("code-new", NOW + 1_999))) === "object");
    });
  });

  describe("organizations", () => {
    it("are listed for a user with the user's role in each", async () => {
      const userId = fresh("usr");
      const own = fresh("org");
      await catalog().createOrganization({
        actor: { userId, tokenId: null },
        now: NOW,
        organizationId: own,
        name: "Own",
      });
      const other = await workspace();
      await catalog().addMember({
        ...by,
        organizationId: other,
        member: aMember({ userId, role: "developer" }),
      });
      const listed = await catalog().organizationsOf({ userId });
      assert.deepEqual(
        new Map(listed.map((one) => [one.organizationId, one])),
        new Map([
          [own, { organizationId: own, name: "Own", role: "owner" }],
          [other, { organizationId: other, name: "Workspace", role: "developer" }],
        ]),
      );
    });

    it("can be created for another owner, and are listed with their counts", async () => {
      const owned = { organizationId: fresh("org"), name: "Owned", owner: fresh("usr") };
      await catalog().createOrganization({ ...by, ...owned });
      assert.equal(
        await catalog().roleOf({ organizationId: owned.organizationId, userId: owned.owner }),
        "owner",
      );
      assert.equal(
        await catalog().roleOf({ organizationId: owned.organizationId, userId: OWNER.userId }),
        null,
      );
      await stored(aSource(owned.organizationId));
      const gone = await stored(aSource(owned.organizationId));
      await catalog().deleteSource({ ...by, sourceId: gone.sourceId });
      const all: OrganizationRecord[] = [];
      let cursor: string | null = null;
      do {
        const { rows, nextCursor } = await catalog().organizations({ limit: 2, cursor });
        all.push(...rows);
        cursor = nextCursor;
      } while (cursor !== null);
      assert.deepEqual(
        all.filter(({ organizationId }) => organizationId === owned.organizationId),
        [{ organizationId: owned.organizationId, name: "Owned", members: 1, sources: 1, createdAt: NOW }],
      );
      assert.equal(new Set(all.map(({ organizationId }) => organizationId)).size, all.length);
    });

    it("return no role for unknown workspaces and for users who are not members", async () => {
      assert.equal(await catalog().roleOf({ userId: OWNER.userId, organizationId: "org_nowhere" }), null);
      assert.equal(
        await catalog().roleOf({ userId: "usr_stranger", organizationId: await workspace() }),
        null,
      );
    });
  });

  describe("members", () => {
    it("are added once and paged without gaps", async () => {
      const organizationId = await workspace();
      const member = aMember({ userId: fresh("svc"), name: "CI" });
      const listed = { ...member, email: null };
      assert.deepEqual(await catalog().addMember({ ...by, organizationId, member }), listed);
      assert.equal(await catalog().addMember({ ...by, organizationId, member }), "exists");
      await catalog().addMember({ ...by, organizationId, member: aMember() });
      const one = await catalog().members(page(organizationId, null, 2));
      const two = await catalog().members(page(organizationId, one.nextCursor, 2));
      assert.equal(two.nextCursor, null);
      const all = [...one.rows, ...two.rows];
      assert.equal(new Set(all.map((row) => row.userId)).size, 3);
      assert.deepEqual(
        all.find((row) => row.userId === member.userId),
        listed,
      );
    });

    it("do not count as owners when they are service accounts", async () => {
      const organizationId = await workspace();
      const account = aMember({ userId: fresh("svc"), role: "owner" });
      await catalog().addMember({ ...by, organizationId, member: account });
      const removal = { ...by, organizationId };
      assert.equal(await catalog().removeMember({ ...removal, userId: OWNER.userId }), "last_owner");
      assert.equal(await catalog().removeMember({ ...removal, userId: account.userId }), "removed");
    });

    it("change their role, with an audit entry", async () => {
      const organizationId = await workspace();
      const member = aMember();
      await catalog().addMember({ ...by, organizationId, member });
      const changed = await catalog().changeRole({
        ...by,
        organizationId,
        userId: member.userId,
        role: "admin",
      });
      assert.deepEqual(changed, { ...member, email: null, role: "admin" });
      const [entry] = (await catalog().audit(page(organizationId))).rows;
      assert.equal(entry?.action, "member.role_changed");
      assert.deepEqual([entry?.before, entry?.after], [{ role: "viewer" }, { role: "admin" }]);
      assert.equal(
        await catalog().changeRole({ ...by, organizationId, userId: "usr_no", role: "admin" }),
        "unknown",
      );
    });

    it("cannot leave a workspace without an owner, even when two leave at once", async () => {
      const organizationId = await workspace();
      const owner = { ...by, organizationId, userId: OWNER.userId };
      assert.equal(await catalog().changeRole({ ...owner, role: "admin" }), "last_owner");
      assert.equal(await catalog().removeMember(owner), "last_owner");
      const second = aMember({ role: "owner" });
      await catalog().addMember({ ...by, organizationId, member: second });
      assert.equal(
        await catalog()
          .changeRole({ ...owner, role: "owner" })
          .then((one) => typeof one),
        "object",
      );
      const answers = [];
      for (const userId of [OWNER.userId, second.userId]) {
        answers.push(await catalog().removeMember({ ...by, organizationId, userId }));
      }
      assert.deepEqual(answers, ["removed", "last_owner"]);
    });

    it("lose their own tokens of the workspace, and no others, when removed", async () => {
      const organizationId = await workspace();
      const member = aMember();
      await catalog().addMember({ ...by, organizationId, member });
      const here = aToken({ userId: member.userId, organizationId });
      const everywhere = aToken({ userId: member.userId });
      const made = by;
      await catalog().createToken({ ...made, hash: here.tokenId, token: here });
      await catalog().createToken({ ...made, hash: everywhere.tokenId, token: everywhere });
      const ofSource = aToken({ ...here, tokenId: fresh("tok"), sourceId: "src_1", scope: "stats" });
      await catalog().createToken({ ...made, hash: ofSource.tokenId, token: ofSource });
      assert.equal(await catalog().removeMember({ ...by, organizationId, userId: member.userId }), "removed");
      assert.equal((await catalog().tokenByHash({ hash: here.tokenId }))?.revokedAt, NOW);
      for (const { tokenId: hash } of [everywhere, ofSource])
        assert.equal((await catalog().tokenByHash({ hash }))?.revokedAt, null);
      assert.equal(await catalog().removeMember({ ...by, organizationId, userId: member.userId }), "unknown");
    });
  });

  describe("the audit log", () => {
    it("is paged, newest first, for one workspace", async () => {
      const organizationId = await workspace();
      for (let made = 0; made < 4; made += 1) await stored(aSource(organizationId));
      const one = await catalog().audit(page(organizationId, null, 3));
      const two = await catalog().audit(page(organizationId, one.nextCursor, 3));
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

    it("is searched in any case, in actions, values and the names of sources and members", async () => {
      const organizationId = await workspace();
      const { sourceId } = await stored(aSource(organizationId, { name: "100% Shop_1" }));
      const { userId } = OWNER;
      await catalog().updateProfile({ userId, actor: OWNER, now: NOW, change: { name: "Ada Lovelace" } });
      await catalog().recordAudit({
        ...by,
        organizationId,
        action: "source.key_rotated",
        target: sourceId,
        after: { hint: "wxyz" },
      });
      const search = async (text: string) => {
        const found = await catalog().audit({ ...page(organizationId), search: { text, maxEntries: 100 } });
        return found.rows.map(({ action }) => action);
      };
      const created = "source.created";
      const all = ["source.key_rotated", "person.renamed", created, "organization.created"];
      assert.deepEqual(await search("KEY ROTATED"), ["source.key_rotated"]);
      assert.deepEqual(await search("wXy"), ["source.key_rotated"]);
      assert.deepEqual(
        await search("100% shop_1"),
        ["source.key_rotated", created],
        "the source of an entry",
      );
      assert.deepEqual(await search("100_"), [], "a wildcard is a character");
      assert.deepEqual(await search("lovelace"), all, "who made it");
      await catalog().updateProfile({ userId, actor: OWNER, now: NOW, change: { name: null } });
    });

    it("is searched a bounded number of entries at a time, and goes on after them", async () => {
      const organizationId = await workspace();
      await stored(aSource(organizationId, { name: "Wanted" }));
      for (let made = 0; made < 4; made += 1) await stored(aSource(organizationId, { name: "Other" }));
      const search = { text: "wanted", maxEntries: 3 };
      const one = await catalog().audit({ ...page(organizationId), search });
      assert.deepEqual(one.rows, []);
      const two = await catalog().audit({ ...page(organizationId, one.nextCursor), search });
      assert.deepEqual(
        [two.rows.map(({ action }) => action), one.nextCursor !== null],
        [["source.created"], true],
      );
    });

    it("has a range of times, whose end is exclusive", async () => {
      const organizationId = await workspace();
      for (const later of [1, 2, 3])
        await catalog().recordAudit({
          actor: OWNER,
          now: NOW + later,
          organizationId,
          action: "a.b",
          target: "t",
        });
      const { rows } = await catalog().audit({ ...page(organizationId), from: NOW + 1, to: NOW + 3 });
      assert.deepEqual(
        rows.map(({ at }) => at),
        [NOW + 2, NOW + 1],
      );
    });
  });

  describe("onboarding and usage", () => {
    it("show the completed steps, and complete once", async () => {
      const organizationId = await workspace();
      const empty = { sourceCreatedAt: null, firstBootstrapAt: null, firstEventAt: null, completedAt: null };
      assert.deepEqual(await catalog().onboarding({ organizationId }), empty);
      await stored(aSource(organizationId, { createdAt: NOW + 2 }));
      await catalog().completeOnboarding({ actor: OWNER, now: NOW + 3, organizationId });
      await catalog().completeOnboarding({ actor: OWNER, now: NOW + 4, organizationId });
      const done = { ...empty, sourceCreatedAt: NOW + 2, completedAt: NOW + 3 };
      assert.deepEqual(await catalog().onboarding({ organizationId }), done);
      assert.deepEqual(await actions(organizationId), [
        "onboarding.completed",
        "source.created",
        "organization.created",
      ]);
      assert.deepEqual(await catalog().usage({ organizationId, from: "2026-01-01", to: "2026-12-31" }), []);
    });
  });
}
