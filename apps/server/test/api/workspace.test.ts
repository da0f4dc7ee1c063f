import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import { type ClockedWorld, issuesOf, openClockedWorld, openClockedWorldFor } from "../support/world.ts";

describe("audit, onboarding, usage, billing and support", () => {
  let world: ClockedWorld;
  before(async () => {
    world = await openClockedWorld();
  });
  after(() => world.close());
  const get = (path: string) => world.ask(`${path}organizationId=${world.organizationId}`);

  it("GET /api/audit: user, token, time, action, before and after, newest first and without secrets", async () => {
    const { sourceId } = await world.source();
    const { tokenId } = await world.serviceAccount("viewer");
    // entries with the same time have no order
    world.advance(1);
    await world.ask(`/api/tracking-sources/${sourceId}`, {
      method: "PATCH",
      body: { organizationId: world.organizationId, isActive: false },
    });
    const { body, text } = await get("/api/audit?");
    const { auditId, tokenId: byToken, ...entry } = body.entries[0];
    assert.match(auditId, /^aud_/);
    assert.match(byToken, /^tok_/);
    assert.deepEqual(entry, {
      at: new Date(world.now()).toISOString(),
      actor: "token",
      userId: await world.ownerId(),
      action: "source.updated",
      target: sourceId,
      before: { isActive: true },
      after: { isActive: false },
    });
    assert.deepEqual([body.entries[1].action, body.entries[1].target], ["token.created", tokenId]);
    assert.doesNotMatch(text, /hwt_|[0-9a-f]{64}/);
    const page = await get("/api/audit?limit=1&");
    const next = await get(`/api/audit?limit=1&cursor=${page.body.nextCursor}&`);
    assert.deepEqual([...page.body.entries, ...next.body.entries], body.entries.slice(0, 2));
  });

  it("GET /api/audit: times in `before` and `after` are ISO 8601 UTC with milliseconds, like all others", async () => {
    const { organizationId } = world;
    const { sourceId, publicKey } = await world.source();
    const at = (path: string, body: object) => {
      world.advance(1);
      return world.ask(`/api/tracking-sources/${sourceId}/${path}`, { method: "POST", body });
    };
    await at("regenerate-key", {});
    await at("restore-key", { publicKey, gracePeriodSeconds: 60 });
    await at("regenerate-key", { gracePeriodSeconds: 60 });
    const expiresAt = "2999-01-01T00:00:00.000Z";
    world.advance(1);
    await world.ask("/api/tokens", {
      method: "POST",
      body: { organizationId, label: "Until then", expiresAt },
    });
    const [made, rotated, restored, first] = (await get("/api/audit?limit=4&")).body.entries;
    const inAMinute = (at: string) => new Date(Date.parse(at) + 60_000).toISOString();
    assert.equal(made.after.expiresAt, expiresAt);
    assert.equal(rotated.after.previousKeyExpiresAt, inAMinute(rotated.at));
    assert.equal(restored.after.previousKeyExpiresAt, inAMinute(restored.at));
    assert.equal(restored.before.previousKeyExpiresAt, null);
    assert.equal(first.after.previousKeyExpiresAt, null);
  });

  it("GET /api/onboarding derives the completed steps from the data; POST completes it for good", async (t) => {
    const fresh = await openClockedWorldFor(t);
    const { organizationId } = fresh;
    const read = async () => (await fresh.ask(`/api/onboarding?organizationId=${organizationId}`)).body;
    const open = { done: false, at: null };
    const steps = { sourceCreated: open, firstBootstrap: open, firstAcceptedEvent: open };
    assert.deepEqual(await read(), { organizationId, steps, completed: false, completedAt: null });
    await fresh.source();
    const at = new Date(fresh.now()).toISOString();
    const completed = await fresh.ask("/api/onboarding", { method: "POST", body: { organizationId } });
    const expected = { ...steps, sourceCreated: { done: true, at } };
    assert.deepEqual(completed.body, { organizationId, steps: expected, completed: true, completedAt: at });
    fresh.advance(1);
    await fresh.ask("/api/onboarding", { method: "POST", body: { organizationId } });
    assert.deepEqual(await read(), completed.body);
  });

  it("GET /api/usage counts by source and day, by default for the last 30 days", async () => {
    const { body } = await get("/api/usage?");
    const { organizationId } = world;
    const span = { from: "2026-10-23", to: "2026-11-21" };
    assert.deepEqual(body, { organizationId, ...span, accepted: 0, bootstraps: 0, bytes: 0, days: [] });
    assert.equal((await get("/api/usage?from=2026-01-01&to=2026-12-31&")).status, 200);
  });

  it("GET /api/usage: days must exist, be in order, and span at most a year", async () => {
    assert.deepEqual(issuesOf(await get("/api/usage?from=2026-02-30&to=x&")), ["to: invalid_value"]);
    assert.deepEqual(issuesOf(await get("/api/usage?from=2026-02-30&to=2026-13-01&")), [
      "from: invalid_value",
      "to: invalid_value",
    ]);
    assert.deepEqual(issuesOf(await get("/api/usage?from=2026-02-02&to=2026-02-01&")), [
      "from: invalid_value",
    ]);
    assert.deepEqual(issuesOf(await get("/api/usage?from=2024-01-01&to=2026-01-01&")), [
      "from: invalid_value",
    ]);
  });

  it("GET /api/billing: the plan is self-hosted, with its limits and the month's usage", async () => {
    const { sources } = (await get("/api/tracking-sources?")).body;
    const { body } = await get("/api/billing?");
    assert.deepEqual(body, {
      organizationId: world.organizationId,
      plan: "self-hosted",
      limits: {
        sources: SERVER_LIMITS.maxSourcesPerWorkspace,
        acceptedEvents: null,
        eventsPerDay: null,
        bytesPerDay: null,
      },
      period: { from: "2026-11-01", to: "2026-11-30" },
      usage: { accepted: 0, bootstraps: 0, bytes: 0, sources: sources.length },
    });
  });

  it("GET /api/support: version, settings and health, in a bundle to attach to a bug report", async () => {
    const { body } = await get("/api/support?");
    const { generatedAt, version, settings, health, node } = body.bundle;
    assert.equal(generatedAt, new Date(world.now()).toISOString());
    assert.deepEqual(
      { version, settings, health },
      {
        version: body.version,
        settings: body.settings,
        health: body.health,
      },
    );
    assert.equal(node, process.version);
  });
});
