/** Sources and their public keys. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Catalog } from "../../src/ledger/ledger.ts";
import { aSource, catalogSamples, fresh, NOW, OWNER } from "./catalog-samples.ts";

const DAY = 86_400_000;

/** @param catalog asked for in each test */
export function catalogSourcesSuite(catalog: () => Catalog): void {
  const { by, workspace, stored, page, actions } = catalogSamples(catalog);

  describe("tracking plans", () => {
    const planOf = (name: string) => ({
      mode: "warn" as const,
      unknownEvents: "allow" as const,
      events: { [name]: { mode: null, schema: { title: "ü\u0000\ud800" } } },
    });

    it("are versions, of which ingest sees the current one", async () => {
      const { sourceId } = await stored(aSource(await workspace()));
      const save = (name: string, baseVersion: number | null = null) =>
        catalog().saveTrackingPlan({ ...by, sourceId, plan: planOf(name), baseVersion });
      assert.equal(await catalog().trackingPlan({ sourceId, version: null }), null);
      const first = { version: 1, plan: planOf("a"), ...OWNER, createdAt: NOW };
      assert.deepEqual(await save("a", 0), first);
      assert.deepEqual(await save("a"), first);
      assert.deepEqual(await save("b", 1), { ...first, version: 2, plan: planOf("b") });
      assert.equal(await save("c", 1), "changed");
      assert.deepEqual(await catalog().trackingPlan({ sourceId, version: 1 }), first);
      assert.equal((await catalog().trackingPlan({ sourceId, version: null }))?.version, 2);
      const versions = await catalog().trackingPlanVersions({ sourceId });
      assert.deepEqual(
        versions.map(({ version }) => version),
        [2, 1],
      );
      const { plan: _, ...without } = first;
      assert.deepEqual(versions[1], without);
      const unknown = { ...by, sourceId: "src_never", plan: planOf("a"), baseVersion: null };
      assert.equal(await catalog().saveTrackingPlan(unknown), "unknown");
    });

    it("saved at the same time are different versions", async () => {
      const { sourceId } = await stored(aSource(await workspace()));
      const names = Array.from({ length: 8 }, (_, index) => `event ${index}`);
      const saved = await Promise.all(
        names.map((name) =>
          catalog().saveTrackingPlan({ ...by, sourceId, plan: planOf(name), baseVersion: null }),
        ),
      );
      const versions = saved.map((one) => (typeof one === "string" ? one : one.version));
      assert.deepEqual(versions.toSorted(), [1, 2, 3, 4, 5, 6, 7, 8]);
    });
  });

  describe("saved items", () => {
    const item = (sourceId: string, savedId: string, isShared: boolean, userId: string) => ({
      savedId,
      sourceId,
      userId,
      kind: "segment" as const,
      name: "ü\ud83d\ude80",
      isShared,
      createdAt: NOW,
      definition: {
        filters: [{ dimension: "page" as const, operator: "is" as const, value: "/ü" }],
        steps: null,
        windowSeconds: null,
        day: null,
      },
    });

    it("are listed for their user, and for all when shared", async () => {
      const { sourceId } = await stored(aSource(await workspace()));
      const [a, b, c] = [
        item(sourceId, `${sourceId} a`, true, "usr_1"),
        item(sourceId, `${sourceId} b`, false, "usr_1"),
        item(sourceId, `${sourceId} c`, false, "usr_2"),
      ] as const;
      for (const one of [a, b, c])
        assert.equal(await catalog().createSavedItem({ ...by, item: one }), "created");
      const itemsOf = (userId: string) => catalog().savedItems({ sourceId, userId });
      assert.deepEqual(await itemsOf("usr_1"), [a, b]);
      assert.deepEqual(await itemsOf("usr_2"), [a, c]);
      const remove = (savedId: string, userId: string, mayDeleteShared: boolean) =>
        catalog().deleteSavedItem({
          sourceId,
          savedId,
          mayDeleteShared,
          actor: { userId, tokenId: null },
          now: NOW,
        });
      assert.equal(await remove(c.savedId, "usr_1", true), "unknown");
      assert.equal(await remove(a.savedId, "usr_2", false), "denied");
      assert.equal(await remove(a.savedId, "usr_2", true), "deleted");
      assert.equal(await remove(b.savedId, "usr_1", false), "deleted");
      assert.deepEqual(await itemsOf("usr_1"), []);
      const gone = { ...by, item: item("src_never", "x", true, "usr_1") };
      assert.equal(await catalog().createSavedItem(gone), "unknown");
    });
  });

  describe("sources", () => {
    it("are read as they were created", async () => {
      const source = aSource(await workspace(), { slug: "shop-front", frameworkHint: "nextjs" });
      const made = await stored(source, true);
      assert.deepEqual(made, source);
      assert.deepEqual(await catalog().source({ sourceId: source.sourceId, now: NOW }), source);
      assert.equal(await catalog().source({ sourceId: "src_never", now: NOW }), null);
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

    it("are refused when the given slug is taken", async () => {
      const organizationId = await workspace();
      await stored(aSource(organizationId, { slug: "shop" }), true);
      const again = aSource(organizationId, { slug: "shop" });
      assert.equal(await catalog().createSource({ ...by, source: again, slugGiven: true }), "slug_taken");
      assert.equal(await catalog().source({ sourceId: again.sourceId, now: NOW }), null);
    });

    it("are paged, the newest first", async () => {
      const organizationId = await workspace();
      const made: string[] = [];
      for (let at = 0; at < 5; at += 1)
        made.push((await stored(aSource(organizationId, { createdAt: NOW + at }))).sourceId);
      const given: string[] = [];
      let cursor: string | null = null;
      do {
        const { rows, nextCursor } = await catalog().sources(page(organizationId, cursor, 2));
        given.push(...rows.map((row) => row.sourceId));
        cursor = nextCursor;
      } while (cursor !== null);
      assert.deepEqual(given, made.toReversed());
    });

    it("of a query are read in batches; unknown and deleted ones are left out", async () => {
      const organizationId = await workspace();
      const sourceIds: string[] = [];
      while (sourceIds.length < 120) sourceIds.push((await stored(aSource(organizationId))).sourceId);
      await catalog().deleteSource({ ...by, sourceId: sourceIds[60]! });
      const read = await catalog().severalSources({ sourceIds: [...sourceIds, "src_never"] });
      assert.deepEqual(read.map(({ sourceId }) => sourceId).sort(), sourceIds.toSpliced(60, 1).sort());
      assert.deepEqual(Object.keys(read[0]!).sort(), ["organizationId", "pathRules", "sourceId"]);
      assert.equal(read[0]!.organizationId, organizationId);
    });

    it("are listed without gaps when listed ones are deleted between two pages", async () => {
      const organizationId = await workspace();
      const made: string[] = [];
      for (let at = 0; at < 6; at += 1)
        made.push((await stored(aSource(organizationId, { createdAt: NOW + Math.floor(at / 3) }))).sourceId);
      const given: string[] = [];
      let cursor: string | null = null;
      do {
        const { rows, nextCursor } = await catalog().sources(page(organizationId, cursor, 2));
        for (const { sourceId } of rows) await catalog().deleteSource({ ...by, sourceId });
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
      const updated = await catalog().updateSource({
        actor: OWNER,
        now: NOW + 1,
        sourceId: source.sourceId,
        change,
      });
      const limits = { ...source.limits, clientRatePerSecond: 9 };
      const expected = { ...source, allowedOrigins: ["*"], isActive: false, limits, updatedAt: NOW + 1 };
      assert.deepEqual(updated, expected);
      assert.deepEqual(await catalog().source({ sourceId: source.sourceId, now: NOW }), expected);
      const [entry] = (await catalog().audit(page(source.organizationId))).rows;
      assert.equal(entry?.action, "source.updated");
      assert.deepEqual(entry?.before, {
        allowedOrigins: source.allowedOrigins,
        isActive: true,
        limits: source.limits,
      });
      assert.deepEqual(entry?.after, { allowedOrigins: ["*"], isActive: false, limits });
    });

    it("get no audit entry when an update changes nothing", async () => {
      const source = await stored(aSource(await workspace()));
      const same = { ...by, now: NOW + 9, sourceId: source.sourceId };
      assert.deepEqual(await catalog().updateSource({ ...same, change: {} }), source);
      assert.deepEqual(
        await catalog().updateSource({ ...same, change: { name: source.name, limits: {} } }),
        source,
      );
      assert.ok(!(await actions(source.organizationId)).includes("source.updated"));
    });

    it("can keep their own slug and cannot take another source's slug", async () => {
      const organizationId = await workspace();
      const one = await stored(aSource(organizationId, { slug: "one" }), true);
      await stored(aSource(organizationId, { slug: "two" }), true);
      const change = (slug: string) =>
        catalog().updateSource({ ...by, sourceId: one.sourceId, change: { slug } });
      assert.equal(await change("two"), "slug_taken");
      assert.deepEqual(await change("one"), one);
      assert.equal(await catalog().updateSource({ ...by, sourceId: "src_never", change: {} }), "unknown");
    });

    it("are unknown after deletion, and their slug is free", async () => {
      const source = await stored(aSource(await workspace(), { slug: "shop" }), true);
      const asked = { ...by, sourceId: source.sourceId };
      assert.equal(await catalog().deleteSource(asked), "deleted");
      assert.equal(await catalog().deleteSource(asked), "unknown");
      assert.equal(await catalog().source({ sourceId: source.sourceId, now: NOW }), null);
      assert.deepEqual((await catalog().sources(page(source.organizationId))).rows, []);
      assert.equal(await catalog().updateSource({ ...asked, change: { name: "x" } }), "unknown");
      assert.equal(await catalog().rotateKey({ ...asked, publicKey: fresh("pk"), graceMs: 0 }), "unknown");
      await stored(aSource(source.organizationId, { slug: "shop" }), true);
    });
  });

  describe("public keys", () => {
    const rotate = (sourceId: string, publicKey: string, graceMs: number, now = NOW) =>
      catalog().rotateKey({ actor: OWNER, now, sourceId, publicKey, graceMs });
    const restore = (sourceId: string, publicKey: string, now = NOW) =>
      catalog().restoreKey({ actor: OWNER, now, sourceId, publicKey, graceMs: DAY });

    it("are replaced at once without a grace period", async () => {
      const source = await stored(aSource(await workspace()));
      const rotated = await rotate(source.sourceId, "pk_new_1", 0, NOW + 1);
      const expected = { ...source, publicKey: "pk_new_1", publicKeyRotatedAt: NOW + 1, updatedAt: NOW + 1 };
      assert.deepEqual(rotated, expected);
      assert.deepEqual(await catalog().source({ sourceId: source.sourceId, now: NOW }), expected);
      const [entry] = (await catalog().audit(page(source.organizationId))).rows;
      assert.equal(entry?.action, "source.key_rotated");
      assert.deepEqual(entry?.before, { publicKey: source.publicKey });
    });

    it("are accepted during the grace period, which is not shown once it has ended", async () => {
      const source = await stored(aSource(await workspace()));
      const rotated = await rotate(source.sourceId, "pk_new_2", DAY);
      assert.ok(typeof rotated === "object");
      assert.equal(rotated.previousKeyExpiresAt, NOW + DAY);
      const shown = async (now: number) =>
        (await catalog().source({ sourceId: source.sourceId, now }))?.previousKeyExpiresAt;
      assert.equal(await shown(NOW + DAY - 1), NOW + DAY);
      assert.equal(await shown(NOW + DAY), null);
    });

    it("can be restored only when retired: not current, not accepted, and of the same source", async () => {
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

    it("have one previous key at a time: a second rotation and a restore retire the older one", async () => {
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
}
