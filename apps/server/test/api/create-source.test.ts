import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { SOURCE_DEFAULTS } from "@headwater/contract";
import { MAX_WORKSPACE_BODY_BYTES } from "../../src/http/input.ts";
import { type ClockedWorld, issuesOf, openClockedWorld, refused } from "../support/world.ts";

describe("POST /api/tracking-sources", () => {
  let world: ClockedWorld;
  before(async () => {
    world = await openClockedWorld();
  });
  after(() => world.close());
  const create = (fields: Record<string, unknown>) =>
    world.ask("/api/tracking-sources", {
      method: "POST",
      body: { organizationId: world.organizationId, ...fields },
    });

  describe("201", () => {
    it("answers with the whole source and its Location", async () => {
      const reply = await create({
        name: "  Shop 🛒 <b>&\"'  ",
        slug: "shop",
        allowedOrigins: ["https://Example.com/"],
      });
      assert.equal(reply.status, 201);
      const { sourceId, publicKey } = reply.body;
      assert.match(sourceId, /^src_/);
      assert.match(publicKey, /^pk_[A-Za-z0-9_-]{22,}$/);
      const now = new Date(world.now()).toISOString();
      assert.deepEqual(reply.body, {
        ...SOURCE_DEFAULTS,
        sourceId,
        publicKey,
        organizationId: world.organizationId,
        name: "Shop 🛒 <b>&\"'",
        slug: "shop",
        allowedOrigins: ["https://example.com"],
        previousKeyExpiresAt: null,
        publicKeyRotatedAt: null,
        lastBootstrapAt: null,
        lastEventAt: null,
        createdAt: now,
        updatedAt: now,
      });
      assert.equal(reply.headers.get("location"), `/api/tracking-sources/${sourceId}`);
      assert.deepEqual((await world.ask(reply.headers.get("location")!)).body, reply.body);
    });

    it("a source without allowed origins allows none", async () => {
      assert.deepEqual((await create({ name: "Shop" })).body.allowedOrigins, []);
    });

    it("derives an absent slug from the name and makes it unique", async () => {
      const slugs = [];
      for (const slug of [undefined, null, undefined])
        slugs.push((await create({ name: "Ünïque Näme!", slug })).body.slug);
      assert.deepEqual(slugs, ["unique-name", "unique-name-2", "unique-name-3"]);
    });

    it("stores equal origins once", async () => {
      const allowedOrigins = [
        "https://example.com:443",
        "HTTPS://EXAMPLE.COM",
        "https://example.com",
        "http://localhost:*",
      ];
      const reply = await create({ name: "Shop", allowedOrigins });
      assert.deepEqual(reply.body.allowedOrigins, ["https://example.com", "http://localhost:*"]);
    });

    it("lower-cases the framework hint", async () => {
      assert.equal((await create({ name: "Shop", frameworkHint: "NextJS" })).body.frameworkHint, "nextjs");
      assert.equal((await create({ name: "Shop", frameworkHint: null })).body.frameworkHint, null);
    });

    it("gives every source a key of its own", async () => {
      const keys = new Set<string>();
      for (let made = 0; made < 20; made += 1) keys.add((await create({ name: "Shop" })).body.publicKey);
      assert.equal(keys.size, 20);
    });
  });

  describe("409", () => {
    it("slug_taken: another source of the workspace has the slug; other workspaces do not count", async () => {
      assert.equal((await create({ name: "Shop", slug: "taken" })).status, 201);
      refused(await create({ name: "Other", slug: "taken" }), 409, "slug_taken");
      const strangers = await world.strangers();
      const theirs = await world.source({ slug: "taken" }, strangers.organizationId, strangers.token);
      assert.equal(theirs.slug, "taken");
    });
  });

  describe("413 and 415", () => {
    it("payload_too_large: a body above the limit, with `limit` and `actual`", async () => {
      const reply = await create({ name: "x".repeat(MAX_WORKSPACE_BODY_BYTES) });
      refused(reply, 413, "payload_too_large");
      assert.equal(reply.body.limit, MAX_WORKSPACE_BODY_BYTES);
      assert.ok(reply.body.actual > reply.body.limit);
    });

    it("unsupported_media_type: the body is not JSON", async () => {
      const body = JSON.stringify({ organizationId: world.organizationId, name: "Shop" });
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=latin1",
        "json",
      ]) {
        const reply = await world.ask("/api/tracking-sources", {
          method: "POST",
          body,
          headers: { "content-type": type },
        });
        refused(reply, 415, "unsupported_media_type");
      }
      const zipped = await world.ask("/api/tracking-sources", {
        method: "POST",
        body,
        headers: { "content-encoding": "gzip" },
      });
      refused(zipped, 415, "unsupported_media_type");
      for (const type of ["application/json; charset=UTF-8", "application/vnd.api+json"]) {
        const reply = await world.ask("/api/tracking-sources", {
          method: "POST",
          body,
          headers: { "content-type": type },
        });
        assert.equal(reply.status, 201);
      }
    });
  });

  describe("422", () => {
    const post = (body: unknown) => world.ask("/api/tracking-sources", { method: "POST", body });

    it("malformed JSON and invalid UTF-8 are issues of the body", async () => {
      assert.deepEqual(issuesOf(await post("{")), [": invalid_json"]);
      assert.deepEqual(issuesOf(await post(Buffer.from('{"name":"\xff"}', "latin1"))), [
        ": invalid_encoding",
      ]);
      assert.deepEqual(issuesOf(await post("[".repeat(60_000))), [": invalid_json"]);
      const reply = await world.ask("/api/tracking-sources", {
        method: "POST",
        headers: { "content-type": "application/json" },
      });
      assert.deepEqual(issuesOf(reply), [": required"]);
      for (const body of ["[]", "null", "1", '"x"'])
        assert.deepEqual(issuesOf(await post(body)), [": invalid_type"]);
    });

    it("lists every issue of the body", async () => {
      const body = {
        name: 1,
        slug: "No Slug",
        allowedOrigins: "x",
        frameworkHint: "-",
        requireOrigin: "yes",
        privacy: { respectGpc: 1 },
        colour: "red",
      };
      assert.deepEqual(issuesOf(await post(body)), [
        "allowedOrigins: invalid_type",
        "colour: unknown_field",
        "frameworkHint: invalid_value",
        "name: invalid_type",
        "organizationId: required",
        "privacy.respectGpc: invalid_type",
        "requireOrigin: invalid_type",
        "slug: invalid_value",
      ]);
    });

    it("unknown fields are refused, and so are `publicKey` and `sourceId`", async () => {
      const reply = await create({ name: "Shop", publicKey: "pk_mine", sourceId: "src_mine" });
      assert.deepEqual(issuesOf(reply), ["publicKey: unknown_field", "sourceId: unknown_field"]);
      const body = `{"organizationId":"${world.organizationId}","name":"Shop","__proto__":{"admin":true}}`;
      assert.deepEqual(issuesOf(await post(body)), ["__proto__: unknown_field"]);
    });

    it("an unknown field that resembles a known one is answered with that one", async () => {
      const rows: [string, string | null][] = [
        ["allowed_origins", "allowedOrigins"],
        ["alowedOrigin", "allowedOrigins"],
        ["origins", "allowedOrigins"],
        ["active", "isActive"],
        ["framework_hnt", "frameworkHint"],
        ["sulg", "slug"],
        ["colour", null],
        ["x".repeat(1_000), null],
      ];
      for (const [given, meant] of rows) {
        const [issue] = (await create({ name: "Shop", [given]: 1 })).body.issues;
        const ending = meant === null ? "" : `; did you mean ${meant}?`;
        assert.equal(issue.message, `${given} is not known here${ending}`);
      }
    });

    it("one answer lists the issues of shape, names and origins", async () => {
      const everything = await create({ name: " ", allowedOrigins: ["x"], slug: "-", isActive: "yes" });
      assert.deepEqual(issuesOf(everything), [
        "allowedOrigins.0: invalid_value",
        "isActive: invalid_type",
        "name: too_short",
        "slug: invalid_value",
      ]);
    });

    it("a name has 1 to 120 characters after trimming, none of them a control character", async () => {
      assert.deepEqual(issuesOf(await create({ name: "" })), ["name: too_short"]);
      assert.deepEqual(issuesOf(await create({ name: "   " })), ["name: too_short"]);
      assert.deepEqual(issuesOf(await create({ name: "x".repeat(121) })), ["name: too_long"]);
      assert.deepEqual(issuesOf(await create({ name: "a\nb" })), ["name: invalid_value"]);
      assert.deepEqual(issuesOf(await create({ name: "a\0b" })), ["name: invalid_encoding"]);
      assert.deepEqual(issuesOf(await create({ name: "\ud800" })), ["name: invalid_encoding"]);
      assert.equal((await create({ name: ` ${"💧".repeat(120)} ` })).status, 201);
    });

    it("a slug is lower-case words with hyphens, at most 63 characters", async () => {
      for (const slug of ["-a", "a-", "a--b", "A", "a_b", "é"]) {
        assert.deepEqual(issuesOf(await create({ name: "Shop", slug })), ["slug: invalid_value"], slug);
      }
      assert.deepEqual(issuesOf(await create({ name: "Shop", slug: "a".repeat(64) })), ["slug: too_long"]);
      assert.equal((await create({ name: "Shop", slug: "a".repeat(63) })).status, 201);
    });

    it("an origin that cannot be understood is named with the reason, and the value that was probably meant", async () => {
      const allowedOrigins = ["https://example.com", "*shop.example.com", "https://u:secret@a..example"];
      const reply = await create({ name: "\u0007", allowedOrigins });
      assert.deepEqual(issuesOf(reply), [
        "allowedOrigins.1: invalid_value",
        "allowedOrigins.2: invalid_value",
        "name: invalid_value",
      ]);
      const messages = reply.body.issues.map((one: { message: string }) => one.message).join("\n");
      assert.match(messages, /did you mean "https:\/\/\*\.shop\.example\.com"/);
      assert.match(messages, /its host name is not valid/);
      assert.doesNotMatch(messages, /secret/);
    });

    it("at most 100 origins are allowed", async () => {
      const origins = (count: number) =>
        Array.from({ length: count }, (_, at) => `https://a${at}.example.com`);
      assert.deepEqual(issuesOf(await create({ name: "Shop", allowedOrigins: origins(101) })), [
        "allowedOrigins: too_many",
      ]);
      assert.equal((await create({ name: "Shop", allowedOrigins: origins(100) })).status, 201);
    });
  });
});
