/**
 * Two tenants, and everybody who might reach across: every operation of the table × every kind of caller × own and
 * foreign ids. What must be answered is worked out here, by an oracle that knows the contract and not the code.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { OPERATIONS, type Operation, type Permission, type Role } from "@headwater/contract";
import { rowsOf } from "../ledger-reader.ts";
import {
  bootstrapBody,
  bootstrapPath,
  DAY,
  drivenClock,
  eventsBody,
  eventsPath,
  openWorld,
  ORGANIZATION_ID,
  OWNER_TOKEN,
  outcomesOf,
  refused,
  trackEvent,
  type World,
} from "../world.ts";

// CONTRACT section 3, written down once more
const VIEWER: Permission[] = ["sources:read", "stats:read"];
const DEVELOPER: Permission[] = [...VIEWER, "sources:write", "debug:read", "export:read"];
const ADMIN: Permission[] = [
  ...DEVELOPER,
  ...(["sources:admin", "members:manage", "tokens:manage", "audit:read", "usage:read", "support:read", "visitors:erase"] as const),
];
const MAY: Record<Role, Permission[]> = { viewer: VIEWER, developer: DEVELOPER, admin: ADMIN, owner: ADMIN };
const ROLES = Object.keys(MAY) as Role[];

interface Tenant {
  organizationId: string;
  sourceId: string;
  userId: string;
  tokenId: string;
}

interface Caller {
  name: string;
  token: string | null;
  /** Why no token at all would do. */
  refusal?: "missing_token" | "invalid_token" | "expired_token" | "revoked_token";
  /** The caller's role in each of the two workspaces, as far as the token reaches. */
  own?: Role;
  foreign?: Role;
  /** Its token is for every workspace of its user. */
  everywhere?: true;
}

/** What each operation wants beside its workspace and its source; an operation that is not here fails the test. */
const ROWS: Record<string, (tenant: Tenant) => { body?: object; params?: Record<string, string>; notOk?: string }> = {
  listSources: () => ({}),
  createSource: () => ({ body: { name: "New" } }),
  getSource: () => ({}),
  updateSource: () => ({ body: { name: "Renamed" } }),
  deleteSource: () => ({}),
  regenerateKey: () => ({}),
  restoreKey: () => ({ body: { publicKey: "pk_none", gracePeriodSeconds: 60 }, notOk: "key_not_retired" }),
  getInstall: () => ({}),
  getDebug: () => ({}),
  streamDebug: () => ({}),
  getPermissions: () => ({}),
  listMembers: () => ({}),
  addMember: () => ({ body: { role: "viewer" } }),
  updateMember: ({ userId }) => ({ body: { role: "viewer" }, params: { userId } }),
  removeMember: ({ userId }) => ({ params: { userId } }),
  listTokens: () => ({}),
  createToken: () => ({ body: { label: "New" } }),
  revokeToken: ({ tokenId }) => ({ params: { tokenId } }),
  listAudit: () => ({}),
  getOnboarding: () => ({}),
  completeOnboarding: () => ({}),
  getUsage: () => ({}),
  getBilling: () => ({}),
  getSupport: () => ({}),
  listOrganizations: () => ({}),
  createOrganization: () => ({ body: { name: "New" } }),
};

const WORKSPACE = (OPERATIONS as readonly Operation[]).filter(
  ({ access }) => access !== "public" && access !== "public-key",
);
const inBody = ({ organization }: Operation) => organization === "body" || organization === "optional-body";
const isOptional = ({ organization }: Operation) => organization?.startsWith("optional") ?? false;

/** Which workspace is named, and whose source: `own` is the first tenant's, `foreign` the second's. */
interface Aim {
  organization: "own" | "foreign" | "none" | "unknown";
  source: "own" | "foreign" | "unknown";
}

function aimsOf(operation: Operation): Aim[] {
  const named: Aim["organization"][] = operation.organization ? ["own", "foreign", "unknown"] : ["none"];
  const organizations = isOptional(operation) ? [...named, "none" as const] : named;
  const sources: Aim["source"][] = operation.source ? ["own", "foreign", "unknown"] : ["own"];
  return organizations.flatMap((organization) => sources.map((source) => ({ organization, source })));
}

/** The order of checks of CONTRACT section 1, as the code of the answer; null: it goes through. */
function oracle(operation: Operation, caller: Caller, aim: Aim): string | null {
  if (caller.refusal) return caller.refusal;
  if (operation.source && aim.source === "unknown") return "source_not_found";
  if (operation.id === "createOrganization" && !caller.everywhere) return "permission_denied";
  if (!operation.source && !operation.organization) return null;
  const place = operation.source ? aim.source : aim.organization;
  const role = place === "own" ? caller.own : place === "foreign" ? caller.foreign : undefined;
  if (!role) return "not_a_member";
  const { access } = operation;
  if (access !== "member" && access !== "token" && !MAY[role].includes(access as Permission)) return "permission_denied";
  if (operation.source && aim.organization !== "none" && aim.organization !== aim.source) return "source_not_found";
  return null;
}

describe("Isolation: nothing crosses from one workspace to another", () => {
  let world: World;
  let callers: Caller[];
  let ledger: DatabaseSync;
  let foreign: Tenant;
  const time = drivenClock();

  const made = async (path: string, body: object, token?: string) => {
    const reply = await world.ask(path, { method: "POST", body, ...(token ? { token } : {}) });
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    return reply.body;
  };
  const member = (organizationId: string, role: Role) => made("/api/members", { organizationId, role });
  const tokenOf = (organizationId: string, userId: string, over: object = {}) =>
    made("/api/tokens", { organizationId, userId, label: "t", ...over });

  /** Something of every kind that may be changed or taken away; anew for every request that goes through. */
  async function tenant(organizationId: string): Promise<Tenant> {
    const { sourceId } = await made("/api/tracking-sources", { organizationId, name: "Target" });
    const { userId } = await member(organizationId, "viewer");
    const { tokenId } = await tokenOf(organizationId, userId);
    return { organizationId, sourceId, userId, tokenId };
  }

  before(async () => {
    world = await openWorld({}, { clock: time.clock });
    ledger = new DatabaseSync(join(world.dataDir, "ledger.sqlite"), { readOnly: true });
    const { organizationId } = await made("/api/organizations", { name: "Strangers" });
    foreign = await tenant(organizationId);
    const stranger = await member(organizationId, "owner");
    const strangerToken = (await tokenOf(organizationId, stranger.userId)).token;

    const expiring = await member(ORGANIZATION_ID, "owner");
    const expired = await tokenOf(ORGANIZATION_ID, expiring.userId, { expiresAt: new Date(time.now() + DAY).toISOString() });
    time.advance(2 * DAY);
    const revoked = await tokenOf(ORGANIZATION_ID, expiring.userId);
    await world.ask(`/api/tokens/${revoked.tokenId}?organizationId=${ORGANIZATION_ID}`, { method: "DELETE" });

    // an owner of both, with a token that was made in the other workspace and opens that one only
    const both = await member(ORGANIZATION_ID, "owner");
    await made("/api/members", { organizationId, userId: both.userId, role: "owner" });
    const limited = (await tokenOf(organizationId, both.userId)).token;

    const roles: Caller[] = [];
    for (const role of ROLES) {
      const { userId } = await member(ORGANIZATION_ID, role);
      roles.push({ name: role, token: (await tokenOf(ORGANIZATION_ID, userId)).token, own: role });
    }
    callers = [
      { name: "no token", token: null, refusal: "missing_token" },
      { name: "a bad token", token: "hwt_bad", refusal: "invalid_token" },
      { name: "an expired token", token: expired.token, refusal: "expired_token" },
      { name: "a revoked token", token: revoked.token, refusal: "revoked_token" },
      ...roles,
      { name: "another workspace's owner", token: strangerToken, foreign: "owner" },
      { name: "an owner of both with a token for the other workspace", token: limited, foreign: "owner" },
      { name: "an owner of both", token: OWNER_TOKEN, own: "owner", foreign: "owner", everywhere: true },
    ];
  });
  after(async () => {
    ledger.close();
    await world.close();
  });

  /** Everything in the ledger that belongs to one workspace, as one hash. */
  function hashOf(organizationId: string): string {
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
      "select * from audit where organization_id = ?1 order by seq",
    ];
    const hash = createHash("sha256");
    for (const sql of tables) hash.update(JSON.stringify(ledger.prepare(sql).all(organizationId)));
    return hash.digest("hex");
  }

  async function request(operation: Operation, caller: Caller, aim: Aim, own: Tenant) {
    const row = ROWS[operation.id]!(aim.source === "foreign" ? foreign : aim.organization === "foreign" ? foreign : own);
    const organizations = { own: own.organizationId, foreign: foreign.organizationId, unknown: "org_nobody", none: undefined };
    const sources = { own: own.sourceId, foreign: foreign.sourceId, unknown: "src_nobody" };
    const organizationId = organizations[aim.organization];
    const params: Record<string, string> = { sourceId: sources[aim.source], ...row.params };
    const path = operation.path.replace(/:(\w+)/g, (_, name: string) => params[name]!);
    const query = organizationId && !inBody(operation) ? `?organizationId=${organizationId}` : "";
    const body = operation.body && operation.method !== "DELETE" ? { ...row.body, ...(inBody(operation) && { organizationId }) } : undefined;
    const { method } = operation;
    return { reply: await ask(operation, path + query, { method, token: caller.token, ...(body && { body }) }), row };
  }

  /** A stream that opens is closed at once: its status is all that is asked. */
  async function ask(operation: Operation, path: string, { method, token, body }: { method: string; token: string | null; body?: object }) {
    if (operation.mediaType !== "text/event-stream") return world.ask(path, { method, token, body });
    const over = new AbortController();
    const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(world.url + path, { headers, signal: over.signal });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
    const answered = isStream ? "" : ((await response.json()) as { code: string });
    over.abort();
    return { status: response.status, headers: response.headers, body: answered };
  }

  it("every operation of the table has a row here", () => {
    assert.deepEqual(Object.keys(ROWS).sort(), WORKSPACE.map(({ id }) => id).sort());
  });

  let cells = 0;
  for (const operation of WORKSPACE) {
    it(`${operation.method} ${operation.path}`, async () => {
      for (const caller of callers) {
        for (const aim of aimsOf(operation)) {
          const expected = oracle(operation, caller, aim);
          const touchesForeign = expected === null && (operation.source ? aim.source : aim.organization) === "foreign";
          if (touchesForeign && operation.method !== "GET") continue; // theirs to change, and it would be changed
          const own = expected === null && operation.method !== "GET" ? await tenant(ORGANIZATION_ID) : { ...foreign, ...(await home()) };
          const before = hashOf(foreign.organizationId);
          const ownBefore = expected === null ? "" : hashOf(ORGANIZATION_ID);
          const { reply, row } = await request(operation, caller, aim, own);
          const where = `${caller.name}, organization ${aim.organization}, source ${aim.source}: ${JSON.stringify(reply.body).slice(0, 200)}`;
          const code = reply.status < 400 ? null : reply.body.code;
          assert.equal(code, expected ?? row.notOk ?? null, where);
          assert.equal(hashOf(foreign.organizationId), before, `${where} changed the other workspace`);
          if (expected !== null) assert.equal(hashOf(ORGANIZATION_ID), ownBefore, `${where} changed something`);
          const leaks = !touchesForeign && JSON.stringify(reply.body).includes(foreign.sourceId);
          assert.ok(!leaks, `${where} tells of the other workspace`);
          cells += 1;
        }
      }
    });
  }

  let homeTenant: Tenant | undefined;
  async function home(): Promise<Tenant> {
    homeTenant ??= await tenant(ORGANIZATION_ID);
    return homeTenant;
  }

  it("the matrix had that many cells", (t) => {
    t.diagnostic(`${cells} requests`);
    assert.ok(cells > 1_000, String(cells));
  });

  describe("A public key reaches its own source and no other", () => {
    it("events for a session of another source are 403 invalid_session, its sessions stay as they are", async () => {
      const [mine, theirs] = [await world.createSource(), await world.createSource()];
      const sessionId = await world.openSession(theirs);
      const before = rowsOf(world.dataDir, "select * from sessions where source_id = ?", theirs.sourceId);
      time.advance(1_000);
      const body = eventsBody(sessionId, [trackEvent({}, time.now())], { userId: "mallory" }, time.now());
      refused(await world.send(eventsPath(mine), body), 403, "invalid_session");
      const own = await world.openSession(mine);
      const named = eventsBody(own, [trackEvent({ sessionId }, time.now())], { userId: "mallory" }, time.now());
      assert.deepEqual(outcomesOf(await world.send(eventsPath(mine), named)), ["rejected session_mismatch"]);
      assert.deepEqual(rowsOf(world.dataDir, "select * from sessions where source_id = ?", theirs.sourceId), before);
    });

    it("bootstrap with a session of another source never tells that it exists", async () => {
      const [mine, theirs] = [await world.createSource(), await world.createSource()];
      const sessionId = await world.openSession(theirs, { userId: "victim" });
      const answers = [];
      for (const id of [sessionId, "ses_nobody"]) {
        const { body, headers } = await world.send(bootstrapPath(mine), bootstrapBody({ sessionId: id }));
        const { attemptId: _attempt, sessionId: made, ...rest } = body;
        assert.notEqual(made, id);
        answers.push([rest, [...headers.keys()]]);
      }
      assert.deepEqual(answers[0], answers[1]);
    });

    it("a key is no token, and a token is no key", async () => {
      const source = await world.createSource();
      refused(await world.ask("/api/organizations", { token: source.publicKey }), 401, "invalid_token");
      const owner = callers.find(({ name }) => name === "owner")!.token!;
      refused(await world.send(bootstrapPath({ publicKey: owner }), bootstrapBody()), 404, "unknown_public_key");
      refused(await world.send(bootstrapPath({ publicKey: source.sourceId }), bootstrapBody()), 404, "unknown_public_key");
    });
  });
});
