/** A client of the service that knows only docs/spec.md: plain fetch, no retries, no waiting. */
import { fresh, type World } from "../support/world.ts";
import { at, list, succeeded, text } from "./check.ts";

export const ORIGIN = "https://shop.example";
export const OTHER_ORIGIN = "https://evil.example";

export type Fields = Record<string, unknown>;

export interface SpecAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: unknown;
}

export interface SpecCall {
  /** Default: the owner's token for the workspace API, none for ingest. */
  token?: string | null;
  headers?: Record<string, string>;
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
}

export interface SpecSource {
  sourceId: string;
  publicKey: string;
  organizationId: string;
}

/** A workspace for some of the checks. */
export interface SpecWorkspace {
  organizationId: string;
  /** The token of a member who can only read. */
  viewer: string;
  /** The owner of another workspace. */
  stranger: { token: string; organizationId: string };
}

export type SpecClient = ReturnType<typeof createClient>;

async function plainFetch(
  url: string,
  method: string,
  { token, headers, body }: SpecCall,
): Promise<SpecAnswer> {
  const sent = {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(typeof token === "string" ? { authorization: `Bearer ${token}` } : {}),
    ...headers,
  };
  const payload = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(url, {
    method,
    headers: sent,
    ...(payload === undefined ? {} : { body: payload }),
  });
  const answer = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  const parsed: unknown = isJson && answer !== "" ? JSON.parse(answer) : null;
  return { status: response.status, headers: response.headers, text: answer, body: parsed };
}

export function createClient({ url, ownerToken }: World, workspace: SpecWorkspace) {
  const { organizationId } = workspace;
  const call = (method: string, path: string, { token = ownerToken, ...rest }: SpecCall = {}) =>
    plainFetch(url + path, method, { token, ...rest });
  const ingest = (path: string, body: unknown, headers: Record<string, string> = { origin: ORIGIN }) =>
    plainFetch(url + path, "POST", { body, headers });
  const create = (fields: Fields = {}, token = ownerToken) =>
    call("POST", "/api/tracking-sources", {
      token,
      body: { organizationId, name: "Shop", allowedOrigins: [ORIGIN], ...fields },
    });
  const source = async (fields: Fields = {}, token = ownerToken): Promise<SpecSource> => {
    const answer = await create(fields, token);
    succeeded(answer);
    const { body } = answer;
    return {
      sourceId: text(body, "sourceId"),
      publicKey: text(body, "publicKey"),
      organizationId: text(body, "organizationId"),
    };
  };
  const patch = ({ sourceId, organizationId }: SpecSource, fields: Fields, token = ownerToken) =>
    call("PATCH", `/api/tracking-sources/${sourceId}`, { token, body: { organizationId, ...fields } });
  const listed = async (inside = organizationId, token = ownerToken): Promise<unknown[]> => {
    const answer = await call("GET", `/api/tracking-sources?organizationId=${inside}`, { token });
    succeeded(answer);
    return sourcesIn(answer.body);
  };
  const regenerate = ({ sourceId }: SpecSource, rest: SpecCall = {}) =>
    call("POST", `/api/tracking-sources/${sourceId}/regenerate-key`, rest);
  const rotated = async (from: SpecSource): Promise<SpecSource> => {
    const answer = await regenerate(from);
    succeeded(answer);
    return { ...from, publicKey: text(answer.body, "publicKey") };
  };
  const view = async (kind: "install" | "debug", { sourceId }: SpecSource): Promise<unknown> => {
    const answer = await call("GET", `/api/tracking-sources/${sourceId}/${kind}`);
    succeeded(answer);
    return answer.body;
  };
  const shown = async (wanted: SpecSource) =>
    (await listed(wanted.organizationId)).find((one) => at(one, "sourceId") === wanted.sourceId);
  let kept: Promise<SpecSource> | undefined;
  /** One source for the checks that change nothing. */
  const shared = () => {
    kept ??= source({ name: "Shared" });
    return kept;
  };
  const management = { shared, create, source, patch, listed, regenerate, rotated, view, shown };
  return { url, ownerToken, ...workspace, call, ...management, ...createTracker(ingest) };
}

/** What a tracked application does. */
function createTracker(
  ingest: (path: string, body: unknown, headers?: Record<string, string>) => Promise<SpecAnswer>,
) {
  let opened: Promise<string> | undefined;
  /** One session of the shared source. */
  const sharedSession = (source: SpecSource) => {
    opened ??= session(source);
    return opened;
  };
  const bootstrap = (source: SpecSource, over: Fields = {}, headers?: Record<string, string>) =>
    ingest(bootstrapPath(source), bootstrapBody(over), headers);
  const session = async (source: SpecSource, over: Fields = {}): Promise<string> => {
    const answer = await bootstrap(source, over);
    succeeded(answer);
    return text(answer.body, "sessionId");
  };
  const events = (source: SpecSource, sessionId: string, sent: unknown[], over: Fields = {}) =>
    ingest(eventsPath(source), eventsBody(sessionId, sent, over));
  return { ingest, bootstrap, session, sharedSession, events };
}

/** The list of the list endpoint: the specification does not say whether it is wrapped. */
function sourcesIn(body: unknown): unknown[] {
  if (Array.isArray(body)) return body;
  const name = Object.entries(body ?? {}).find(([, value]) => Array.isArray(value))?.[0] ?? "";
  return list(body, name);
}

export const bootstrapPath = ({ publicKey }: { publicKey: string }) =>
  `/api/ingest/v2/${publicKey}/bootstrap`;
export const eventsPath = ({ publicKey }: { publicKey: string }) => `/api/ingest/v2/${publicKey}/events`;

export const PAGE = { url: `${ORIGIN}/pricing`, path: "/pricing", title: "Pricing", referrer: null };

export const bootstrapBody = (over: Fields = {}): Fields => ({
  ingestVersion: 2,
  sdkVersion: "2.0.0",
  anonymousId: "anon_1",
  sessionId: null,
  userId: null,
  page: PAGE,
  context: { locale: "en-US", timezone: "Europe/Berlin", userAgent: "Mozilla/5.0" },
  ...over,
});

export const eventsBody = (sessionId: string, events: unknown[], over: Fields = {}): Fields => ({
  ingestVersion: 2,
  sdkVersion: "2.0.0",
  batchId: fresh("batch"),
  sentAt: new Date().toISOString(),
  sessionId,
  anonymousId: "anon_1",
  context: {},
  events,
  ...over,
});

export const pageEvent = (over: Fields = {}): Fields => ({
  id: fresh("evt"),
  type: "page",
  timestamp: new Date().toISOString(),
  page: PAGE,
  ...over,
});

/** An event that the service rejects, in a batch that is valid: it is of a type that the specification does not show. */
export const rejectedEvent = (over: Fields = {}): Fields => trackEvent({ type: "heartbeat", ...over });

export const trackEvent = (over: Fields = {}): Fields => ({
  id: fresh("evt"),
  type: "track",
  name: "signup_completed",
  timestamp: new Date().toISOString(),
  properties: { plan: "pro" },
  ...over,
});

export interface SpecRoute {
  path(source: SpecSource): string;
  /** A valid body for the route. */
  body(sessionId: string): Fields;
}

const batch = (sessionId: string) => eventsBody(sessionId, [trackEvent()]);

/** The four ingest routes. */
export const ROUTES = {
  bootstrap: { path: bootstrapPath, body: () => bootstrapBody() },
  events: { path: eventsPath, body: batch },
  "legacy bootstrap": {
    path: ({ publicKey }) => `/api/ingest/${publicKey}/bootstrap`,
    body: () => bootstrapBody(),
  },
  "legacy events": { path: ({ publicKey }) => `/api/ingest/${publicKey}/events`, body: batch },
} satisfies Record<string, SpecRoute>;
