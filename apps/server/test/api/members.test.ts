import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ROLE_PERMISSIONS, ROLES } from "@headwater/contract";
import { type ClockedWorld, issuesOf, openClockedWorld, refused } from "../support/world.ts";

describe("organizations, permissions and members", () => {
  let world: ClockedWorld;
  let organizationId: string;
  before(async () => {
    world = await openClockedWorld();
    ({ organizationId } = world);
  });
  after(() => world.close());
  const add = (body: Record<string, unknown>, token?: string) =>
    world.ask("/api/members", {
      method: "POST",
      body: { organizationId, ...body },
      ...(token ? { token } : {}),
    });
  const change = (userId: string, role: string, token?: string) =>
    world.ask(`/api/members/${userId}`, {
      method: "PATCH",
      body: { organizationId, role },
      ...(token ? { token } : {}),
    });
  const remove = (userId: string, token?: string) =>
    world.ask(`/api/members/${userId}?organizationId=${organizationId}`, {
      method: "DELETE",
      ...(token ? { token } : {}),
    });

  describe("/api/organizations", () => {
    it("201: the caller owns the workspace", async () => {
      const token = await world.ownerSession();
      const reply = await world.ask("/api/organizations", {
        method: "POST",
        token,
        body: { name: " Mine " },
      });
      assert.equal(reply.status, 201);
      assert.deepEqual(
        { ...reply.body, organizationId: "" },
        { organizationId: "", name: "Mine", role: "owner" },
      );
      assert.equal((await world.ask(reply.headers.get("location")!)).body.role, "owner");
      const listed = (await world.ask("/api/organizations")).body;
      assert.ok(listed.organizations.some((one: { name: string }) => one.name === "Mine"));
      assert.equal(listed.nextCursor, null);
    });

    it("403: a token cannot create workspaces; one of a workspace lists its own only", async () => {
      const { token } = await world.member("owner");
      for (const no of [token, world.ownerToken])
        refused(
          await world.ask("/api/organizations", { method: "POST", token: no, body: { name: "x" } }),
          403,
          "permission_denied",
        );
      const { organizations } = (await world.ask("/api/organizations", { token })).body;
      assert.deepEqual(organizations, [{ organizationId, name: "My workspace", role: "owner" }]);
    });

    it("422: a name is not empty and has no control characters", async () => {
      const token = await world.ownerSession();
      const named = async (name: unknown) =>
        issuesOf(await world.ask("/api/organizations", { method: "POST", token, body: { name } }));
      assert.deepEqual(await named(" "), ["name: too_short"]);
      assert.deepEqual(await named("a\tb"), ["name: invalid_value"]);
      assert.deepEqual(await named(null), ["name: invalid_type"]);
    });
  });

  describe("GET /api/permissions", () => {
    it("200: the caller's role and permissions, as in the contract's table", async () => {
      for (const role of ROLES) {
        const { userId, token } = await world.member(role);
        const { body } = await world.ask(`/api/permissions?organizationId=${organizationId}`, {
          token,
        });
        assert.deepEqual(body, { organizationId, userId, role, permissions: [...ROLE_PERMISSIONS[role]] });
      }
    });
  });

  describe("/api/members", () => {
    it("201: a member with a new user, or with a given user id", async () => {
      const fresh = await add({ role: "viewer", name: "Ada", email: "ada@example.com" });
      assert.equal(fresh.status, 201);
      assert.match(fresh.body.userId, /^usr_/);
      const given = await add({ role: "viewer", userId: "idp|42" });
      assert.deepEqual([given.body.userId, given.body.name, given.body.email], ["idp|42", null, null]);
      assert.equal(given.headers.get("location"), "/api/members/idp%7C42");
      const { members } = (await world.ask(`/api/members?organizationId=${organizationId}`)).body;
      assert.ok(members.some((one: { userId: string }) => one.userId === "idp|42"));
    });

    it("200: a changed role takes effect at the next request", async () => {
      const { userId, token } = await world.member("viewer");
      const body = { organizationId, name: "Shop" };
      refused(
        await world.ask("/api/tracking-sources", { method: "POST", token, body }),
        403,
        "permission_denied",
      );
      assert.equal((await change(userId, "developer")).body.role, "developer");
      assert.equal((await world.ask("/api/tracking-sources", { method: "POST", token, body })).status, 201);
      assert.equal((await change(userId, "viewer")).status, 200);
      refused(
        await world.ask("/api/tracking-sources", { method: "POST", token, body }),
        403,
        "permission_denied",
      );
    });

    it("200: a change of role names the workspace in the body or in the query", async () => {
      const { userId } = await world.member("viewer");
      const path = `/api/members/${userId}`;
      const inQuery = await world.ask(`${path}?organizationId=${organizationId}`, {
        method: "PATCH",
        body: { role: "developer" },
      });
      assert.deepEqual([inQuery.status, inQuery.body.role], [200, "developer"], inQuery.text);
      assert.deepEqual(issuesOf(await world.ask(path, { method: "PATCH", body: { role: "admin" } })), [
        "organizationId: required",
      ]);
    });

    it("a member's name and e-mail address are visible only in the workspace that set them", async () => {
      const strangers = await world.strangers();
      const ada = { userId: "usr_ada", name: "Ada", email: "ada@example.com", role: "viewer" };
      await add(ada);
      const theirs = { organizationId: strangers.organizationId, userId: "usr_ada", role: "viewer" };
      const asThem = { token: strangers.token };
      const added = await world.ask("/api/members", { method: "POST", ...asThem, body: theirs });
      assert.deepEqual([added.body.name, added.body.email], [null, null], "they learn of none");
      await world.ask("/api/members/usr_ada", {
        method: "DELETE",
        ...asThem,
        body: { organizationId: theirs.organizationId },
      });
      await world.ask("/api/members", { method: "POST", ...asThem, body: { ...theirs, name: "Eve" } });
      const list = async (of: string, asked = {}) =>
        (await world.ask(`/api/members?organizationId=${of}`, asked)).body.members.find(
          (one: { userId: string }) => one.userId === "usr_ada",
        );
      assert.deepEqual((await list(theirs.organizationId, asThem)).name, "Eve");
      const own = await list(organizationId);
      assert.deepEqual([own.name, own.email], ["Ada", "ada@example.com"], "and change none");
    });

    it("200: a removed member loses access at the next request, and so do the member's tokens of the workspace", async () => {
      const { userId, token } = await world.member("developer");
      const reply = await world.ask(`/api/members/${userId}`, { method: "DELETE", body: { organizationId } });
      assert.deepEqual(reply.body, { userId, removedAt: new Date(world.now()).toISOString() });
      refused(await world.ask("/api/organizations", { token }), 401, "revoked_token");
      refused(await remove(userId), 404, "member_not_found");
    });

    it("403: a member cannot grant a role above their own, or change a member who has one", async () => {
      const admin = await world.member("admin");
      refused(await add({ role: "owner" }, admin.token), 403, "permission_denied");
      refused(await change(admin.userId, "owner", admin.token), 403, "permission_denied");
      refused(await change(await world.ownerId(), "viewer", admin.token), 403, "permission_denied");
      refused(await remove(await world.ownerId(), admin.token), 403, "permission_denied");
      assert.equal((await add({ role: "admin" }, admin.token)).status, 201);
    });

    it("404: member_not_found for a user who is not a member", async () => {
      refused(await change("usr_never", "viewer"), 404, "member_not_found");
      refused(await remove("usr_never"), 404, "member_not_found");
    });

    it("409: member_exists; last_owner when the last owner would be removed or demoted", async () => {
      const strangers = await world.strangers();
      const asThem = {
        token: strangers.token,
        body: { organizationId: strangers.organizationId, role: "viewer" },
      };
      const path = `/api/members/${strangers.userId}`;
      refused(await world.ask(path, { method: "PATCH", ...asThem }), 409, "last_owner");
      refused(
        await world.ask(path, {
          method: "DELETE",
          ...asThem,
          body: { organizationId: strangers.organizationId },
        }),
        409,
        "last_owner",
      );
      refused(await add({ role: "viewer", userId: await world.ownerId() }), 409, "member_exists");
    });

    it("422: invalid roles, e-mail addresses and ids, or two different workspaces", async () => {
      assert.deepEqual(issuesOf(await add({ role: "king", email: "x", userId: "" })), [
        "email: invalid_value",
        "email: too_short",
        "role: invalid_value",
        "userId: too_short",
      ]);
      assert.deepEqual(issuesOf(await world.ask("/api/members/usr_owner", { method: "DELETE" })), [
        "organizationId: required",
      ]);
      const both = await world.ask(`/api/members/usr_x?organizationId=org_other`, {
        method: "DELETE",
        body: { organizationId },
      });
      assert.deepEqual(issuesOf(both), ["organizationId: invalid_value"]);
    });
  });
});
