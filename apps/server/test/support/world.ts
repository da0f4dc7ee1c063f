/** Starts the real server in this process with a new ledger: the setup of every black-box test. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenApiDocument, Role } from "@headwater/contract";
import { type Environment, readConfig } from "../../src/config/config.ts";
import type { Config } from "../../src/config/settings.ts";
import { createAlias } from "../../src/http/alias.ts";
import { type RunningServer, type StartOptions, startServer } from "../../src/server.ts";
import { type ApiClient, createApiClient } from "./api-client.ts";
import { type CheckReply, createContractCheck } from "./contract-check.ts";

/** The console's URL in tests that set APP_URL. */
export const APP_URL = "https://console.example.com";
export const BASE_URL = "https://stats.example.com";
export const OWNER_TOKEN = "the-owner-token-of-a-test-world-0123456789";
export const ORGANIZATION_ID = "org_default";
export const ORIGIN = "https://shop.example";
/** The User-Agent of pages of ORIGIN. */
export const BROWSER =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

export interface TestReply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  body: any;
}

/** A source, as far as requests to it need it. */
export interface TestSource {
  sourceId: string;
  publicKey: string;
}

/** A source as the API answers it. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads the fields that it expects
export type CreatedSource = any;

export interface TestRequest {
  method?: string;
  token?: string | null;
  headers?: Record<string, string>;
  /** Sent as JSON; a string or bytes are sent unchanged. */
  body?: unknown;
}

export interface World extends AsyncDisposable {
  url: string;
  dataDir: string;
  server: RunningServer;
  /** Checks a response against /openapi.json. `ask` and `send` check every reply. */
  check: CheckReply;
  organizationId: string;
  ownerToken: string;
  /** The id of the owner that the first start created. */
  ownerId(): Promise<string>;
  /** The service's current time in milliseconds. */
  now(): number;
  /** Log lines of level error and above. */
  logged: { requestId?: string; err?: { message: string } }[];
  /** A typed client with one method per operation. Default: the owner's token. */
  api: ApiClient;
  /** Sends a request. Default: with the owner's token. */
  ask(path: string, ask?: TestRequest): Promise<TestReply>;
  /** Posts to an ingest route as a page of ORIGIN does. */
  send(path: string, body: unknown, headers?: Record<string, string>): Promise<TestReply>;
  createSource(over?: Record<string, unknown>): Promise<CreatedSource>;
  /** Opens a session in the source by a bootstrap. @returns its id */
  openSession(source: { publicKey: string }, over?: Record<string, unknown>): Promise<string>;
  /** Signs up a person by an invitation. @returns the session. Default: in the first workspace */
  person(role: Role, organizationId?: string): Promise<{ userId: string; tokenId: string; token: string }>;
  /** Creates a service account with a token. Default: in the first workspace. */
  serviceAccount(
    role: Role,
    organizationId?: string,
  ): Promise<{ userId: string; tokenId: string; token: string }>;
  /** Creates a workspace that the owner is not a member of. */
  strangers(): Promise<{ organizationId: string; userId: string; tokenId: string; token: string }>;
  source(
    fields?: Record<string, unknown>,
    organizationId?: string,
    token?: string,
  ): Promise<Record<string, string>>;
  /** The code in the sign-in link of the first start. */
  signInCode: string;
  /** The token of the owner's session: a token of the owner that acts as a person. It is made by the first call, within ten minutes. */
  ownerSession(): Promise<string>;
  /** Creates a workspace of the owner's. @returns its id */
  workspace(name?: string): Promise<string>;
  close(): Promise<void>;
}

/** Limits that ordinary tests do not reach. */
const ROOMY = {
  CLIENT_RATE_PER_SECOND: "100000",
  CLIENT_RATE_BURST: "100000",
  SOURCE_RATE_PER_SECOND: "100000",
  SOURCE_RATE_BURST: "100000",
  UNKNOWN_KEY_RATE_PER_SECOND: "100000",
  WORKSPACE_RATE_PER_SECOND: "100000",
  WORKSPACE_RATE_BURST: "100000",
  FAILED_AUTH_PER_MINUTE: "1000000",
  DISK_LOW_WATER_BYTES: "0",
};

function payloadOf(body: unknown): string | Uint8Array | null {
  if (body === undefined) return null;
  return typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
}

async function readReply(response: Response): Promise<TestReply> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("/json") ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== "" ? JSON.parse(text) : text,
  };
}

let check: Promise<CheckReply> | undefined;
/** Reads the document once: those of a process's servers differ only in addresses, and a server needs 45 ms of CPU to render it. */
async function checkOf(url: string): Promise<CheckReply> {
  const readDocument = async () => (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
  check ??= readDocument().then(createContractCheck);
  return check;
}

/** The settings of the ledger: SQLite in the folder or, with TEST_LEDGER=postgres, a database whose URL is stored in the folder. */
async function ledgerIn(dataDir: string): Promise<Record<string, string>> {
  if (process.env.TEST_LEDGER !== "postgres") return { DATA_DIR: dataDir };
  const { databaseOf } = await import("../postgres/databases.ts");
  return { DATA_DIR: dataDir, DATABASE_URL: await databaseOf(dataDir) };
}

async function removeLedger(dataDir: string): Promise<void> {
  if (process.env.TEST_LEDGER === "postgres") {
    const { removeDatabaseOf } = await import("../postgres/databases.ts");
    await removeDatabaseOf(dataDir);
  }
  rmSync(dataDir, { recursive: true, force: true });
}

export async function openWorld(
  environment: Record<string, string> = {},
  options: StartOptions = {},
  dataDir = mkdtempSync(join(tmpdir(), "headwater-test-")),
): Promise<World> {
  const settings = {
    ...ROOMY,
    PORT: "0",
    LOG_LEVEL: "error",
    // tests read the outbox; the tests of the warehouse turn it on
    WAREHOUSE: "off",
    OWNER_TOKEN,
    ...(await ledgerIn(dataDir)),
    ...environment,
  };
  const config = readConfig(settings);
  const logged: World["logged"] = [];
  const logStream = {
    write: (line: string) => {
      const fields = JSON.parse(line);
      if (fields.level >= 50) logged.push(fields);
    },
  };
  const server = await startWithClock(config, settings, { logStream, ...options });
  const splitAlias = createAlias(config.INGEST_ALIAS);
  const check = await checkOf(server.url);
  let closed = false;

  const ask = async (
    path: string,
    { method = "GET", token = OWNER_TOKEN, headers = {}, body }: TestRequest = {},
  ) => {
    const payload = payloadOf(body);
    const sent: Record<string, string> = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    };
    if (payload !== null && !Object.keys(sent).some((name) => name.toLowerCase() === "content-type")) {
      sent["content-type"] = "application/json";
    }
    const reply = await readReply(
      await fetch(server.url + path, {
        method,
        // the service could close an idle connection at the moment when a request takes it
        headers: { connection: "close", ...sent },
        body: payload as string | null,
        redirect: "manual",
      }),
    );
    check(method, splitAlias(path).url, reply, { headers: sent, body });
    return reply;
  };
  const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask(path, {
      method: "POST",
      token: null,
      body,
      headers: { origin: ORIGIN, "user-agent": BROWSER, "content-type": "text/plain", ...headers },
    });
  const createSource = async (over: Record<string, unknown> = {}) => {
    const body = { organizationId: ORGANIZATION_ID, name: "Shop", allowedOrigins: [ORIGIN], ...over };
    const reply = await ask("/api/tracking-sources", { method: "POST", body });
    if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
    return reply.body;
  };
  const openSession = async (source: { publicKey: string }, over: Record<string, unknown> = {}) => {
    const reply = await send(`/api/ingest/v2/${source.publicKey}/bootstrap`, bootstrapBody(over));
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body.sessionId as string;
  };
  const create = async (path: string, body: Record<string, unknown>, token = settings.OWNER_TOKEN) => {
    const reply = await ask(path, { method: "POST", body, token });
    assert.equal(reply.status, 201, reply.text);
    return reply.body;
  };
  const person = async (role: Role, organizationId = ORGANIZATION_ID) => {
    const { url } = await create("/api/invitations", { organizationId, role }, await ownerSession());
    const accepted = { code: url.split("#code=")[1], name: "Grace" };
    const { signInCode: code } = await create("/api/invitations/accept", accepted);
    const { body } = await ask("/api/sign-in", { method: "POST", token: null, body: { code } });
    return { userId: body.userId, tokenId: body.tokenId, token: body.token };
  };
  const serviceAccount = async (role: Role, organizationId = ORGANIZATION_ID) => {
    const { userId } = await create("/api/members", { organizationId, role, name: role });
    const { tokenId, token } = await create("/api/tokens", { organizationId, userId, label: role });
    return { userId, tokenId, token };
  };
  const signInCode = server.firstStart?.signInUrl.split("#code=")[1] ?? "";
  let session: Promise<string> | undefined;
  const ownerSession = () => {
    const headers = { "user-agent": BROWSER };
    session ??= ask("/api/sign-in", {
      method: "POST",
      token: null,
      headers,
      body: { code: signInCode },
    }).then(({ status, body }) => (status === 200 ? body.token : assert.fail(JSON.stringify(body))));
    return session;
  };
  const workspace = async (name = "Second") =>
    (await create("/api/organizations", { name }, await ownerSession())).organizationId as string;
  const ownerId = async () =>
    (await ask(`/api/permissions?organizationId=${ORGANIZATION_ID}`)).body.userId as string;
  const strangers = async () => {
    const organizationId = await workspace("Strangers");
    const { userId, tokenId, token } = await person("owner", organizationId);
    const path = `/api/members/${await ownerId()}?organizationId=${organizationId}`;
    assert.equal((await ask(path, { method: "DELETE", token })).status, 200);
    return { organizationId, userId, tokenId, token };
  };
  const source: World["source"] = (fields = {}, organizationId = ORGANIZATION_ID, token = undefined) =>
    create("/api/tracking-sources", { organizationId, name: "Shop", ...fields }, token);
  const close = async () => {
    if (closed) return;
    closed = true;
    await server.close();
  };
  return {
    url: server.url,
    dataDir,
    server,
    check,
    organizationId: ORGANIZATION_ID,
    ownerToken: settings.OWNER_TOKEN,
    ownerId,
    now: options.clock ?? Date.now,
    logged,
    api: createApiClient(ask),
    ask,
    send,
    person,
    serviceAccount,
    strangers,
    source,
    signInCode,
    ownerSession,
    workspace,
    createSource,
    openSession,
    close,
    [Symbol.asyncDispose]: async () => {
      await close();
      await removeLedger(dataDir);
    },
  };
}

/** A PostgreSQL ledger uses the database's clock, so a test that sets the time sets that clock too. */
async function startWithClock(config: Config, settings: Environment, options: StartOptions) {
  const { DATABASE_URL: url } = config;
  const { clock } = options;
  if (url === null || clock === undefined) return startServer(config, settings, options);
  const { setClock } = await import("../postgres/databases.ts");
  const setTime = async () => setClock(url, clock());
  await setTime();
  const server = await startServer(config, settings, options);
  const maintain = async () => {
    await setTime();
    await server.maintain();
  };
  return { ...server, maintain };
}

let numbered = 0;
/** A new id that no other test uses. */
// biome-ignore lint/suspicious/noAssignInExpressions: a counter
export const fresh = (prefix: string) => `${prefix}-${process.pid}-${(numbered += 1)}`;

export const bootstrapBody = (over: Record<string, unknown> = {}) => ({
  ingestVersion: 2,
  sdkVersion: "test-1",
  anonymousId: "visitor-1",
  page: { url: `${ORIGIN}/`, title: "Home" },
  ...over,
});

export const pageEvent = (over: Record<string, unknown> = {}, now = Date.now()) => ({
  id: fresh("event"),
  type: "page",
  timestamp: new Date(now).toISOString(),
  page: { url: `${ORIGIN}/pricing`, title: "Pricing" },
  ...over,
});

export const trackEvent = (over: Record<string, unknown> = {}, now = Date.now()) => ({
  id: fresh("event"),
  type: "track",
  name: "signup",
  timestamp: new Date(now).toISOString(),
  properties: { plan: "pro" },
  ...over,
});

export const eventsBody = (
  sessionId: string,
  events: unknown[],
  over: Record<string, unknown> = {},
  now = Date.now(),
) => ({
  ingestVersion: 2,
  sdkVersion: "test-1",
  batchId: fresh("batch"),
  sentAt: new Date(now).toISOString(),
  sessionId,
  anonymousId: "visitor-1",
  events,
  ...over,
});

export const bootstrapPath = ({ publicKey }: { publicKey: string }) =>
  `/api/ingest/v2/${publicKey}/bootstrap`;
export const eventsPath = ({ publicKey }: { publicKey: string }) => `/api/ingest/v2/${publicKey}/events`;

/** A clock that changes only when a test advances it; for the options of `openWorld`. */
export function drivenClock(start = Date.UTC(2026, 10, 21, 12)) {
  let now = start;
  return {
    clock: () => now,
    now: () => now,
    advance: (ms: number) => {
      now += ms;
    },
  };
}

/** Lets time pass as it does for a running service, whose maintenance reads the clock again and again. */
export async function passTime(
  { server }: Pick<World, "server">,
  { advance }: { advance(ms: number): void },
  ms: number,
): Promise<void> {
  for (let left = ms; left > 0; left -= 12 * HOUR) {
    advance(Math.min(left, 12 * HOUR));
    await server.maintain();
  }
}

/** Asserts that the request was refused with that status and code. */
export function refused({ status, body }: TestReply, wanted: number, code: string): void {
  assert.deepEqual([status, body?.code], [wanted, code], JSON.stringify(body));
}

/** The issues of a 422 response as `path: code`, sorted. */
export function issuesOf(reply: TestReply): string[] {
  refused(reply, 422, "invalid_payload");
  return reply.body.issues
    .map((one: { path: unknown[]; code: string }) => `${one.path.join(".")}: ${one.code}`)
    .sort();
}

/** The results of an events response as `status` or `status code`, in order. */
export function outcomesOf({ status, body }: TestReply): string[] {
  assert.equal(status, 200, JSON.stringify(body));
  return body.results.map((one: { status: string; code: string | null }) =>
    one.code === null || one.status === "duplicate" ? one.status : `${one.status} ${one.code}`,
  );
}

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

interface IngestRoute {
  kind: "bootstrap" | "events";
  legacy: boolean;
  path(source: { publicKey: string }): string;
  /** A valid body for the route. */
  body(sessionId: string, over?: Record<string, unknown>): Record<string, unknown>;
}

const ingestRoute = (kind: IngestRoute["kind"], legacy: boolean): IngestRoute => ({
  kind,
  legacy,
  path: ({ publicKey }) => `/api/ingest/${legacy ? "" : "v2/"}${publicKey}/${kind}`,
  body: (sessionId, over) =>
    kind === "bootstrap"
      ? bootstrapBody({ sessionId, ...over })
      : eventsBody(sessionId, [trackEvent()], over),
});

/** The four ingest routes; the same code serves all of them. */
export const INGEST_ROUTES = [
  ingestRoute("bootstrap", false),
  ingestRoute("events", false),
  ingestRoute("bootstrap", true),
  ingestRoute("events", true),
] as const;

export interface ClockedWorld extends World {
  /** Advances the service's time, which otherwise does not change. */
  advance(ms: number): void;
}

/** Opens a world whose time changes only when the test advances it, with fixed public URLs. */
export async function openClockedWorld(
  environment: Record<string, string> = {},
  options: StartOptions = {},
): Promise<ClockedWorld> {
  const { clock, advance } = drivenClock();
  const world = await openWorld({ APP_URL, BASE_URL, ...environment }, { clock, ...options });
  return { ...world, advance };
}

/** Opens a clocked world for one test and closes it when the test ends. */
export async function openClockedWorldFor(
  test: { after(end: () => Promise<void>): void },
  ...opening: Parameters<typeof openClockedWorld>
): Promise<ClockedWorld> {
  const world = await openClockedWorld(...opening);
  test.after(async () => world[Symbol.asyncDispose]());
  return world;
}
