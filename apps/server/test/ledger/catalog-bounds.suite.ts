/** Whatever requests can make has a bound, and what is past its time goes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import { RETIRED_KEYS_KEPT } from "../../src/ledger/catalog/keys.ts";
import type { Catalog } from "../../src/ledger/ledger.ts";
import { aMember, aSource, aToken, fresh, NOW, OWNER } from "./catalog-samples.ts";

/** @param catalog asked for in each test */
export function catalogBoundsSuite(catalog: () => Catalog): void {
  const by = { actor: OWNER, now: NOW };
  const page = (organizationId: string) => ({ organizationId, cursor: null, limit: 100 });
  const ownedBy = (owner: string) => {
    const organizationId = fresh("org");
    const made = catalog().createOrganization({ ...by, organizationId, name: "Workspace", owner });
    return made.then((outcome) => ({ organizationId, outcome }));
  };
  const workspace = async () => (await ownedBy(fresh("usr"))).organizationId;
  const tokenIn = (organizationId: string | null, over = {}) => {
    const token = aToken({ organizationId, userId: "usr_many", ...over });
    return catalog().createToken({ ...by, hash: fresh("hash"), token });
  };

  describe("limits", () => {
    it("apply to the sources of a workspace", async () => {
      const organizationId = await workspace();
      for (let made = 0; made < SERVER_LIMITS.maxSourcesPerWorkspace; made += 1) {
        const source = aSource(organizationId, { slug: `s-${made}` });
        await catalog().createSource({ ...by, source, slugGiven: true });
      }
      const more = { ...by, source: aSource(organizationId), slugGiven: false };
      assert.equal(await catalog().createSource(more), "too_many_sources");
      assert.equal((await catalog().sources(page(organizationId))).rows.length, 100);
    });

    it("apply to the workspaces that a user owns, not to those of other owners", async () => {
      const owner = fresh("usr");
      for (let made = 0; made < SERVER_LIMITS.maxWorkspacesPerUser; made += 1)
        assert.equal((await ownedBy(owner)).outcome, "created");
      assert.equal((await ownedBy(owner)).outcome, "limit_reached");
      assert.equal((await ownedBy(fresh("usr"))).outcome, "created");
    });

    it("apply to the members of a workspace; adding an existing member is `exists`, not `limit_reached`", async () => {
      const organizationId = await workspace();
      const add = (userId: string) =>
        catalog().addMember({ ...by, organizationId, member: aMember({ userId }) });
      for (let made = 1; made < SERVER_LIMITS.maxMembersPerWorkspace; made += 1)
        await add(`usr_of_many_${made}`);
      assert.equal(await add("usr_too_many"), "limit_reached");
      assert.equal(await add("usr_of_many_1"), "exists");
    });

    it("apply to the valid tokens of a workspace; revoked tokens do not count", async () => {
      const organizationId = await workspace();
      const first = fresh("tok");
      await tokenIn(organizationId, { tokenId: first });
      await tokenIn(organizationId, { expiresAt: NOW - 1 });
      for (let made = 1; made < SERVER_LIMITS.maxTokens; made += 1) await tokenIn(organizationId);
      assert.equal(await tokenIn(organizationId), "limit_reached");
      assert.equal(await tokenIn(null), "created", "those for all workspaces are counted apart");
      await catalog().revokeToken({ ...by, tokenId: first });
      assert.equal(await tokenIn(organizationId), "created");
    });

    it("apply to the retired keys of a source: the oldest are deleted, accepted keys are kept", async () => {
      const organizationId = await workspace();
      const source = aSource(organizationId);
      await catalog().createSource({ ...by, source, slugGiven: false });
      const keys = Array.from({ length: RETIRED_KEYS_KEPT + 2 }, () => fresh("pk"));
      for (const [turn, publicKey] of keys.entries()) {
        const now = NOW + turn + 1;
        const rotated = { ...by, now, sourceId: source.sourceId, publicKey, graceMs: 60_000 };
        assert.ok(typeof (await catalog().rotateKey(rotated)) === "object");
      }
      const restored = (publicKey: string) =>
        catalog().restoreKey({ ...by, sourceId: source.sourceId, publicKey, graceMs: 1_000 });
      assert.equal(await restored(source.publicKey), "not_retired", "the first one is forgotten");
      assert.equal(typeof (await restored(keys[3]!)), "object");
    });
  });

  describe("expireAudit", () => {
    it("deletes old audit entries, and tokens that ended before that time; it keeps the rest", async () => {
      const organizationId = await workspace();
      const kinds = {
        revoked: { revokedAt: NOW - 10 },
        expired: { expiresAt: NOW - 10 },
        young: { revokedAt: NOW + 10 },
        useful: {},
      };
      for (const [label, over] of Object.entries(kinds)) await tokenIn(organizationId, { label, ...over });
      await catalog().addMember({ ...by, now: NOW + 10, organizationId, member: aMember() });
      let more = true;
      while (more) more = await catalog().expireAudit({ before: NOW + 1 });
      const { rows: log } = await catalog().audit(page(organizationId));
      assert.deepEqual(
        log.map(({ action }) => action),
        ["member.added"],
      );
      const { rows: tokens } = await catalog().tokens({
        ...page(organizationId),
        includeUserWide: null,
        sourceId: null,
        scope: null,
      });
      assert.deepEqual(tokens.map(({ label }) => label).sort(), ["useful", "young"]);
    });
  });
}
