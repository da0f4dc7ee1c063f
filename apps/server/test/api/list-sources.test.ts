import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type ClockedWorld, issuesOf, openClockedWorld, refused } from "../support/world.ts";

describe("GET /api/tracking-sources", () => {
  let world: ClockedWorld;
  before(async () => {
    world = await openClockedWorld();
  });
  after(() => world.close());

  describe("200", () => {
    it("lists the sources of the workspace, and of no other", async () => {
      const mine = await world.source();
      const strangers = await world.strangers();
      await world.source({}, strangers.organizationId, strangers.token);
      const reply = await world.ask("/api/tracking-sources?organizationId=org_default");
      assert.equal(reply.status, 200);
      const health = {
        status: "waiting",
        last24h: { accepted: 0, duplicates: 0, rejected: 0, failed: 0 },
        topCode: null,
      };
      const statuses = { failing: 0, quiet: 0, receiving: 0, waiting: 1, off: 0 };
      assert.deepEqual(reply.body, { sources: [{ ...mine, health }], nextCursor: null, statuses });
      assert.equal(reply.headers.get("cache-control"), "no-store");
    });

    it("returns `limit` sources, and the next ones for `nextCursor`", async () => {
      for (let made = 0; made < 3; made += 1) await world.source();
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const next: string = cursor === null ? "" : `&cursor=${cursor}`;
        const reply = await world.ask(`/api/tracking-sources?organizationId=org_default&limit=2${next}`);
        seen.push(...reply.body.sources.map((one: { sourceId: string }) => one.sourceId));
        cursor = reply.body.nextCursor;
      } while (cursor !== null);
      assert.equal(seen.length, new Set(seen).size);
      assert.equal(seen.length, 4);
    });
  });

  it("200: the newest source is first, and unknown parameters are ignored", async () => {
    const { organizationId, token } = await world.strangers();
    const made: (string | undefined)[] = [];
    for (let at = 0; at < 3; at += 1) {
      made.push((await world.source({}, organizationId, token)).sourceId);
      world.advance(1_000);
    }
    const path = `/api/tracking-sources?organizationId=${organizationId}&_=1&colour=red&limit=2`;
    const first = (await world.ask(path, { token })).body;
    const second = (await world.ask(`${path}&cursor=${first.nextCursor}`, { token })).body;
    const listed = [...first.sources, ...second.sources].map(({ sourceId }) => sourceId);
    assert.deepEqual(listed, made.toReversed());
  });

  describe("200, page by page", () => {
    it("a source that is deleted between two pages hides no other source", async () => {
      const { organizationId, token } = await world.strangers();
      const made: (string | undefined)[] = [];
      for (let at = 0; at < 4; at += 1) made.push((await world.source({}, organizationId, token)).sourceId);
      const list = (query: string) =>
        world.ask(`/api/tracking-sources?organizationId=${organizationId}&limit=2${query}`, { token });
      const first = (await list("")).body;
      const idsOf = (page: { sources: { sourceId: string }[] }) =>
        page.sources.map(({ sourceId }) => sourceId);
      await world.ask(`/api/tracking-sources/${idsOf(first)[0]}`, { method: "DELETE", token });
      const second = (await list(`&cursor=${first.nextCursor}`)).body;
      assert.deepEqual([...idsOf(first), ...idsOf(second)].toSorted(), made.toSorted());
      assert.equal(second.nextCursor, null);
    });

    it("an invented but well-formed cursor is not an error: the page begins there", async () => {
      for (const cursor of ["0.AA", "999999999999999.AA", "1.____", "0.AAAAAA"]) {
        const reply = await world.ask(`/api/tracking-sources?organizationId=org_default&cursor=${cursor}`);
        assert.equal(reply.status, 200, cursor);
      }
    });

    it("an invalid cursor is refused with a message that says what it must be", async () => {
      const path = "/api/tracking-sources?organizationId=org_default&cursor=2";
      assert.deepEqual((await world.ask(path)).body.issues, [
        {
          path: ["cursor"],
          code: "invalid_value",
          message: "cursor must be the nextCursor of the previous page",
        },
      ]);
    });
  });

  describe("403", () => {
    it("not_a_member: `organizationId` is not a workspace of the caller, or does not exist", async () => {
      const strangers = await world.strangers();
      for (const organizationId of [strangers.organizationId, "org_nowhere", "%00"]) {
        refused(
          await world.ask(`/api/tracking-sources?organizationId=${organizationId}`),
          403,
          "not_a_member",
        );
      }
    });
  });

  describe("422", () => {
    it("`organizationId` is required, must be given once, and must be an id", async () => {
      assert.deepEqual(issuesOf(await world.ask("/api/tracking-sources")), ["organizationId: required"]);
      const empty = await world.ask("/api/tracking-sources?organizationId=");
      assert.deepEqual(issuesOf(empty), ["organizationId: too_short"]);
      const twice = await world.ask(
        "/api/tracking-sources?organizationId=org_default&organizationId=org_default",
      );
      assert.deepEqual(issuesOf(twice), ["organizationId: invalid_type"]);
    });

    it("lists every issue of the query", async () => {
      const query = "organizationId=org_default&limit=1e3&cursor=x";
      const reply = await world.ask(`/api/tracking-sources?${query}`);
      assert.deepEqual(issuesOf(reply), ["cursor: invalid_value", "limit: invalid_type"]);
      // a GET has no body, so the message does not mention one
      assert.doesNotMatch(JSON.stringify(reply.body), /body/i);
      const range = await world.ask("/api/tracking-sources?organizationId=org_default&limit=101");
      assert.deepEqual(issuesOf(range), ["limit: invalid_value"]);
    });
  });
});
