/** A typed client of Headwater's HTTP API for servers and scripts. */
import { ApiFailure, readFailure, unreachable, unreadable } from "./failure.ts";
import { pause, waitBeforeRetry } from "./retry.ts";
import { ROUTES } from "./routes.ts";
import type { Operations } from "./schema.d.ts";

export { ApiFailure } from "./failure.ts";
export type { Operations, Schemas } from "./schema.d.ts";

export interface ApiOptions {
  /** The address of the service, such as `https://hw.example.com`. */
  readonly baseUrl: string;
  /** An access token, or a function that is called for each try. Ingest needs none: there it marks the events as sent by a server. */
  readonly token?: string | null | undefined | (() => string | null);
  /** How often a request is sent at most. Default: 4. */
  readonly maxTries?: number;
  /** The longest wait before another try. A request whose answer asks for more is not sent again. Default: 1 minute. */
  readonly maxWaitMs?: number;
  /** How long one try may take; for a stream, until it begins. Default: 1 minute, longer than the service takes for any answer. */
  readonly timeoutMs?: number;
  readonly fetch?: (url: URL, request: RequestInit) => Promise<Response>;
  /** The time of sending, in milliseconds since the epoch. Default: `Date.now`. */
  readonly clock?: () => number;
  /** Waits before the next try. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<unknown>;
}

interface CallOptions extends Pick<RequestInit, "headers" | "keepalive"> {
  signal?: AbortSignal;
}

type Parts<Id extends keyof Operations> = Pick<Operations[Id], "params" | "query" | "body">;
type Taken<Of> = { [Name in keyof Of as [Of[Name]] extends [undefined] ? never : Name]: Of[Name] };
type Needed<Of> = {
  [Name in keyof Of as Record<never, never> extends Of[Name]
    ? never
    : undefined extends Of[Name]
      ? never
      : Name]: Of[Name];
};
export type ApiInput<Id extends keyof Operations> = Partial<Taken<Parts<Id>>> &
  Needed<Parts<Id>> &
  CallOptions;
type InputArguments<Id extends keyof Operations> =
  Record<never, never> extends ApiInput<Id> ? [input?: ApiInput<Id>] : [input: ApiInput<Id>];
export type ApiAnswer<Id extends keyof Operations> = Operations[Id]["answer"];

/** One method for each operation. It throws an `ApiFailure` when the request fails. */
export type HeadwaterApi = {
  readonly [Id in keyof Operations]: (...input: InputArguments<Id>) => Promise<ApiAnswer<Id>>;
};

interface AnyInput extends CallOptions {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
}

interface CallTarget {
  method: string;
  url: URL;
  /** The answer is the response itself. */
  isRaw: boolean;
}

const DEFAULT_TRIES = 4;
const DEFAULT_WAIT_MS = 60_000;
const DEFAULT_TIMEOUT_MS = 60_000;

/** The same request twice has the effect of one: reads, queries, changes to given values, and events, which have ids. */
const isRepeatable = (method: string, path: string): boolean =>
  ["GET", "PUT", "PATCH"].includes(method) || /^\/api\/(?:ingest|stats)\//.test(path);

function addressOf(baseUrl: string, path: string, { params = {}, query = {} }: AnyInput): URL {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const url = new URL(baseUrl.replace(/\/+$/, "") + filled);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  return url;
}

/** The time of sending corrects the client's clock, so each try has its own. The ids stay the same. */
function bodyOf(body: unknown, sentAt: number): string | null {
  if (typeof body !== "object" || body === null) return null;
  return JSON.stringify("sentAt" in body ? { ...body, sentAt: new Date(sentAt).toISOString() } : body);
}

function authorizationOf(token: string): string {
  // the error of an invalid header would contain the token
  if (/[^\x21-\x7e]/.test(token.trim()))
    throw new TypeError(
      "An access token has no spaces and no lines. Check the file or variable that holds it.",
    );
  return `Bearer ${token.trim()}`;
}

function requestOf(
  method: string,
  input: AnyInput,
  { token: given, clock = Date.now }: ApiOptions,
): RequestInit {
  const token = typeof given === "function" ? given() : given;
  const { keepalive = false } = input;
  const headers = new Headers(input.headers);
  if (token && !headers.has("Authorization")) headers.set("Authorization", authorizationOf(token));
  const body = bodyOf(input.body, clock());
  if (body !== null) headers.set("Content-Type", "application/json");
  return { method, headers, body, keepalive };
}

/** Sends a request once. @throws ApiFailure */
async function send(
  { url, method, isRaw }: CallTarget,
  input: AnyInput,
  options: ApiOptions,
): Promise<unknown> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, fetch: ask = fetch } = options;
  const request = requestOf(method, input, options);
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new DOMException("", "TimeoutError")), timeoutMs);
  const signal = input.signal ? AbortSignal.any([input.signal, timeout.signal]) : timeout.signal;
  try {
    const response = await ask(url, { ...request, signal });
    if (!response.ok) throw await readFailure(url, response);
    if (isRaw) return response;
    return await response.json().catch((error: unknown) => {
      throw error instanceof SyntaxError ? unreadable(url, response) : error;
    });
  } catch (error) {
    input.signal?.throwIfAborted();
    throw error instanceof ApiFailure ? error : unreachable(url, error);
  } finally {
    clearTimeout(timer);
  }
}

async function call(route: string, input: AnyInput, options: ApiOptions): Promise<unknown> {
  const [method = "", path = "", raw] = route.split(" ");
  const { wait = pause, maxTries = DEFAULT_TRIES, maxWaitMs = DEFAULT_WAIT_MS } = options;
  const url = addressOf(options.baseUrl, path, input);
  for (let tries = 1; ; tries += 1) {
    try {
      return await send({ method, url, isRaw: raw !== undefined }, input, options);
    } catch (error) {
      if (!(error instanceof ApiFailure) || tries >= maxTries) throw error;
      const waitMs = waitBeforeRetry(error, isRepeatable(method, path), tries);
      if (waitMs === null || waitMs > maxWaitMs) throw error;
      await wait(waitMs, input.signal);
    }
  }
}

/**
 * Creates a client.
 *
 *     const api = createApi({ baseUrl: "https://hw.example.com", token: process.env.HEADWATER_TOKEN });
 *     const { sources } = await api.listSources({ query: { organizationId: "org_default" } });
 */
export function createApi(options: ApiOptions): HeadwaterApi {
  const methods = Object.entries(ROUTES).map(([id, route]) => [
    id,
    (input: AnyInput = {}) => call(route, input, options),
  ]);
  // the table of routes and the types are generated from the same document
  return Object.fromEntries(methods) as HeadwaterApi;
}
