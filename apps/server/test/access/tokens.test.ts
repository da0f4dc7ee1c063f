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

describe("/api/tokens", () => {
  let world: ClockedWorld;
  let organizationId: string;
  before(async () => {
    world = await openClockedWorld();
    await world.ownerSession();
    ({ organizationId } = world);
  });
  after(() => world.close());
  const create = (body: Record<string, unknown>, token?: string) =>
    world.ask("/api/tokens", {
      method: "POST",
      body: { organizationId, label: "CI", ...body },
      ...(token ? { token } : {}),
    });
  const list = () => world.ask(`/api/tokens?organizationId=${organizationId}`);
  const works = async (token: string) => (await world.ask("/api/organizations", { token })).status === 200;

  describe("201", () => {
    it("shows the token once with its hint, and its hash nowhere", async () => {
      const reply = await create({});
      assert.equal(reply.status, 201);
      const { token, tokenId, hint } = reply.body;
      assert.match(token, /^hwt_[0-9A-Za-z]{36}$/);
      assert.equal(hint, token.slice(-4));
      assert.ok(await works(token));
      const listed = (await list()).body.tokens.find((one: { tokenId: string }) => one.tokenId === tokenId);
      assert.deepEqual(
        [listed.label, listed.hint, "token" in listed, "hash" in listed],
        ["CI", hint, false, false],
      );
    });

    it("a token is valid only for the workspace that it was created in", async () => {
      const { token } = (await create({})).body;
      const other = await world.workspace();
      const reply = await world.ask(`/api/tracking-sources?organizationId=${other}`, { token });
      refused(reply, 403, "not_a_member");
      assert.equal((await world.ask(`/api/tracking-sources?organizationId=${other}`)).status, 200);
    });

    it("allWorkspaces: a person's own token for all workspaces, listed and revocable in each of them", async () => {
      const session = await world.ownerSession();
      const { token, tokenId } = (await create({ allWorkspaces: true }, session)).body;
      const list = () => world.ask(`/api/tokens?organizationId=${organizationId}`, { token: session });
      assert.ok((await world.ask("/api/organizations", { token })).body.organizations.length > 1);
      const listed = (await list()).body.tokens.find((one: { tokenId: string }) => one.tokenId === tokenId);
      assert.equal(listed.organizationId, null);
      const another = await world.serviceAccount("owner");
      const path = `/api/tokens?organizationId=${organizationId}`;
      for (const other of [another.token, token, (await world.person("owner")).token])
        assert.ok(!(await world.ask(path, { token: other })).text.includes(tokenId), "to nobody else");
      const revoked = await world.ask(`/api/tokens/${tokenId}?organizationId=${organizationId}`, {
        method: "DELETE",
        token: session,
      });
      assert.equal(revoked.status, 200);
      assert.equal(await works(token), false);
    });

    it("a token expires to the millisecond", async () => {
      const { token, expiresAt } = (await create({ expiresAt: new Date(world.now() + DAY).toISOString() }))
        .body;
      assert.equal(expiresAt, new Date(world.now() + DAY).toISOString());
      world.advance(DAY - 1);
      assert.ok(await works(token));
      world.advance(1);
      refused(await world.ask("/api/organizations", { token }), 401, "expired_token");
    });

    it("an expiry without a time zone is UTC", async () => {
      assert.equal(
        (await create({ expiresAt: "2030-01-01T00:00" })).body.expiresAt,
        "2030-01-01T00:00:00.000Z",
      );
    });
  });

  describe("200", () => {
    it("revocation takes effect at the next request", async () => {
      const { token, tokenId } = (await create({})).body;
      assert.ok(await works(token));
      const reply = await world.ask(`/api/tokens/${tokenId}`, { method: "DELETE", body: { organizationId } });
      assert.deepEqual(reply.body, { tokenId, revokedAt: new Date(world.now()).toISOString() });
      world.advance(1);
      const again = await world.ask(`/api/tokens/${tokenId}`, { method: "DELETE", body: { organizationId } });
      assert.deepEqual(again.body, reply.body, "the first time stands");
      refused(await world.ask("/api/organizations", { token }), 401, "revoked_token");
    });

    it("the list says when a token was last used", async () => {
      world.advance(60_000);
      const { token, tokenId } = (await create({})).body;
      world.advance(60_000);
      await works(token);
      const used = (await list()).body.tokens.find((one: { tokenId: string }) => one.tokenId === tokenId);
      assert.equal(used.lastUsedAt, new Date(world.now()).toISOString());
    });
  });

  describe("403", () => {
    it("a token of a service account does not give its creator more rights when the account's role rises", async () => {
      const admin = await world.serviceAccount("admin");
      const developer = await world.serviceAccount("developer");
      const made = (await create({ userId: developer.userId }, admin.token)).body;
      const promoted = await world.ask(`/api/members/${developer.userId}`, {
        method: "PATCH",
        body: { organizationId, role: "owner" },
      });
      assert.equal(promoted.body.role, "owner");
      const { token } = made;
      const standing = await world.ask(`/api/permissions?organizationId=${organizationId}`, { token });
      assert.equal(standing.body.role, "admin");
      assert.equal((await world.ask("/api/organizations", { token })).body.organizations[0].role, "admin");
      const above = { body: { organizationId, role: "owner", name: "Above" }, token };
      refused(await world.ask("/api/members", { method: "POST", ...above }), 403, "permission_denied");
      // nor by creating another token of the account with it
      const second = (await create({ userId: developer.userId }, token)).body;
      refused(
        await world.ask("/api/members", { method: "POST", ...above, token: second.token }),
        403,
        "permission_denied",
      );
    });

    it("a caller cannot revoke a token whose role is above their own", async () => {
      const admin = await world.serviceAccount("admin");
      const owner = await world.serviceAccount("owner");
      const revoke = (tokenId: string) =>
        world.ask(`/api/tokens/${tokenId}?organizationId=${organizationId}`, {
          method: "DELETE",
          token: admin.token,
        });
      refused(await revoke(owner.tokenId), 403, "permission_denied");
      assert.ok(await works(owner.token));
      assert.equal((await revoke((await world.serviceAccount("admin")).tokenId)).status, 200);
    });

    it("a caller cannot create a token with a role above their own", async () => {
      const admin = await world.serviceAccount("admin");
      const owner = await world.serviceAccount("owner");
      refused(await create({ userId: owner.userId }, admin.token), 403, "permission_denied");
      assert.equal((await create({ userId: admin.userId }, admin.token)).status, 201);
      assert.equal((await create({ userId: admin.userId })).body.userId, admin.userId);
    });

    it("nobody creates a token that acts for another person", async () => {
      const developer = await world.person("developer");
      const admin = await world.person("admin");
      for (const userId of [developer.userId, await world.ownerId(), "usr_never", "idp|bob"])
        for (const token of [admin.token, world.ownerToken, await world.ownerSession()]) {
          const isOwn = token !== admin.token && userId === (await world.ownerId());
          if (!isOwn) refused(await create({ userId }, token), 403, "permission_denied");
        }
      const own = (await create({}, admin.token)).body;
      assert.equal(own.userId, admin.userId);
    });

    it("allWorkspaces is allowed to a person who is signed in only", async () => {
      const owner = await world.serviceAccount("owner");
      refused(await create({ allWorkspaces: true }, owner.token), 403, "permission_denied");
      refused(await create({ allWorkspaces: true }), 403, "permission_denied");
      const session = await world.ownerSession();
      const other = { allWorkspaces: true, userId: owner.userId };
      refused(await create(other, session), 403, "permission_denied");
    });
  });

  describe("404", () => {
    it("a token of one workspace can neither list nor revoke its user's token for all workspaces", async () => {
      const wide = (await create({ allWorkspaces: true }, await world.ownerSession())).body;
      const { token } = (await create({})).body;
      const path = `/api/tokens/${wide.tokenId}?organizationId=${organizationId}`;
      for (const no of [token, wide.token])
        refused(await world.ask(path, { method: "DELETE", token: no }), 404, "token_not_found");
      assert.ok(await works(wide.token));
      const listed = await world.ask(`/api/tokens?organizationId=${organizationId}`, { token });
      assert.ok(!listed.text.includes(wide.tokenId));
    });

    it("member_not_found for a service account outside, token_not_found for a token of another workspace", async () => {
      const strangers = await world.strangers();
      const outside = await world.serviceAccount("viewer", await world.workspace());
      for (const userId of ["svc_never", outside.userId])
        refused(await create({ userId }), 404, "member_not_found");
      const theirs = await world.ask("/api/tokens", {
        method: "POST",
        token: strangers.token,
        body: { organizationId: strangers.organizationId, label: "x" },
      });
      const reply = await world.ask(`/api/tokens/${theirs.body.tokenId}?organizationId=${organizationId}`, {
        method: "DELETE",
      });
      refused(reply, 404, "token_not_found");
    });
  });

  describe("422", () => {
    it("an expiry must be an ISO 8601 date-time in the future", async () => {
      for (const expiresAt of ["tomorrow", "2030-02-30T00:00:00Z", "2030-01-01", "1893456000000"]) {
        assert.deepEqual(issuesOf(await create({ expiresAt })), ["expiresAt: invalid_timestamp"], expiresAt);
      }
      const past = new Date(world.now()).toISOString();
      for (const expiresAt of [past, "9999-12-31T23:59:59-12:00"])
        assert.deepEqual(issuesOf(await create({ expiresAt })), ["expiresAt: invalid_value"], expiresAt);
      assert.deepEqual(issuesOf(await create({ label: " ", expiresAt: past, userId: 7 })), [
        "expiresAt: invalid_value",
        "label: too_short",
        "userId: invalid_type",
      ]);
    });
  });
});

describe("a token for the stats of one source", () => {
  let world: ClockedWorld;
  let organizationId: string;
  let sourceId: string;
  before(async () => {
    world = await openClockedWorld();
    ({ organizationId } = world);
    sourceId = (await world.source({ name: "Shop" })).sourceId!;
  });
  after(() => world.close());
  const give = (body: object = {}, token = world.ownerToken) =>
    world.ask("/api/tokens", {
      method: "POST",
      body: { organizationId, label: "Partner", sourceId, ...body },
      token,
    });
  const sourceWith = (token: string, asked = sourceId) =>
    world.ask(`/api/stats/source?sourceId=${asked}`, { token });

  it("200: reads the source's name and stats, and nothing of another source", async () => {
    const { token } = (await give()).body;
    assert.deepEqual((await sourceWith(token)).body, {
      sourceId,
      name: "Shop",
      lastEventAt: null,
      missingEvents: null,
    });
    const body = { sourceId, dateRange: "7d", metrics: ["visitors"] };
    refused(await world.ask("/api/stats/query", { method: "POST", token, body }), 503, "warehouse_off");
    const other = (await world.source({ name: "Other" })).sourceId!;
    refused(await sourceWith(token, other), 403, "permission_denied");
    refused(await sourceWith(token, "src_never"), 404, "source_not_found");
  });

  it("403: allows nothing else, even for an owner", async () => {
    const { token } = (await give()).body;
    const inWorkspace = `organizationId=${organizationId}`;
    const others = [
      "/api/organizations",
      `/api/permissions?${inWorkspace}`,
      `/api/tracking-sources?${inWorkspace}`,
      `/api/tracking-sources/${sourceId}`,
      `/api/tracking-sources/${sourceId}/install`,
      `/api/export/events?sourceId=${sourceId}`,
      `/api/tokens?${inWorkspace}`,
    ];
    for (const path of others) {
      const reply = await world.ask(path, { token });
      refused(reply, 403, "permission_denied");
      assert.match(reply.body.message, /only read one source's stats/);
    }
    const strangers = await world.strangers();
    const theirs = (await world.source({}, strangers.organizationId, strangers.token)).sourceId!;
    refused(await sourceWith(token, theirs), 403, "not_a_member");
  });

  it("is listed with its source; it stops working when it is revoked or its source is removed, and not when its creator leaves", async () => {
    const one = (await world.source()).sourceId!;
    const admin = await world.serviceAccount("admin");
    // the newest token is listed first
    const giveLater = async (token?: string) => {
      world.advance(1);
      return (await give({ sourceId: one }, token)).body;
    };
    const [first, second, third] = [await giveLater(), await giveLater(admin.token), await giveLater()];
    const listed = await world.ask(`/api/tokens?organizationId=${organizationId}&sourceId=${one}`);
    assert.deepEqual(
      listed.body.tokens.map(({ tokenId, sourceId: of, ceiling }: Record<string, string>) => [
        tokenId,
        of,
        ceiling,
      ]),
      [third, second, first].map(({ tokenId }) => [tokenId, one, "viewer"]),
    );
    const remove = (path: string, token = world.ownerToken) =>
      world.ask(`${path}?organizationId=${organizationId}`, { method: "DELETE", token });
    assert.equal((await remove(`/api/tokens/${first.tokenId}`, admin.token)).status, 200, "whoever made it");
    refused(await sourceWith(first.token, one), 401, "revoked_token");
    assert.equal((await remove(`/api/members/${admin.userId}`)).status, 200);
    for (const { token } of [second, third]) assert.equal((await sourceWith(token, one)).status, 200);
    assert.equal((await remove(`/api/tracking-sources/${one}`)).status, 200);
    assert.ok([401, 404].includes((await sourceWith(third.token, one)).status));
  });

  it("the audit log names its source", async () => {
    const { tokenId } = (await give()).body;
    const { entries } = (await world.ask(`/api/audit?organizationId=${organizationId}`)).body;
    const entry = entries.find((one: { target: string }) => one.target === tokenId);
    assert.deepEqual([entry.action, entry.after.sourceId], ["token.created", sourceId]);
  });

  it("403, 404, 422: creating one needs tokens:manage and a source of the workspace, and excludes allWorkspaces", async () => {
    const developer = await world.serviceAccount("developer");
    refused(await give({}, developer.token), 403, "permission_denied");
    const strangers = await world.strangers();
    const theirs = (await world.source({}, strangers.organizationId, strangers.token)).sourceId!;
    for (const unknown of ["src_never", theirs])
      refused(await give({ sourceId: unknown }), 404, "source_not_found");
    assert.deepEqual(issuesOf(await give({ allWorkspaces: true })), ["allWorkspaces: invalid_value"]);
    assert.deepEqual(issuesOf(await give({ userId: "svc_1" })), ["userId: invalid_value"]);
    assert.deepEqual(issuesOf(await give({ sourceId: "" })), ["sourceId: too_short"]);
  });
});

describe("POST /api/sign-in", () => {
  const signIn = (world: ClockedWorld, code: unknown) =>
    world.ask("/api/sign-in", { method: "POST", token: null, body: { code } });

  it("200: exchanges the code of the first start for a token, once", async (t) => {
    const world = await openClockedWorldFor(t);
    const reply = await signIn(world, world.signInCode);
    assert.equal(reply.status, 200, reply.text);
    assert.equal((await world.ask("/api/organizations", { token: reply.body.token })).status, 200);
    refused(await signIn(world, world.signInCode), 401, "invalid_token");
  });

  it("200: the token expires after CONSOLE_TOKEN_DAYS, and the tokens that it creates may outlive it", async (t) => {
    const world = await openClockedWorldFor(t, { CONSOLE_TOKEN_DAYS: "2" });
    const { token, expiresAt } = (await signIn(world, world.signInCode)).body;
    assert.equal(Date.parse(expiresAt), world.now() + 2 * DAY);
    const body = { organizationId: "org_default", label: "Nightly" };
    const made = await world.ask("/api/tokens", { method: "POST", token, body });
    assert.equal(made.body.expiresAt, null);
    world.advance(2 * DAY);
    refused(await world.ask("/api/organizations", { token }), 401, "expired_token");
    assert.equal((await world.ask("/api/organizations", { token: made.body.token })).status, 200);
  });

  it("200: the session is labelled with the browser and system, of whose user agent nothing else is stored", async (t) => {
    const world = await openClockedWorldFor(t);
    const chrome =
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";
    const { body } = await world.ask("/api/sign-in", {
      method: "POST",
      token: null,
      body: { code: world.signInCode },
      headers: { "user-agent": chrome },
    });
    assert.equal(body.label, "Chrome on macOS");
    const [session] = (await world.ask("/api/sessions", { token: body.token })).body.sessions;
    assert.deepEqual([session.tokenId, session.label], [body.tokenId, "Chrome on macOS"]);
    const { entries } = (await world.ask("/api/audit?organizationId=org_default&action=session.started"))
      .body;
    assert.equal(entries[0].after.label, "Chrome on macOS");
    assert.doesNotMatch(JSON.stringify(entries), /10_15|131\.0|AppleWebKit/);
  });

  it("200: a program's session has the label Console", async (t) => {
    const world = await openClockedWorldFor(t);
    assert.equal((await signIn(world, world.signInCode)).body.label, "Console");
  });

  it("401 invalid_token: the hint has the command that creates a token here", async (t) => {
    const world = await openClockedWorldFor(t);
    const reply = await world.ask("/api/organizations", { token: "hwt_unknown" });
    refused(reply, 401, "invalid_token");
    assert.match(reply.body.hint, /`npx headwater token create`/);
  });

  it("401: a session ends when it was not used for CONSOLE_IDLE_DAYS; an access token does not", async (t) => {
    const world = await openClockedWorldFor(t, { CONSOLE_IDLE_DAYS: "3", CONSOLE_TOKEN_DAYS: "10" });
    const { token } = (await signIn(world, world.signInCode)).body;
    const asks = (bearer: string) => world.ask("/api/organizations", { token: bearer });
    const ends = async () => {
      const [session] = (await world.ask("/api/sessions", { token })).body.sessions;
      const { tokens } = (await world.ask("/api/tokens?organizationId=org_default", { token })).body;
      const listed = tokens.find(({ tokenId }: { tokenId: string }) => tokenId === session.tokenId);
      assert.equal(listed.expiresAt, session.expiresAt, "both lists name the same end");
      return (Date.parse(session.expiresAt) - world.now()) / DAY;
    };
    const body = { organizationId: "org_default", label: "Nightly" };
    const made = (await world.ask("/api/tokens", { method: "POST", token, body })).body;
    for (let use = 0; use < 3; use += 1) {
      assert.equal(await ends(), 3);
      world.advance(3 * DAY - 1);
      assert.equal((await asks(token)).status, 200, "used in time");
    }
    assert.ok((await ends()) < 2, "it never lives longer than CONSOLE_TOKEN_DAYS");
    const other = await openClockedWorldFor(t, { CONSOLE_IDLE_DAYS: "3" });
    const idle = (await signIn(other, other.signInCode)).body.token;
    const owner = await other.ask("/api/organizations");
    other.advance(3 * DAY);
    const ended = await other.ask("/api/organizations", { token: idle });
    refused(ended, 401, "expired_token");
    assert.equal(ended.body.message, "The console session ended after 3 days of inactivity.");
    assert.equal(ended.body.hint, "Sign in again.");
    refused(await other.ask("/api/organizations", { token: idle }), 401, "expired_token");
    assert.equal((await other.ask("/api/organizations")).status, owner.status);
    assert.equal(made.expiresAt, null);
  });

  it("401: expired_token after 10 minutes, invalid_token for an unknown code", async (t) => {
    const world = await openClockedWorldFor(t);
    const unknown = await signIn(world, "guess");
    refused(unknown, 401, "invalid_token");
    assert.equal(unknown.headers.get("www-authenticate"), "Bearer");
    world.advance(600_000);
    refused(await signIn(world, world.signInCode), 401, "expired_token");
  });

  it("422: the code must be text", async (t) => {
    const world = await openClockedWorldFor(t);
    assert.deepEqual(issuesOf(await signIn(world, 7)), ["code: invalid_type"]);
  });

  it("429: wrong codes count as failed authentications of the address", async (t) => {
    const world = await openClockedWorldFor(t, { FAILED_AUTH_PER_MINUTE: "10" });
    for (let tries = 0; tries < 10; tries += 1)
      refused(await signIn(world, `guess ${tries}`), 401, "invalid_token");
    refused(await signIn(world, "guess again"), 429, "rate_limited");
  });
});

describe("POST /api/sign-out", () => {
  const signOut = (world: ClockedWorld, token: string) =>
    world.ask("/api/sign-out", { method: "POST", token });

  it("200: revokes the token that a sign-in link made", async (t) => {
    const world = await openClockedWorldFor(t);
    const signedIn = await world.ask("/api/sign-in", {
      method: "POST",
      token: null,
      body: { code: world.signInCode },
    });
    const { token } = signedIn.body;
    assert.deepEqual((await signOut(world, token)).body, { revoked: true });
    refused(await world.ask("/api/organizations", { token }), 401, "revoked_token");
  });

  it("200: keeps a token that programs may use too", async (t) => {
    const world = await openClockedWorldFor(t);
    const { token } = await world.serviceAccount("admin");
    assert.deepEqual((await signOut(world, token)).body, { revoked: false });
    assert.equal((await world.ask("/api/organizations", { token })).status, 200);
  });
});
