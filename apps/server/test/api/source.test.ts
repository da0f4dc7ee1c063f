import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type ClockedWorld, issuesOf, ORIGIN, openClockedWorld, refused } from "../support/world.ts";

describe("GET, PATCH and DELETE /api/tracking-sources/:sourceId", () => {
  let world: ClockedWorld;
  let path: string;
  let source: Record<string, unknown>;
  before(async () => {
    world = await openClockedWorld();
    source = await world.source({ allowedOrigins: ["https://example.com"], slug: "shop" });
    path = `/api/tracking-sources/${source.sourceId}`;
  });
  after(() => world.close());
  const patch = (fields: Record<string, unknown>, token?: string) =>
    world.ask(path, {
      method: "PATCH",
      body: { organizationId: world.organizationId, ...fields },
      ...(token ? { token } : {}),
    });

  describe("200", () => {
    it("GET: `organizationId` is optional; if given, it must match", async () => {
      assert.deepEqual((await world.ask(path)).body, source);
      assert.deepEqual((await world.ask(`${path}?organizationId=${world.organizationId}`)).body, source);
    });

    it("HEAD answers like GET, without a body", async () => {
      const reply = await world.ask(path, { method: "HEAD" });
      assert.deepEqual([reply.status, reply.text], [200, ""]);
      assert.equal(reply.headers.get("content-type"), "application/json; charset=utf-8");
    });

    it("PATCH: an empty patch changes nothing", async () => {
      world.advance(1_000);
      const reply = await patch({});
      assert.deepEqual([reply.status, reply.body], [200, source]);
    });

    it("PATCH: a fetched source can be sent back as it is, even by a developer and after the service has changed it", async () => {
      const own = await world.source({ allowedOrigins: [ORIGIN], retentionDays: 30 });
      const ownPath = `/api/tracking-sources/${own.sourceId}`;
      const limits = { maxBatchSize: 7 };
      const body = { organizationId: world.organizationId, limits };
      const read = (await world.ask(ownPath, { method: "PATCH", body })).body;
      world.advance(1_000);
      await world.openSession(read);
      const { token } = await world.serviceAccount("developer");
      const reply = await world.ask(ownPath, { method: "PATCH", token, body: read });
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(reply.body, { ...read, lastBootstrapAt: reply.body.lastBootstrapAt });
      const renamed = await world.ask(ownPath, { method: "PATCH", token, body: { ...read, name: "New" } });
      assert.deepEqual([renamed.body.name, renamed.body.limits.maxBatchSize], ["New", 7]);
    });

    it("PATCH: only the given fields change; `allowedOrigins` replaces the whole list", async () => {
      world.advance(1_000);
      const reply = await patch({ allowedOrigins: ["http://localhost:*"], isActive: false });
      const updatedAt = new Date(world.now()).toISOString();
      const expected = { ...source, allowedOrigins: ["http://localhost:*"], isActive: false, updatedAt };
      assert.deepEqual(reply.body, expected);
      assert.deepEqual((await world.ask(path)).body, expected);
      assert.equal((await patch({ isActive: true })).body.isActive, true);
    });

    it("PATCH: each of the source's own limits can be set, and removed with null", async () => {
      await patch({ limits: { maxBatchSize: 5_000, clientRatePerSecond: 1_000 } });
      const reply = await patch({ limits: { clientRatePerSecond: null, maxPayloadBytes: 5_242_880 } });
      const limits = {
        maxBatchSize: 5_000,
        maxPayloadBytes: 5_242_880,
        clientRatePerSecond: null,
        eventsPerDay: null,
        bytesPerDay: null,
      };
      assert.deepEqual(reply.body.limits, limits);
    });

    it("PATCH: every other field can be changed too", async () => {
      const fields = { name: "New", slug: "new", frameworkHint: "vue", requireOrigin: true };
      const { name, slug, frameworkHint, requireOrigin } = (await patch(fields)).body;
      assert.deepEqual({ name, slug, frameworkHint, requireOrigin }, fields);
    });

    it("PATCH: each privacy setting can be set by itself", async () => {
      assert.deepEqual((await patch({ privacy: { respectGpc: true } })).body.privacy, {
        respectGpc: true,
        requireConsent: false,
      });
      const { privacy } = (await patch({ privacy: { requireConsent: true } })).body;
      assert.deepEqual(privacy, { respectGpc: true, requireConsent: true });
    });

    it("DELETE: the source is gone, its slug is free, and the audit log keeps its last state", async () => {
      const doomed = await world.source({ slug: "doomed" });
      const reply = await world.ask(`/api/tracking-sources/${doomed.sourceId}`, { method: "DELETE" });
      assert.deepEqual(reply.body, {
        sourceId: doomed.sourceId,
        deletedAt: new Date(world.now()).toISOString(),
      });
      refused(await world.ask(`/api/tracking-sources/${doomed.sourceId}`), 404, "source_not_found");
      refused(
        await world.ask(`/api/tracking-sources/${doomed.sourceId}`, { method: "DELETE" }),
        404,
        "source_not_found",
      );
      await world.source({ slug: "doomed" });
      const { entries } = (await world.ask(`/api/audit?organizationId=${world.organizationId}`)).body;
      assert.deepEqual([entries[1].action, entries[1].before.slug], ["source.deleted", "doomed"]);
    });
  });

  describe("403", () => {
    it("not_a_member: an existing source of a workspace that the caller is not a member of", async () => {
      const strangers = await world.strangers();
      refused(await world.ask(path, { token: strangers.token }), 403, "not_a_member");
      const body = { organizationId: strangers.organizationId };
      refused(await world.ask(path, { method: "PATCH", token: strangers.token, body }), 403, "not_a_member");
    });

    it("permission_denied: `limits` needs sources:admin in addition to sources:write", async () => {
      const { token } = await world.serviceAccount("developer");
      refused(await patch({ limits: { maxBatchSize: 8 } }, token), 403, "permission_denied");
      assert.equal((await patch({ name: "By a developer" }, token)).status, 200);
    });
  });

  describe("404", () => {
    it("source_not_found: an unknown id, of any form", async () => {
      for (const id of ["src_never", "%00", "%F0%9F%92%A7", "x".repeat(5_000), "..%2f"]) {
        refused(await world.ask(`/api/tracking-sources/${id}`), 404, "source_not_found");
      }
    });

    it("source_not_found: `organizationId` is another workspace of the caller", async () => {
      const other = await world.workspace();
      refused(await world.ask(`${path}?organizationId=${other}`), 404, "source_not_found");
      refused(
        await world.ask(`${path}?organizationId=${other}`, { method: "DELETE" }),
        404,
        "source_not_found",
      );
      refused(
        await world.ask(path, { method: "PATCH", body: { organizationId: other, name: 1 } }),
        404,
        "source_not_found",
      );
    });
  });

  describe("409", () => {
    it("slug_taken: another source of the workspace has the slug", async () => {
      await world.source({ slug: "theirs" });
      refused(await patch({ slug: "theirs" }), 409, "slug_taken");
    });
  });

  describe("422", () => {
    it("PATCH: `organizationId` is required in the body, and its shape is checked first", async () => {
      assert.deepEqual(issuesOf(await world.ask(path, { method: "PATCH", body: {} })), [
        "organizationId: required",
      ]);
      const unknown = await world.ask("/api/tracking-sources/src_never", {
        method: "PATCH",
        body: { organizationId: 1 },
      });
      assert.deepEqual(issuesOf(unknown), ["organizationId: invalid_type"]);
    });

    it("PATCH: read-only members are refused when they differ from the source's", async () => {
      const reply = await patch({ publicKey: "pk_x", sourceId: "src_x" });
      assert.deepEqual(issuesOf(reply), ["publicKey: invalid_value", "sourceId: invalid_value"]);
      assert.match(reply.body.issues[0].message, /is read-only/);
    });

    it("PATCH: unknown fields are refused, and limits have bounds", async () => {
      const reply = await patch({
        colour: "red",
        slug: null,
        limits: { maxBatchSize: 5_001, colour: 1 },
      });
      assert.deepEqual(issuesOf(reply), [
        "colour: unknown_field",
        "limits.colour: unknown_field",
        "limits.maxBatchSize: invalid_value",
        "slug: invalid_type",
      ]);
    });

    it("GET: an empty `organizationId` is invalid", async () => {
      assert.deepEqual(issuesOf(await world.ask(`${path}?organizationId=`)), ["organizationId: too_short"]);
    });
  });
});
