import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  type ClockedWorld,
  DAY,
  issuesOf,
  openClockedWorld,
  openClockedWorldFor,
  refused,
} from "../support/world.ts";

describe("POST /api/tracking-sources/:sourceId/regenerate-key and restore-key", () => {
  let world: ClockedWorld;
  before(async () => {
    world = await openClockedWorld();
  });
  after(() => world.close());
  const regenerate = (sourceId: string | undefined, body?: unknown, query = "") =>
    world.ask(`/api/tracking-sources/${sourceId}/regenerate-key${query}`, { method: "POST", body });
  const restore = (sourceId: string | undefined, body: unknown) =>
    world.ask(`/api/tracking-sources/${sourceId}/restore-key`, { method: "POST", body });
  const iso = (at: number) => new Date(at).toISOString();

  describe("200", () => {
    it("regenerate-key accepts no body, an empty one, and an empty object", async () => {
      const { sourceId } = await world.source();
      const keys = new Set<string>();
      for (const body of [undefined, "", {}]) {
        const reply = await regenerate(sourceId, body);
        assert.equal(reply.status, 200, reply.text);
        assert.equal(reply.body.publicKeyRotatedAt, iso(world.now()));
        assert.equal(reply.body.previousKeyExpiresAt, null);
        keys.add(reply.body.publicKey);
      }
      assert.equal(keys.size, 3);
      const empty = await world.ask(`/api/tracking-sources/${sourceId}/regenerate-key`, {
        method: "POST",
        headers: { "content-type": "application/json" },
      });
      assert.equal(empty.status, 200);
    });

    it("the end of the previous key is shown during the grace period only", async () => {
      const { sourceId } = await world.source();
      const reply = await regenerate(sourceId, { gracePeriodSeconds: 60 });
      assert.equal(reply.body.previousKeyExpiresAt, iso(world.now() + 60_000));
      world.advance(60_000);
      const shown = await world.ask(`/api/tracking-sources/${sourceId}`);
      assert.equal(shown.body.previousKeyExpiresAt, null);
      const { sources } = (await world.ask(`/api/tracking-sources?organizationId=${world.organizationId}`))
        .body;
      const listed = sources.find((one: { sourceId: string }) => one.sourceId === sourceId);
      assert.equal(listed.previousKeyExpiresAt, null);
    });

    it("`organizationId` is optional in query and body; if given, it must match", async () => {
      const { sourceId } = await world.source();
      const { organizationId } = world;
      assert.equal((await regenerate(sourceId, { organizationId })).status, 200);
      assert.equal((await regenerate(sourceId, undefined, `?organizationId=${organizationId}`)).status, 200);
    });

    it("restore-key makes a retired key accepted again for a time", async () => {
      const { sourceId, publicKey } = await world.source();
      await regenerate(sourceId);
      const reply = await restore(sourceId, { publicKey, gracePeriodSeconds: 86_400 });
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.body.previousKeyExpiresAt, iso(world.now() + DAY));
      assert.notEqual(reply.body.publicKey, publicKey);
    });

    it("there is one previous key: a second rotation retires the older one at once", async () => {
      const { sourceId, publicKey } = await world.source();
      await regenerate(sourceId, { gracePeriodSeconds: 600 });
      refused(await restore(sourceId, { publicKey, gracePeriodSeconds: 60 }), 409, "key_not_retired");
      await regenerate(sourceId, { gracePeriodSeconds: 600 });
      assert.equal((await restore(sourceId, { publicKey, gracePeriodSeconds: 60 })).status, 200);
    });
  });

  describe("403", () => {
    it("permission_denied: both need sources:admin", async () => {
      const { sourceId } = await world.source();
      const { token } = await world.serviceAccount("developer");
      for (const name of ["regenerate-key", "restore-key"]) {
        const reply = await world.ask(`/api/tracking-sources/${sourceId}/${name}`, {
          method: "POST",
          token,
          body: { x: 1 },
        });
        refused(reply, 403, "permission_denied");
      }
    });
  });

  describe("404", () => {
    it("source_not_found: `organizationId` in query or body is not the source's", async () => {
      const { sourceId } = await world.source();
      refused(await regenerate(sourceId, { organizationId: "org_other" }), 404, "source_not_found");
      refused(await regenerate(sourceId, {}, "?organizationId=org_other"), 404, "source_not_found");
      const { organizationId } = world;
      refused(
        await regenerate(sourceId, { organizationId }, "?organizationId=org_other"),
        404,
        "source_not_found",
      );
      refused(await regenerate("src_never"), 404, "source_not_found");
    });
  });

  describe("409", () => {
    it("key_not_retired: the current key, another source's key, or a key that never existed", async () => {
      const { sourceId, publicKey } = await world.source();
      const other = await world.source();
      for (const key of [publicKey, other.publicKey, "pk_never"]) {
        refused(await restore(sourceId, { publicKey: key, gracePeriodSeconds: 60 }), 409, "key_not_retired");
      }
    });
  });

  describe("422", () => {
    it("the grace period must be a whole number of seconds, at most 604800; restore-key requires it", async () => {
      const { sourceId, publicKey } = await world.source();
      for (const gracePeriodSeconds of [-1, 604_801, 1.5, "60"]) {
        const reply = await regenerate(sourceId, { gracePeriodSeconds });
        assert.match(issuesOf(reply).join(), /^gracePeriodSeconds: invalid_(value|type)$/);
      }
      assert.deepEqual(issuesOf(await restore(sourceId, { publicKey })), ["gracePeriodSeconds: required"]);
      assert.deepEqual(issuesOf(await restore(sourceId, undefined)), [": required"]);
    });
  });
});

describe("GET /api/tracking-sources/:sourceId/install", () => {
  it("200: contains the current key and the configured addresses", async (t) => {
    const world = await openClockedWorldFor(t);
    const { sourceId, publicKey } = await world.source({ frameworkHint: "nextjs", name: "</script><b>" });
    const { body } = await world.ask(`/api/tracking-sources/${sourceId}/install`, {
      headers: { host: "evil.io" },
    });
    assert.deepEqual(
      [body.publicKey, body.apiBaseUrl, body.ingestVersion],
      [publicKey, "https://stats.example.com", 2],
    );
    assert.equal(body.debugUrl, `https://console.example.com/analytics/setup/debug?sourceId=${sourceId}`);
  });
});
