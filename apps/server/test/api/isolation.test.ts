/**
 * Isolation of two tenants: every operation of the table × every kind of caller × own and foreign ids. The expected answers
 * come from an oracle that is written from the contract, not from the code.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { Operation } from "@headwater/contract";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import { openReader, type Reader } from "../ledger/reader.ts";
import { type JwtIssuer, startJwtIssuer } from "../support/jwt-issuer.ts";
import { DAY, drivenClock, ORGANIZATION_ID, OWNER_TOKEN, openWorld, type World } from "../support/world.ts";
import {
  type Aim,
  aimsOf,
  inBody,
  oracle,
  ROLES,
  ROWS,
  type Tenant,
  type TenantCaller,
  unstated,
  WORKSPACE,
} from "./isolation-oracle.ts";

/** Operations that use up what they are given, or make what a source can have few of. */
const CONSUMING = new Set(
  "deleteSource removeMember revokeToken revokeInvitation createSavedItem createReport restoreKey".split(" "),
);
const PASSWORD = "correct horse";

describe("Isolation: no caller can read or change what it may not", () => {
  let world: World;
  let issuer: JwtIssuer;
  let callers: TenantCaller[];
  let ledger: Reader;
  let foreign: Tenant;
  let home: Tenant;
  /** No request of these tests may change it. */
  let foreignHash: string;
  const time = drivenClock();

  const made = async (path: string, body: object, token?: string) => {
    const reply = await world.ask(path, { method: "POST", body, ...(token ? { token } : {}) });
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    return reply.body;
  };
  const inHome = { organizationId: ORGANIZATION_ID };

  /** One thing of every kind that requests can change or delete. */
  async function tenant(organizationId: string): Promise<Tenant> {
    const { sourceId } = await made("/api/tracking-sources", { organizationId, name: "Target" });
    const { userId, tokenId } = await world.serviceAccount("viewer", organizationId);
    const erasure = { organizationId, sourceId, anonymousId: "nobody" };
    const { receiptId } = (await world.ask("/api/visitors/erase", { method: "POST", body: erasure })).body;
    const { invitationId } = await made(
      "/api/invitations",
      { organizationId, role: "viewer" },
      await world.ownerSession(),
    );
    return { organizationId, sourceId, userId, tokenId, receiptId, invitationId };
  }

  /** Each new tenant makes an invitation, and a workspace has a bounded number of them. */
  async function revokeInvitations(organizationId: string): Promise<void> {
    const { body } = await world.ask(`/api/invitations?organizationId=${organizationId}`);
    if (body.invitations.length < SERVER_LIMITS.maxInvitationsPerWorkspace / 2) return;
    for (const { invitationId } of body.invitations)
      await world.ask(`/api/invitations/${invitationId}?organizationId=${organizationId}`, {
        method: "DELETE",
      });
  }

  /** Callers whose token is not valid. The time passes for one of them. */
  async function strangersToAll(): Promise<TenantCaller[]> {
    const token = { ...inHome, label: "ended" };
    const expiresAt = new Date(time.now() + DAY).toISOString();
    const expired = await made("/api/tokens", { ...token, expiresAt });
    time.advance(2 * DAY);
    const revoked = await made("/api/tokens", token);
    await world.ask(`/api/tokens/${revoked.tokenId}?organizationId=${ORGANIZATION_ID}`, { method: "DELETE" });
    return [
      { name: "nobody", token: null, refusal: "missing_token" },
      { name: "a bad token", token: "hwt_bad", refusal: "invalid_token" },
      { name: "an expired token", token: expired.token, refusal: "expired_token" },
      { name: "a revoked token", token: revoked.token, refusal: "revoked_token" },
    ];
  }

  /** People with each role, a token and a service account of each, and a JWT. */
  async function members(): Promise<TenantCaller[]> {
    const found: TenantCaller[] = [];
    for (const role of ROLES) {
      const { token } = await world.person(role);
      found.push({ name: `a signed-in ${role}`, token, own: role, isPerson: true });
      const account = await world.serviceAccount(role);
      found.push({ name: `a service account with the role ${role}`, token: account.token, own: role });
    }
    const admin = await world.person("admin");
    const { token } = await made("/api/tokens", { ...inHome, label: "own" }, admin.token);
    found.push({ name: "an admin's own token", token, own: "admin" });
    await world.ask(`/api/members/${admin.userId}`, { method: "PATCH", body: { ...inHome, role: "owner" } });
    found.push({
      name: "the session of that user, an owner now",
      token: admin.token,
      own: "owner",
      isPerson: true,
    });
    const { url } = await made(
      "/api/invitations",
      { ...inHome, role: "developer" },
      await world.ownerSession(),
    );
    const jwt = await issuer.sign("idp|bob", time.now());
    const code = url.split("#code=")[1];
    await world.ask("/api/invitations/join", { method: "POST", token: jwt, body: { code } });
    found.push({ name: "a developer with a JWT", token: jwt, own: "developer", isPerson: true });
    return found;
  }

  /** Tokens of the first tenant's source, and of another one of its workspace. */
  async function tokensOfSources(): Promise<TenantCaller[]> {
    const { sourceId } = home;
    const other = (await made("/api/tracking-sources", { ...inHome, name: "Other" })).sourceId;
    const give = async (body: object) =>
      (await made("/api/tokens", { ...inHome, label: "given", ...body })).token;
    const link = await give({ sourceId, password: PASSWORD });
    const unlocked = await world.ask("/api/stats/unlock", {
      method: "POST",
      token: null,
      body: { token: link, password: PASSWORD },
    });
    const own = "viewer" as const;
    return [
      { name: "a shared link", token: await give({ sourceId }), own, scope: "stats" },
      {
        name: "a shared link of another source",
        token: await give({ sourceId: other }),
        own,
        scope: "stats",
        isOfOther: true,
      },
      { name: "a locked link", token: link, own, scope: "locked stats" },
      { name: "an unlocked link", token: unlocked.body.token, own, scope: "stats" },
      {
        name: "a token that sends events",
        token: await give({ sourceId, scope: "ingest" }),
        own,
        scope: "ingest",
      },
    ];
  }

  before(async () => {
    issuer = await startJwtIssuer();
    world = await openWorld(issuer.settings, { clock: time.clock });
    ledger = await openReader(world.dataDir);
    const owner = await world.ownerSession();
    const organizationId = await world.workspace("Strangers");
    const invalid = await strangersToAll();
    foreign = await tenant(organizationId);
    home = await tenant(ORGANIZATION_ID);
    const limited = await made("/api/tokens", { organizationId, label: "limited" });
    const stranger = await world.person("owner", organizationId);
    callers = [
      ...invalid,
      ...(await members()),
      ...(await tokensOfSources()),
      { name: "another workspace's owner", token: stranger.token, foreign: "owner", isPerson: true },
      { name: "an owner of both with a token for the other one", token: limited.token, foreign: "owner" },
      { name: "the token of the first start", token: OWNER_TOKEN, own: "owner", foreign: "owner" },
      { name: "an operator, who owns both", token: owner, own: "owner", foreign: "owner", isPerson: true },
    ];
    foreignHash = await hashOf(organizationId);
  });
  after(async () => {
    await ledger.close();
    await world[Symbol.asyncDispose]();
    await issuer[Symbol.asyncDispose]();
  });

  /** A hash of everything in the ledger that belongs to one workspace. */
  async function hashOf(organizationId: string): Promise<string> {
    const own = "select source_id from sources where organization_id = ?1";
    const tables = [
      "select * from organizations where organization_id = ?1",
      "select * from members where organization_id = ?1 order by user_id",
      "select token_id, hash, expires_at, revoked_at, label, user_id from tokens where organization_id = ?1 order by token_id",
      "select * from sources where organization_id = ?1 order by source_id",
      `select * from source_keys where source_id in (${own}) order by public_key`,
      `select * from source_activity where source_id in (${own}) order by source_id`,
      `select * from sessions where source_id in (${own}) order by session_id`,
      `select * from usage where source_id in (${own}) order by source_id, day`,
      "select receipt_id, source_id, kind, requested_at from erasures where organization_id = ?1 order by receipt_id",
      "select * from invitations where organization_id = ?1 order by invitation_id",
      // a read is noted, and changes nothing else
      "select * from audit where organization_id = ?1 and action not in ('source.debug_read', 'source.events_read', 'source.exported') order by seq",
      `select report_id, user_id, target from reports where organization_id = ?1 order by report_id`,
      `select * from saved_items where source_id in (${own}) order by saved_id`,
      `select * from tracking_plans where source_id in (${own}) order by source_id, version`,
    ];
    const all = await Promise.all(tables.map((sql) => ledger.rows(sql, organizationId)));
    return createHash("sha256").update(JSON.stringify(all)).digest("hex");
  }

  /** A hash of what belongs to people and to no workspace. */
  async function hashOfPeople(): Promise<string> {
    const every = "where cast(?1 as text) is not null";
    const tables = [
      `select * from profiles ${every} order by user_id`,
      `select * from identities ${every} order by user_id`,
      `select * from passkeys ${every} order by passkey_id`,
      `select hash, user_id from sign_in_codes ${every} order by hash`,
      `select organization_id, user_id, role from members ${every} order by organization_id, user_id`,
      `select token_id, revoked_at from tokens ${every} and organization_id is null order by token_id`,
    ];
    const all = await Promise.all(tables.map((sql) => ledger.rows(sql, "")));
    return createHash("sha256").update(JSON.stringify(all)).digest("hex");
  }
  const hashOfHome = async () => (await hashOf(ORGANIZATION_ID)) + (await hashOfPeople());

  async function request(operation: Operation, caller: TenantCaller, aim: Aim, own: Tenant) {
    const row = ROWS[operation.id]!(
      aim.source === "foreign" ? foreign : aim.organization === "foreign" ? foreign : own,
    );
    const organizations = {
      own: own.organizationId,
      foreign: foreign.organizationId,
      unknown: "org_nobody",
      none: undefined,
    };
    const sources = { own: own.sourceId, foreign: foreign.sourceId, unknown: "src_nobody" };
    const organizationId = organizations[aim.organization];
    const params: Record<string, string> = { sourceId: sources[aim.source], ...row.params };
    const path = operation.path.replace(/:(\w+)/g, (_, name: string) => params[name]!);
    const { sourceId } = params;
    const asked = {
      ...(organizationId && !inBody(operation) && { organizationId }),
      ...(operation.source === "query" && { sourceId }),
      ...row.query,
    };
    const query =
      Object.keys(asked).length > 0 ? `?${new URLSearchParams(asked as Record<string, string>)}` : "";
    const named = {
      ...(inBody(operation) && { organizationId }),
      ...(operation.source === "body" && { sourceId }),
    };
    const body = operation.body && operation.method !== "DELETE" ? { ...row.body, ...named } : undefined;
    const { method } = operation;
    return {
      reply: await ask(operation, path + query, { method, token: caller.token, ...(body && { body }) }),
      row,
    };
  }

  /** Closes a stream as soon as it has opened, since only its status is tested. */
  async function ask(
    operation: Operation,
    path: string,
    { method, token, body }: { method: string; token: string | null; body?: object },
  ) {
    if (operation.mediaType !== "text/event-stream") return world.ask(path, { method, token, body });
    const over = new AbortController();
    const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(world.url + path, { headers, signal: over.signal });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
    const answered = isStream ? "" : ((await response.json()) as { code: string });
    over.abort();
    return { status: response.status, headers: response.headers, body: answered };
  }

  it("every operation of the table is stated with its access, and a new one is not", () => {
    assert.deepEqual(unstated(WORKSPACE), []);
    assert.deepEqual(Object.keys(ROWS).sort(), WORKSPACE.map(({ id }) => id).sort());
    const [first] = WORKSPACE;
    const planted = { ...first, id: "readDiary" } as Operation;
    assert.deepEqual(unstated([...WORKSPACE, planted]), ["readDiary"]);
    const opened = { ...first, access: "stats:read" } as Operation;
    assert.deepEqual(unstated([opened]), [first!.id]);
  });

  let cells = 0;

  /** Signing out ends the session, which other requests still need. */
  const callerFor = async ({ id }: Operation, caller: TenantCaller): Promise<TenantCaller> =>
    id === "signOut" && caller.isPerson ? { ...caller, token: (await world.person("viewer")).token } : caller;

  interface Cell {
    caller: TenantCaller;
    aim: Aim;
    expected: string | null;
    touchesForeign: boolean;
  }
  const cellsOf = (operation: Operation): Cell[] =>
    callers.flatMap((caller) =>
      aimsOf(operation).map((aim) => {
        const expected = oracle(operation, caller, aim);
        const place = operation.source ? aim.source : aim.organization;
        return { caller, aim, expected, touchesForeign: expected === null && place === "foreign" };
      }),
    );

  async function check(operation: Operation, { caller, aim, expected, touchesForeign }: Cell): Promise<void> {
    const own = expected === null && CONSUMING.has(operation.id) ? await tenant(ORGANIZATION_ID) : home;
    const { reply, row } = await request(operation, await callerFor(operation, caller), aim, own);
    const where = `${caller.name}, organization ${aim.organization}, source ${aim.source}: ${JSON.stringify(reply.body).slice(0, 200)}`;
    const code = reply.status < 400 ? null : reply.body.code;
    assert.equal(code, expected ?? row.notOk ?? null, where);
    const leaks = !touchesForeign && JSON.stringify(reply.body).includes(foreign.sourceId);
    assert.ok(!leaks, `${where} reveals the other workspace`);
    cells += 1;
  }

  for (const operation of WORKSPACE) {
    it(`${operation.method} ${operation.path}`, async () => {
      const isGet = operation.method === "GET";
      // what an owner of both workspaces may change in the other one is left out
      const asked = cellsOf(operation).filter(({ touchesForeign }) => isGet || !touchesForeign);
      const changeless = asked.filter(({ expected }) => isGet || expected !== null);
      const before = await hashOfHome();
      for (const cell of changeless) await check(operation, cell);
      assert.equal(await hashOfHome(), before, "a request that was refused, or a GET, changed something");
      for (const cell of asked) if (!changeless.includes(cell)) await check(operation, cell);
      assert.equal(await hashOf(foreign.organizationId), foreignHash, "the other workspace was changed");
      await revokeInvitations(ORGANIZATION_ID);
    });
  }

  it("the matrix has the expected number of cells", (t) => {
    t.diagnostic(`${cells} requests`);
    assert.ok(cells > 3_000, String(cells));
  });
});
