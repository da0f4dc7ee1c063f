/** Boots the real server in this process, on a ledger of its own: the fixture of every black-box test. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../src/config.ts";
import { type RunningServer, type StartOptions, startServer } from "../src/server.ts";

export const OWNER_TOKEN = "the-owner-token-of-a-test-world-0123456789";
export const ORGANIZATION_ID = "org_default";
export const ORIGIN = "https://shop.example";

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  body: any;
}

export interface Ask {
  method?: string;
  token?: string | null;
  headers?: Record<string, string>;
  /** Sent as JSON; a string or bytes as they are. */
  body?: unknown;
}

export interface World extends AsyncDisposable {
  url: string;
  dataDir: string;
  server: RunningServer;
  /** Asks with the owner's token unless told otherwise. */
  ask(path: string, ask?: Ask): Promise<Reply>;
  /** Posts to an ingest route as a page of ORIGIN would. */
  send(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  // biome-ignore lint/suspicious/noExplicitAny: a source as the API answers it
  createSource(over?: Record<string, unknown>): Promise<any>;
  close(): Promise<void>;
}

/** Limits that no ordinary test meets. */
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

async function readReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

export async function openWorld(
  environment: Record<string, string> = {},
  options: StartOptions = {},
  dataDir = mkdtempSync(join(tmpdir(), "headwater-test-")),
): Promise<World> {
  const settings = { ...ROOMY, PORT: "0", LOG_LEVEL: "silent", OWNER_TOKEN, DATA_DIR: dataDir, ...environment };
  const server = await startServer(readConfig(settings), settings, options);
  let closed = false;

  const ask = async (path: string, { method = "GET", token = OWNER_TOKEN, headers = {}, body }: Ask = {}) => {
    const payload = payloadOf(body);
    const sent: Record<string, string> = { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers };
    if (payload !== null && !Object.keys(sent).some((name) => name.toLowerCase() === "content-type")) {
      sent["content-type"] = "application/json";
    }
    return readReply(await fetch(server.url + path, { method, headers: sent, body: payload as BodyInit | null }));
  };
  const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask(path, { method: "POST", token: null, body, headers: { origin: ORIGIN, "content-type": "text/plain", ...headers } });
  const createSource = async (over: Record<string, unknown> = {}) => {
    const body = { organizationId: ORGANIZATION_ID, name: "Shop", allowedOrigins: [ORIGIN], ...over };
    const reply = await ask("/api/tracking-sources", { method: "POST", body });
    if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
    return reply.body;
  };
  const close = async () => {
    if (closed) return;
    closed = true;
    await server.close();
  };
  return {
    url: server.url,
    dataDir,
    server,
    ask,
    send,
    createSource,
    close,
    [Symbol.asyncDispose]: async () => {
      await close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

let numbered = 0;
/** An id that no other test has. */
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

export const eventsBody = (sessionId: string, events: unknown[], over: Record<string, unknown> = {}, now = Date.now()) => ({
  ingestVersion: 2,
  sdkVersion: "test-1",
  batchId: fresh("batch"),
  sentAt: new Date(now).toISOString(),
  sessionId,
  anonymousId: "visitor-1",
  events,
  ...over,
});
