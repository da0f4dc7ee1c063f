/** A typed client of Headwater's HTTP API for servers and scripts. */
import { ApiFailure, readFailure } from "./failure.ts";
import { waitBeforeRetry } from "./retry.ts";
import { ROUTES } from "./routes.ts";
import type { Operations } from "./schema.d.ts";

export { ApiFailure } from "./failure.ts";
export type { Operations, Schemas } from "./schema.d.ts";

export interface ApiOptions {
  /** The address of the service, such as `https://hw.example.com`. */
  readonly baseUrl: string;
  /** An access token. Ingest needs none: there it marks the events as sent by a server. */
  readonly token?: string | undefined;
  /** How often a request is sent at most. Default: 4. */
  readonly maxTries?: number;
  /** How long one try may take. Default: 30 s. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
  /** Waits before the next try. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

type Given<Part> = { [Name in keyof Part as Part[Name] extends undefined ? never : Name]: Part[Name] };
export type ApiInput<Id extends keyof Operations> = Given<Pick<Operations[Id], "params" | "body">> & {
  query?: Operations[Id]["query"];
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
};
type InputArguments<Id extends keyof Operations> =
  Record<never, never> extends ApiInput<Id> ? [input?: ApiInput<Id>] : [input: ApiInput<Id>];

/** One method for each operation. It throws an `ApiFailure` when the service refuses the request. */
export type HeadwaterApi = {
  readonly [Id in keyof Operations]: (...input: InputArguments<Id>) => Promise<Operations[Id]["answer"]>;
};

interface AnyInput {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

const DEFAULT_TRIES = 4;
const DEFAULT_TIMEOUT_MS = 30_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The same request twice has the effect of one: reads, queries, changes to given values, and events, which have ids. */
const isRepeatable = (method: string, path: string): boolean =>
  method === "GET" || method === "PATCH" || /^\/api\/(?:ingest|stats)\//.test(path);

function addressOf(baseUrl: string, path: string, { params = {}, query = {} }: AnyInput): URL {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const url = new URL(baseUrl.replace(/\/+$/, "") + filled);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}

/** The time of sending corrects the client's clock, so each try has its own. The ids stay the same. */
function bodyOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  return JSON.stringify("sentAt" in body ? { ...body, sentAt: new Date().toISOString() } : body);
}

function requestOf(method: string, input: AnyInput, { token, timeoutMs }: ApiOptions): RequestInit {
  const { body, headers, signal } = input;
  const timeout = AbortSignal.timeout(timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const text = bodyOf(body);
  return {
    method,
    headers: {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(text === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(text === undefined ? {} : { body: text }),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  };
}

async function call(route: string, input: AnyInput, options: ApiOptions): Promise<unknown> {
  const [method = "", path = "", raw] = route.split(" ");
  const { fetch: send = fetch, wait = pause, maxTries = DEFAULT_TRIES } = options;
  const url = addressOf(options.baseUrl, path, input);
  for (let tries = 1; ; tries += 1) {
    const response = await send(url, requestOf(method, input, options)).catch((error: unknown) => {
      input.signal?.throwIfAborted();
      return new ApiFailure(0, `${url.origin} does not answer.`, {}, error);
    });
    if (response instanceof Response && response.ok) return raw ? response : await response.json();
    const failure = response instanceof Response ? await readFailure(response) : response;
    const retryAfter = response instanceof Response ? response.headers.get("Retry-After") : null;
    const waitMs = waitBeforeRetry(failure, tries, isRepeatable(method, path), retryAfter);
    if (waitMs === null || tries >= maxTries) throw failure;
    await wait(waitMs);
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
