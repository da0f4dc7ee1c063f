import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ROLE_PERMISSIONS, ROLES } from "@headwater/contract";
import { type ClockedWorld, issuesOf, openClockedWorld, refused } from "../support/world.ts";

describe("organizations, permissions and members", () => {
  let world: ClockedWorld;
  let organizationId: string;
  before(async () => {
    world = await openClockedWorld();
    await world.ownerSession();
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
      const { token } = await world.serviceAccount("owner");
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
        const { userId, token } = await world.serviceAccount(role);
        const { body } = await world.ask(`/api/permissions?organizationId=${organizationId}`, {
          token,
        });
        assert.deepEqual(body, { organizationId, userId, role, permissions: [...ROLE_PERMISSIONS[role]] });
      }
    });
  });

  describe("/api/members", () => {
    it("201: a service account, which belongs to the workspace and has no e-mail address", async () => {
      const made = await add({ role: "viewer", name: " Deployment " });
      assert.equal(made.status, 201);
      assert.match(made.body.userId, /^svc_/);
      assert.equal(made.headers.get("location"), `/api/members/${made.body.userId}`);
      const { members } = (await world.ask(`/api/members?organizationId=${organizationId}`)).body;
      const listed = members.find(({ userId }: { userId: string }) => userId === made.body.userId);
      assert.deepEqual([listed.kind, listed.name, listed.email], ["service_account", "Deployment", null]);
      const owner = members.find(({ role }: { role: string }) => role === "owner");
      assert.equal(owner.kind, "person");
    });

    it("422: a person cannot be added as a member, not even by the owner; the answer names invitations", async () => {
      const strangers = await world.strangers();
      const grace = await world.person("viewer");
      const count = async () =>
        (await world.ask(`/api/members?organizationId=${organizationId}`)).body.members.length;
      const before = await count();
      for (const userId of [strangers.userId, grace.userId, "idp|42", "svc_42"])
        for (const token of [world.ownerToken, await world.ownerSession()]) {
          const reply = await add({ role: "viewer", name: "x", userId }, token);
          assert.ok(issuesOf(reply).includes("userId: invalid_value"), reply.text);
          assert.match(reply.text, /POST \/api\/invitations/);
        }
      assert.equal(await count(), before);
    });

    it("200: a changed role takes effect at the next request", async () => {
      const { userId, token } = await world.serviceAccount("viewer");
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
      const { userId } = await world.serviceAccount("viewer");
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

    it("a person's name is visible only in the workspaces that they joined", async () => {
      const strangers = await world.strangers();
      const grace = await world.person("viewer");
      const list = (of: string, token: string) =>
        world.ask(`/api/members?organizationId=${of}`, { token }).then(({ text }) => text);
      assert.ok((await list(organizationId, world.ownerToken)).includes(grace.userId));
      assert.ok(!(await list(strangers.organizationId, strangers.token)).includes(grace.userId));
    });

    it("a service account outlives its creator, and keeps to its role", async () => {
      const admin = await world.person("admin");
      const account = (await add({ role: "developer", name: "CI" }, admin.token)).body;
      const body = { organizationId, userId: account.userId, label: "CI" };
      const made = await world.ask("/api/tokens", { method: "POST", token: admin.token, body });
      const { token } = made.body;
      assert.equal((await remove(admin.userId)).status, 200);
      const role = async () =>
        (await world.ask(`/api/permissions?organizationId=${organizationId}`, { token })).body.role;
      assert.equal(await role(), "developer");
      assert.equal((await change(account.userId, "viewer")).status, 200);
      assert.equal(await role(), "viewer");
      assert.equal((await remove(account.userId)).status, 200);
      refused(await world.ask("/api/organizations", { token }), 401, "revoked_token");
    });

    it("an owner leaves with their own session, not with a token, and only when another person is an owner", async () => {
      const strangers = await world.strangers();
      const { organizationId: theirs, userId, token } = strangers;
      const path = `/api/members/${userId}?organizationId=${theirs}`;
      const body = { organizationId: theirs, label: "own" };
      const own = await world.ask("/api/tokens", { method: "POST", token, body });
      refused(await world.ask(path, { method: "DELETE", token: own.body.token }), 403, "permission_denied");
      const account = { organizationId: theirs, role: "owner", name: "Robot" };
      assert.equal((await world.ask("/api/members", { method: "POST", token, body: account })).status, 201);
      refused(await world.ask(path, { method: "DELETE", token }), 409, "last_owner");
      const other = await world.ask("/api/invitations", {
        method: "POST",
        token,
        body: { organizationId: theirs, role: "owner" },
      });
      const accepted = { code: other.body.url.split("#code=")[1], name: "Ada" };
      const joined = await world.ask("/api/invitations/accept", {
        method: "POST",
        token: null,
        body: accepted,
      });
      assert.equal(joined.status, 201);
      assert.equal((await world.ask(path, { method: "DELETE", token })).status, 200);
    });

    it("the audit log names what acted: a person, a token, a service account or the service", async () => {
      const account = await world.serviceAccount("admin");
      const person = await world.person("admin");
      await add({ role: "viewer", name: "a" }, account.token);
      await add({ role: "viewer", name: "b" }, person.token);
      await add({ role: "viewer", name: "c" });
      const { entries } = (await world.ask(`/api/audit?organizationId=${organizationId}&action=member.added`))
        .body;
      assert.deepEqual(
        entries
          .slice(0, 3)
          .map(({ actor, after }: { actor: string; after: { kind: string; name: string } }) => [
            after.name,
            after.kind,
            actor,
          ]),
        [
          ["c", "service_account", "token"],
          ["b", "service_account", "person"],
          ["a", "service_account", "service_account"],
        ],
      );
      const all = (
        await world.ask(`/api/audit?organizationId=${organizationId}&limit=100&action=organization`)
      ).body;
      assert.equal(all.entries.at(-1).actor, "system");
    });

    it("200: a removed member loses access at the next request, and so do the member's tokens of the workspace", async () => {
      const { userId, token } = await world.serviceAccount("developer");
      const reply = await world.ask(`/api/members/${userId}`, { method: "DELETE", body: { organizationId } });
      assert.deepEqual(reply.body, { userId, removedAt: new Date(world.now()).toISOString() });
      refused(await world.ask("/api/organizations", { token }), 401, "revoked_token");
      refused(await remove(userId), 404, "member_not_found");
    });

    it("403: a member cannot grant a role above their own, or change a member who has one", async () => {
      const admin = await world.serviceAccount("admin");
      refused(await add({ role: "owner", name: "x" }, admin.token), 403, "permission_denied");
      refused(await change(admin.userId, "owner", admin.token), 403, "permission_denied");
      refused(await change(await world.ownerId(), "viewer", admin.token), 403, "permission_denied");
      refused(await remove(await world.ownerId(), admin.token), 403, "permission_denied");
      assert.equal((await add({ role: "admin", name: "x" }, admin.token)).status, 201);
    });

    it("404: member_not_found for a user who is not a member", async () => {
      refused(await change("usr_never", "viewer"), 404, "member_not_found");
      refused(await remove("usr_never"), 404, "member_not_found");
    });

    it("409: last_owner when the last owner would be removed or demoted", async () => {
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
    });

    it("422: invalid roles and names, or two different workspaces", async () => {
      assert.deepEqual(issuesOf(await add({ role: "king", name: " " })), [
        "name: too_short",
        "role: invalid_value",
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
