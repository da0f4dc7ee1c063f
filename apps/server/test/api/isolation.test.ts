/**
 * Isolation of two tenants: every operation of the table × every kind of caller × own and foreign ids. The expected answers
 * come from an oracle that is written from the contract, not from the code.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { Operation, Role } from "@headwater/contract";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import { openReader, type Reader } from "../ledger/reader.ts";
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
  WORKSPACE,
} from "./isolation-oracle.ts";

describe("Isolation: no workspace can read or change another one", () => {
  let world: World;
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
  const member = (organizationId: string, role: Role) => made("/api/members", { organizationId, role });
  const tokenOf = (organizationId: string, userId: string, over: object = {}) =>
    made("/api/tokens", { organizationId, userId, label: "t", ...over });

  /** One thing of every kind that requests can change or delete. It is created anew for every request that succeeds. */
  async function tenant(organizationId: string): Promise<Tenant> {
    const { sourceId } = await made("/api/tracking-sources", { organizationId, name: "Target" });
    const { userId } = await member(organizationId, "viewer");
    const { tokenId } = await tokenOf(organizationId, userId);
    const erasure = { organizationId, sourceId, anonymousId: "nobody" };
    const { receiptId } = (await world.ask("/api/visitors/erase", { method: "POST", body: erasure })).body;
    const { invitationId } = await made("/api/invitations", { organizationId, role: "viewer" });
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

  before(async () => {
    world = await openWorld({}, { clock: time.clock });
    ledger = await openReader(world.dataDir);
    const organizationId = await world.workspace("Strangers");
    foreign = await tenant(organizationId);
    const stranger = await member(organizationId, "owner");
    const strangerToken = (await tokenOf(organizationId, stranger.userId)).token;

    const expiring = await member(ORGANIZATION_ID, "owner");
    const expired = await tokenOf(ORGANIZATION_ID, expiring.userId, {
      expiresAt: new Date(time.now() + DAY).toISOString(),
    });
    time.advance(2 * DAY);
    const revoked = await tokenOf(ORGANIZATION_ID, expiring.userId);
    await world.ask(`/api/tokens/${revoked.tokenId}?organizationId=${ORGANIZATION_ID}`, { method: "DELETE" });

    // an owner of both workspaces, with a token that is valid for the other one only
    const both = await member(ORGANIZATION_ID, "owner");
    await made("/api/members", { organizationId, userId: both.userId, role: "owner" });
    const limited = (await tokenOf(organizationId, both.userId)).token;

    const roles: TenantCaller[] = [];
    for (const role of ROLES) {
      const { userId } = await member(ORGANIZATION_ID, role);
      roles.push({ name: role, token: (await tokenOf(ORGANIZATION_ID, userId)).token, own: role });
    }
    home = await tenant(ORGANIZATION_ID);
    const given = async (sourceId: string) =>
      (await made("/api/tokens", { organizationId: ORGANIZATION_ID, label: "given away", sourceId })).token;
    callers = [
      { name: "no token", token: null, refusal: "missing_token" },
      { name: "a bad token", token: "hwt_bad", refusal: "invalid_token" },
      { name: "an expired token", token: expired.token, refusal: "expired_token" },
      { name: "a revoked token", token: revoked.token, refusal: "revoked_token" },
      ...roles,
      {
        name: "who was given the numbers of the source",
        token: await given(home.sourceId),
        own: "viewer",
        numbersOf: "own",
      },
      {
        name: "who was given the numbers of another source of the workspace",
        token: await given((await tenant(ORGANIZATION_ID)).sourceId),
        own: "viewer",
        numbersOf: "another",
      },
      { name: "another workspace's owner", token: strangerToken, foreign: "owner" },
      { name: "an owner of both with a token for the other workspace", token: limited, foreign: "owner" },
      { name: "the owner's token for both", token: OWNER_TOKEN, own: "owner", foreign: "owner" },
      {
        name: "an owner of both",
        token: await world.ownerSession(),
        own: "owner",
        foreign: "owner",
        isPerson: true,
      },
    ];
    foreignHash = await hashOf(organizationId);
  });
  after(async () => {
    await ledger.close();
    await world[Symbol.asyncDispose]();
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
    ];
    const all = await Promise.all(tables.map((sql) => ledger.rows(sql, organizationId)));
    return createHash("sha256").update(JSON.stringify(all)).digest("hex");
  }

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

  it("every operation of the table has an entry in the oracle", () => {
    assert.deepEqual(Object.keys(ROWS).sort(), WORKSPACE.map(({ id }) => id).sort());
  });

  let cells = 0;
  /** The hash of the first tenant's workspace; null: a request may have changed it. */
  let ownHash: string | null = null;
  for (const operation of WORKSPACE) {
    it(`${operation.method} ${operation.path}`, async () => {
      for (const caller of callers) {
        for (const aim of aimsOf(operation)) {
          const expected = oracle(operation, caller, aim);
          if (operation.id === "signOut" && caller.isPerson) continue; // the session is needed for the other rows
          const touchesForeign =
            expected === null && (operation.source ? aim.source : aim.organization) === "foreign";
          if (touchesForeign && operation.method !== "GET") continue; // this caller may change the foreign workspace
          const own =
            expected === null && operation.method !== "GET" && !caller.numbersOf
              ? await tenant(ORGANIZATION_ID)
              : home;
          if (expected === null && operation.method !== "GET") ownHash = null;
          else ownHash ??= await hashOf(ORGANIZATION_ID);
          const { reply, row } = await request(operation, caller, aim, own);
          const where = `${caller.name}, organization ${aim.organization}, source ${aim.source}: ${JSON.stringify(reply.body).slice(0, 200)}`;
          const code = reply.status < 400 ? null : reply.body.code;
          assert.equal(code, expected ?? row.notOk ?? null, where);
          if (ownHash !== null)
            assert.equal(await hashOf(ORGANIZATION_ID), ownHash, `${where} changed something`);
          const leaks = !touchesForeign && JSON.stringify(reply.body).includes(foreign.sourceId);
          assert.ok(!leaks, `${where} reveals the other workspace`);
          cells += 1;
        }
        const isUntouched = (await hashOf(foreign.organizationId)) === foreignHash;
        assert.ok(isUntouched, `${caller.name} changed the other workspace`);
      }
      await revokeInvitations(ORGANIZATION_ID);
      ownHash = null;
    });
  }

  it("the matrix has the expected number of cells", (t) => {
    t.diagnostic(`${cells} requests`);
    assert.ok(cells > 1_000, String(cells));
  });
});
