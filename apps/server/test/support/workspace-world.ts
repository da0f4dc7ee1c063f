/**
 * A world for the workspace API's tests: the real app over an in-memory ledger, real HTTP on 127.0.0.1, a clock
 * that stands still. Every answer is held against the contract's table: a body that the OpenAPI document does not
 * promise fails the test that got it.
 */
import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { FailureOf, LIMITS, OPERATIONS, type Operation, type Role } from "@headwater/contract";
import { createAuthenticator } from "../../src/access/authenticate.ts";
import { createJwtVerifier, type JwtSettings } from "../../src/access/jwt.ts";
import { permissionsOf } from "../../src/access/permissions.ts";
import { noWarehouse } from "../../src/clickhouse/warehouse.ts";
import { TRUST_NOBODY, type Trust } from "../../src/core/client-address.ts";
import type { Rate } from "../../src/core/rate-limit.ts";
import { hashToken, makeToken } from "../../src/core/token.ts";
import { compile } from "../../src/core/validate.ts";
import { createExport } from "../../src/export/export.ts";
import { createGuard } from "../../src/http/guard.ts";
import { createWorkspaceApp } from "../../src/http/workspace-app.ts";
import { withChangeNotifications } from "../../src/ledger/change-notifications.ts";
import type { Catalog, Ledger } from "../../src/ledger/ledger.ts";
import { openCatalogOn } from "../../src/ledger/sqlite/catalog.ts";
import { migrate } from "../../src/ledger/sqlite/migrations.ts";
import { createHandlers, FIELD_RULES } from "../../src/routes.ts";
import { createStats } from "../../src/stats/stats.ts";

export const APP_URL = "https://console.example.com";
export const BASE_URL = "https://stats.example.com";
export const SIGN_IN_CODE = "the-first-start-printed-this";
const START = Date.UTC(2026, 10, 21, 12);
const PLENTY: Rate = { perSecond: 1_000_000, burst: 1_000_000 };

export interface Reply<B = Record<string, unknown>> {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire has no type; the table checks it
  body: B extends Record<string, unknown> ? any : B;
}

export interface Asked {
  token?: string | null;
  /** An object is sent as JSON; text and bytes as they are. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface World {
  url: string;
  organizationId: string;
  ownerToken: string;
  ledger: Catalog;
  now(): number;
  advance(ms: number): void;
  /** Asks with the owner's token unless told otherwise. */
  ask(method: string, path: string, asked?: Asked): Promise<Reply>;
  /** A new member of the first workspace, or of another, with a token of it. */
  member(role: Role, organizationId?: string): Promise<{ userId: string; tokenId: string; token: string }>;
  /** A workspace of somebody else. */
  strangers(): Promise<{ organizationId: string; token: string; userId: string }>;
  source(
    fields?: Record<string, unknown>,
    organizationId?: string,
    token?: string,
  ): Promise<Record<string, string>>;
  /** What the service logged as its own failure. */
  logged: unknown[];
  stop(): void;
  close(): Promise<void>;
}

export interface WorldOptions {
  jwt?: JwtSettings;
  trust?: Trust;
  rates?: { token?: Rate; failedAuth?: Rate };
  /** Changes what the ledger does, to see what becomes of its failures. */
  ledger?: (real: Catalog) => Catalog;
}

function operationAt(method: string, path: string): Operation | undefined {
  const asked = path.split("?", 1)[0]!;
  const wanted = method === "HEAD" ? "GET" : method;
  const found = (OPERATIONS as readonly Operation[]).find(
    (one) => one.method === wanted && new RegExp(`^${one.path.replace(/:\w+/g, "[^/]+")}$`).test(asked),
  );
  return found;
}

/** Is this an answer that the table promises? */
function checkAgainstTable(method: string, path: string, reply: Reply): void {
  const operation = operationAt(method, path);
  if (!operation || method === "HEAD" || reply.body === undefined) return;
  const success = reply.status < 400;
  const schema = success ? operation.answer : FailureOf(operation.codes);
  if (success) assert.equal(reply.status, operation.status);
  const check = compile(schema);
  assert.ok(
    check(reply.body),
    `${operation.id} ${reply.status}: ${JSON.stringify(check.issues(reply.body))} ${reply.text}`,
  );
}

function bodyOf(body: unknown): { body?: string | Uint8Array<ArrayBuffer>; headers: Record<string, string> } {
  if (body === undefined) return { headers: {} };
  if (body instanceof Uint8Array)
    return { body: new Uint8Array(body), headers: { "content-type": "application/json" } };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { body: text, headers: { "content-type": "application/json" } };
}

/** One verb after the other, as the ledger's own thread has it. */
function inTurn(register: Catalog): Catalog {
  let last: Promise<unknown> = Promise.resolve();
  const queued = Object.entries(register).map(([name, verb]) => [
    name,
    (value: never) => {
      const next = last.then(() => (verb as (value: never) => Promise<unknown>)(value));
      last = next.catch(() => undefined);
      return next;
    },
  ]);
  return Object.fromEntries(queued) as Catalog;
}

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  let now = START;
  let numbered = 0;
  let stopping = false;
  const logged: unknown[] = [];
  const clock = () => now;
  const newId = (prefix: string) => {
    numbered += 1;
    return `${prefix}_${numbered.toString().padStart(4, "0")}`;
  };

  const database = new DatabaseSync(":memory:");
  migrate(database);
  const real = inTurn(openCatalogOn(database));
  const ledger = withChangeNotifications((options.ledger?.(real) ?? real) as Ledger, () =>
    authenticator.forget(),
  );
  const owner = makeToken();
  const organizationId = "org_default";
  await real.setUp({
    organizationId,
    organizationName: "First",
    userId: "usr_owner",
    token: { tokenId: "tok_owner", hash: owner.hash, hint: owner.hint, label: "Owner" },
    signIn: { codeHash: hashToken(SIGN_IN_CODE), expiresAt: START + 600_000 },
    now,
  });

  const authenticator = createAuthenticator(ledger, options.jwt ? createJwtVerifier(options.jwt) : null);
  const guard = createGuard({
    ledger,
    authenticate: authenticator.authenticate,
    permissionsOf,
    rates: { token: PLENTY, failedAuth: PLENTY, ...options.rates },
    nodes: () => 1,
    rules: FIELD_RULES,
  });
  const handlers = createHandlers({
    ledger,
    newId,
    version: "0.0.0-test",
    addresses: () => ({ baseUrl: BASE_URL, appUrl: APP_URL }),
    debug: {
      get: () => Promise.reject(new Error("the debug room has tests of its own")),
      async stream({ signal }) {
        const gone = new Promise((resolve) => signal.addEventListener("abort", resolve));
        async function* beats() {
          yield ": connected\n\n";
          await gone;
        }
        return { stream: beats(), mediaType: "text/event-stream" };
      },
    },
    verify: {
      apiBaseUrl: () => BASE_URL,
      alias: null,
      allows: (source, origin) => source.allowedOrigins.includes(origin),
      keyStateOf: async (source, key) => (source.publicKey === key ? "current" : null),
    },
    stats: createStats(() => noWarehouse(null)),
    exportEvents: createExport({
      warehouse: () => noWarehouse(null),
      ledger: { readOutbox: async () => [] },
      stopping: new AbortController().signal,
    }),
    operations: {
      readyz: async () => ({
        body: { status: "ready", warehouse: { state: "off", waitingEvents: 0, lagSeconds: 0 } },
      }),
      metrics: async () => ({ text: "headwater_ready 1\n", mediaType: "text/plain; version=0.0.4" }),
      sdk: async () => ({ text: "// client\n", mediaType: "text/javascript" }),
      sdkExtra: async () => ({ text: "// extra\n", mediaType: "text/javascript" }),
      support: async () => ({
        settings: { PORT: "8790" },
        health: { ready: true, problems: [] },
        facts: { node: "24" },
      }),
    },
  });
  const app = createWorkspaceApp({
    handlers,
    guard,
    clock,
    newId,
    trust: options.trust ?? TRUST_NOBODY,
    appUrl: () => APP_URL,
    isStopping: () => stopping,
    log: { error: (fields) => void logged.push(fields) },
    storageFailed: () => undefined,
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  async function ask(method: string, path: string, asked: Asked = {}): Promise<Reply> {
    const sent = bodyOf(asked.body);
    const token = asked.token === undefined ? owner.token : asked.token;
    const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(url + path, {
      method,
      headers: { ...authorization, ...sent.headers, ...asked.headers },
      ...(sent.body === undefined ? {} : { body: sent.body }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") && text !== "";
    const reply = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
    checkAgainstTable(method, path, reply);
    return reply;
  }

  async function made(
    path: string,
    body: Record<string, unknown>,
    token?: string,
  ): Promise<Record<string, string>> {
    const reply = await ask("POST", path, { body, ...(token === undefined ? {} : { token }) });
    assert.equal(reply.status, 201, reply.text);
    return reply.body;
  }

  return {
    url,
    organizationId,
    ownerToken: owner.token,
    ledger: real,
    now: clock,
    advance: (ms) => {
      now += ms;
    },
    ask,
    async member(role, ofOrganization = organizationId) {
      const { userId } = await made("/api/members", { organizationId: ofOrganization, role });
      const created = await made("/api/tokens", { organizationId: ofOrganization, userId, label: role });
      return { userId: userId!, tokenId: created.tokenId!, token: created.token! };
    },
    async strangers() {
      const { token, hash, hint } = makeToken();
      const userId = newId("usr");
      const theirs = newId("org");
      const actor = { userId, tokenId: null };
      await real.createOrganization({ actor, now, organizationId: theirs, name: "Strangers" });
      const record = {
        tokenId: newId("tok"),
        organizationId: null,
        userId,
        ceiling: null,
        sourceId: null,
        label: "x",
        hint,
        expiresAt: null,
      };
      const full = { ...record, revokedAt: null, lastUsedAt: null, createdAt: now };
      await real.createToken({ actor, now, hash, auditOrganizationId: theirs, token: full });
      return { organizationId: theirs, token, userId };
    },
    source: (fields = {}, ofOrganization = organizationId, token) =>
      made("/api/tracking-sources", { organizationId: ofOrganization, name: "Shop", ...fields }, token),
    logged,
    stop() {
      stopping = true;
    },
    async close() {
      app.server.closeAllConnections();
      await app.close();
      database.close();
    },
  };
}

/** A world for one test, which is closed however the test ends. */
export async function worldOf(
  t: { after(end: () => Promise<void>): void },
  options?: WorldOptions,
): Promise<World> {
  const world = await openWorld(options);
  t.after(() => world.close());
  return world;
}

/** Every failure has one flat shape; which one is this? */
export function refused(reply: Reply, status: number, code: string): void {
  assert.deepEqual([reply.status, reply.body?.code], [status, code], reply.text);
  assert.equal(reply.body.ok, false);
  assert.equal(reply.headers.get("x-request-id"), reply.body.requestId);
}

/** The issues of a 422 as `path: code`. */
export function issuesOf(reply: Reply): string[] {
  refused(reply, 422, "invalid_payload");
  return reply.body.issues
    .map((one: { path: unknown[]; code: string }) => `${one.path.join(".")}: ${one.code}`)
    .sort();
}

export const DAY = 86_400_000;
export { LIMITS };
