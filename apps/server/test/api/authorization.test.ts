/** Every operation with every kind of token. The tests iterate over the contract's table, so they cover new operations. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { OPERATIONS, type Operation, ROLE_PERMISSIONS, ROLES, type Role } from "@headwater/contract";
import { type ClockedWorld, DAY, openClockedWorld, refused, type TestReply } from "../support/world.ts";

const guarded = (OPERATIONS as readonly Operation[]).filter(
  (one) => one.access !== "public" && one.access !== "public-key" && one.mediaType === undefined,
);
const inWorkspace = guarded.filter(({ access }) => access !== "token" && access !== "person");

/** A path and a body that pass all checks up to the permission. Later checks may fail. */
function requestFor(
  one: Operation,
  { organizationId, sourceId }: { organizationId: string; sourceId: string },
) {
  const path = one.path.replace(":sourceId", sourceId).replace(/:(userId|tokenId|invitationId)/, "nobody_x");
  const inQuery = one.organization === "query" || one.organization === "query-or-body";
  const queryIds = { ...(inQuery && { organizationId }), ...(one.source === "query" && { sourceId }) };
  const bodyIds = {
    ...(one.organization === "body" && { organizationId }),
    ...(one.source === "body" && { sourceId }),
  };
  const query = Object.keys(queryIds).length > 0 ? `?${new URLSearchParams(queryIds)}` : "";
  return { path: path + query, body: one.body ? bodyIds : undefined };
}

describe("authorization", () => {
  let world: ClockedWorld;
  let target: { organizationId: string; sourceId: string };
  before(async () => {
    world = await openClockedWorld();
    const { sourceId } = await world.source();
    await world.ownerSession();
    target = { organizationId: world.organizationId, sourceId: sourceId! };
  });
  after(() => world.close());

  const ask = (
    one: Operation,
    token: string | null,
    headers: Record<string, string> = {},
  ): Promise<TestReply> => {
    const { path, body } = requestFor(one, target);
    return world.ask(path, { method: one.method, token, headers, body });
  };

  describe("401", () => {
    it("missing_token: no header, another scheme, or a token in the query string", async () => {
      for (const one of guarded) {
        const none = await ask(one, null);
        refused(none, 401, "missing_token");
        assert.equal(none.headers.get("www-authenticate"), "Bearer");
      }
      for (const authorization of ["", "Bearer", "Bearer ", "Basic eDp5", world.ownerToken]) {
        const reply = await world.ask("/api/organizations", {
          token: null,
          headers: { authorization },
        });
        refused(reply, 401, "missing_token");
      }
      for (const name of ["access_token", "token", "authorization"]) {
        const reply = await world.ask(`/api/organizations?${name}=${world.ownerToken}`, {
          token: null,
        });
        refused(reply, 401, "missing_token");
      }
    });

    it("invalid_token: any token that this service did not issue", async () => {
      const own = (await world.serviceAccount("owner")).token;
      const typo = own.slice(0, -1) + (own.endsWith("0") ? "1" : "0");
      for (const one of guarded) refused(await ask(one, typo), 401, "invalid_token");
      const others = [
        own.slice(0, -1),
        `${own}0`,
        own.toLowerCase(),
        "x".repeat(32),
        "a b",
        "a.b.c",
        "x".repeat(4_000),
      ];
      for (const token of others) refused(await ask(guarded[0]!, token), 401, "invalid_token");
    });

    it("expired_token and revoked_token", async () => {
      const { organizationId } = target;
      const expiresAt = new Date(world.now() + DAY).toISOString();
      const make = async (body: object) =>
        (await world.ask("/api/tokens", { method: "POST", body: { organizationId, label: "x", ...body } }))
          .body;
      const [expired, revoked] = [await make({ expiresAt }), await make({})];
      world.advance(DAY);
      await world.ask(`/api/tokens/${revoked.tokenId}?organizationId=${organizationId}`, {
        method: "DELETE",
      });
      for (const one of guarded) {
        refused(await ask(one, expired.token), 401, "expired_token");
        refused(await ask(one, revoked.token), 401, "revoked_token");
      }
    });

    it("the scheme may have any case, and any number of spaces may follow it", async () => {
      for (const authorization of [`bearer ${world.ownerToken}`, `BEARER   ${world.ownerToken}  `]) {
        const reply = await world.ask("/api/organizations", {
          token: null,
          headers: { authorization },
        });
        assert.equal(reply.status, 200);
      }
    });

    it("the token is checked before everything else", async () => {
      const reply = await world.ask("/api/tracking-sources/src_never", {
        method: "PATCH",
        token: null,
        body: "{",
      });
      refused(reply, 401, "missing_token");
      const large = await world.ask("/api/tracking-sources", {
        method: "POST",
        token: null,
        body: "x".repeat(200_000),
      });
      refused(large, 401, "missing_token");
    });
  });

  describe("403", () => {
    it("not_a_member: every operation of a workspace, for a member of another one", async () => {
      const strangers = await world.strangers();
      for (const one of inWorkspace) refused(await ask(one, strangers.token), 403, "not_a_member");
    });

    it("not_a_member: every operation of a workspace, with a token of another one of the same user", async () => {
      const other = await world.workspace();
      const body = { organizationId: other, label: "x" };
      const { token } = (await world.ask("/api/tokens", { method: "POST", body })).body;
      for (const one of inWorkspace) refused(await ask(one, token), 403, "not_a_member");
    });

    for (const role of ROLES) {
      it(`permission_denied: exactly the operations that ${role} may not use`, async () => {
        const { token } = await world.serviceAccount(role);
        const may = new Set<string>(["member", ...ROLE_PERMISSIONS[role as Role]]);
        // operations that delete what the tests use come last
        const ordered = inWorkspace.toSorted(
          (a, b) => Number(a.id === "deleteSource") - Number(b.id === "deleteSource"),
        );
        for (const one of ordered) {
          if (one.id === "getDebug" && may.has(one.access)) continue;
          const reply = await ask(one, token);
          if (!may.has(one.access)) refused(reply, 403, "permission_denied");
          else assert.ok(![401, 403, 500].includes(reply.status), `${one.id} as ${role}: ${reply.text}`);
        }
        target.sourceId = (await world.source()).sourceId!;
      });
    }
  });

  describe("the order of checks", () => {
    const patch = (sourceId: string, body: unknown, token: string) =>
      world.ask(`/api/tracking-sources/${sourceId}`, { method: "PATCH", token, body });

    it("shape of organizationId, source, member, permission, match, body, state: the first failure answers", async () => {
      const { organizationId } = target;
      const { sourceId, slug } = await world.source();
      const other = await world.source();
      const viewer = await world.serviceAccount("viewer");
      const strangers = await world.strangers();
      const wrong = { organizationId: "org_other", name: 1 };
      assert.equal((await patch("src_never", { organizationId: 1 }, viewer.token)).status, 422);
      refused(await patch("src_never", wrong, viewer.token), 404, "source_not_found");
      refused(await patch(sourceId!, wrong, strangers.token), 403, "not_a_member");
      refused(await patch(sourceId!, wrong, viewer.token), 403, "permission_denied");
      refused(await patch(sourceId!, wrong, world.ownerToken), 404, "source_not_found");
      const clash = { organizationId, slug: other.slug };
      refused(await patch(sourceId!, { ...clash, name: 1 }, world.ownerToken), 422, "invalid_payload");
      refused(await patch(sourceId!, clash, world.ownerToken), 409, "slug_taken");
      assert.equal((await patch(sourceId!, { organizationId, slug }, world.ownerToken)).status, 200);
    });
  });
});
