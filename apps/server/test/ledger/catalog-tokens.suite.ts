/** Tokens of the workspace API: found by their hash, listed, revoked. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TokenScope } from "@headwater/contract";
import type { Catalog } from "../../src/ledger/ledger.ts";
import { aMember, aSource, aToken, catalogSamples, NOW, OWNER } from "./catalog-samples.ts";

const DAY = 86_400_000;

/** @param catalog asked for in each test */
export function catalogTokensSuite(catalog: () => Catalog): void {
  const { by, workspace, stored, page, actions } = catalogSamples(catalog);

  /** A token of one workspace, its id for a hash. */
  const made = async (organizationId: string) => {
    const token = aToken({ organizationId });
    await catalog().createToken({
      ...by,

      hash: token.tokenId,
      token,
    });
    return token;
  };

  describe("tokens", () => {
    it("limited to one source are listed by source and scope, and revoked with the source", async () => {
      const organizationId = await workspace();
      const { sourceId } = await stored(aSource(organizationId));
      const given = aToken({ organizationId, sourceId, scope: "stats", ceiling: "viewer" });
      const sender = aToken({ organizationId, sourceId, scope: "ingest", ceiling: "viewer" });
      const other = aToken({ organizationId });
      for (const token of [given, sender, other]) {
        const made = { ...by, hash: token.tokenId, token };
        assert.equal(await catalog().createToken(made), "created");
      }
      const listed = async (scope: TokenScope | null) =>
        (await catalog().tokens({ ...page(organizationId), includeUserWide: null, sourceId, scope })).rows;
      assert.deepEqual(await listed(null), [sender, given]);
      assert.deepEqual(await listed("ingest"), [sender]);
      await catalog().deleteSource({ ...by, sourceId });
      assert.equal((await catalog().token({ tokenId: given.tokenId }))?.revokedAt, NOW);
      assert.equal((await catalog().token({ tokenId: other.tokenId }))?.revokedAt, null);
      const [deleted] = (await catalog().audit(page(organizationId))).rows;
      assert.deepEqual(deleted?.after, { revokedTokens: [given.tokenId, sender.tokenId] });
    });

    it("are found by their hash, which no list and no audit entry contains", async () => {
      const organizationId = await workspace();
      const token = aToken({ organizationId, ceiling: "admin", expiresAt: NOW + DAY });
      const hash = `secret-${token.tokenId}`;
      await catalog().createToken({ ...by, hash, token });
      assert.deepEqual(await catalog().tokenByHash({ hash }), token);
      assert.equal(await catalog().tokenByHash({ hash: "secret-other" }), null);
      assert.deepEqual(await catalog().token({ tokenId: token.tokenId }), token);
      assert.equal(await catalog().token({ tokenId: "tok_never" }), null);
      const listed = await catalog().tokens({
        ...page(organizationId),
        includeUserWide: null,
        sourceId: null,
        scope: null,
      });
      assert.deepEqual(listed, { rows: [token], nextCursor: null });
      const logged = await catalog().audit(page(organizationId));
      assert.ok(!JSON.stringify([listed, logged]).includes(hash));
    });

    it("that are user-wide are listed for one user, for every member, or not at all", async () => {
      const organizationId = await workspace();
      const member = aMember();
      await catalog().addMember({ ...by, organizationId, member });
      const own = aToken({ organizationId, userId: member.userId });
      const wide = aToken({ userId: member.userId });
      const outside = aToken({ userId: "usr_outside" });
      for (const token of [own, wide, outside]) {
        await catalog().createToken({
          ...by,

          hash: token.tokenId,
          token,
        });
      }
      const listed = async (includeUserWide: Parameters<Catalog["tokens"]>[0]["includeUserWide"]) =>
        (await catalog().tokens({ ...page(organizationId), includeUserWide, sourceId: null, scope: null }))
          .rows;
      assert.deepEqual(await listed(null), [own]);
      assert.deepEqual(await listed({ userId: member.userId }), [wide, own]);
      const opening = await listed("members");
      assert.deepEqual(
        opening.filter(({ userId }) => userId !== OWNER.userId),
        [wide, own],
      );
      assert.ok(!opening.some(({ tokenId }) => tokenId === outside.tokenId));
    });

    it("are revoked once: later calls return the first time, and there is one audit entry", async () => {
      const organizationId = await workspace();
      const token = await made(organizationId);
      const revoked = { ...token, revokedAt: NOW + 1 };
      for (const now of [NOW + 1, NOW + 2]) {
        assert.deepEqual(await catalog().revokeToken({ actor: OWNER, now, tokenId: token.tokenId }), revoked);
      }
      assert.deepEqual(await catalog().tokenByHash({ hash: token.tokenId }), revoked);
      assert.equal((await actions(organizationId)).filter((action) => action === "token.revoked").length, 1);
      assert.equal(await catalog().revokeToken({ ...by, tokenId: "tok_never" }), "unknown");
    });

    it("that are user-wide get an audit entry in each workspace of their user when revoked", async () => {
      const [one, two, other] = [await workspace(), await workspace(), await workspace()];
      const member = aMember();
      for (const organizationId of [one, two]) await catalog().addMember({ ...by, organizationId, member });
      const token = aToken({ userId: member.userId });
      await catalog().createToken({ ...by, hash: token.tokenId, token });
      await catalog().revokeToken({ ...by, tokenId: token.tokenId });
      const last = await Promise.all(
        [one, two, other].map(async (organizationId) => (await actions(organizationId))[0]),
      );
      assert.deepEqual(last, ["token.revoked", "token.revoked", "organization.created"]);
    });

    it("keep the latest time of use, in whatever order times are written", async () => {
      const organizationId = await workspace();
      const token = await made(organizationId);
      await catalog().recordTokenUse([{ tokenId: token.tokenId, lastUsedAt: NOW + 5 }]);
      await catalog().recordTokenUse([{ tokenId: token.tokenId, lastUsedAt: NOW + 3 }]);
      await catalog().recordTokenUse([]);
      assert.equal((await catalog().tokenByHash({ hash: token.tokenId }))?.lastUsedAt, NOW + 5);
    });
  });
}
