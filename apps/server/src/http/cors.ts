/**
 * The CORS policies (docs/api/ingest.md). Ingest allows credentials, because beacons of JSON always have them; it reads
 * no cookie and sets none. The workspace API does not allow them, except for the cookie of a remembered sign-in.
 */
import type { IncomingHttpHeaders } from "node:http";
import { REMEMBER_PATH } from "./cookies.ts";

export interface CorsPolicy {
  /** Headers of every answer. */
  headers(origin: string | undefined): Record<string, string>;
  /** Further headers of the answer to a preflight request. `methods` are those of the path. */
  preflight(request: IncomingHttpHeaders, methods: string): Record<string, string>;
}

const RATE_HEADERS = "Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset";
const MAX_AGE_SECONDS = "7200";

/** Every origin may read every answer, so that a page can see why it was refused. */
export const INGEST_CORS: CorsPolicy = {
  headers: (origin) => {
    if (origin === undefined) return { Vary: "Origin" };
    return {
      Vary: "Origin",
      "Access-Control-Allow-Origin": origin,
      "Access-Control-Allow-Credentials": "true",
      "Access-Control-Expose-Headers": `${RATE_HEADERS}, X-Request-Id`,
    };
  },
  preflight: (request) => {
    const askedHeaders = request["access-control-request-headers"];
    return {
      // methods other than POST are allowed too, so that the page can read the 405
      "Access-Control-Allow-Methods": request["access-control-request-method"] ?? "POST",
      ...(askedHeaders === undefined ? {} : { "Access-Control-Allow-Headers": askedHeaders }),
      "Access-Control-Max-Age": MAX_AGE_SECONDS,
      Vary: "Origin, Access-Control-Request-Headers, Access-Control-Request-Method",
    };
  },
};

/**
 * @param appUrl the console's address; only its origin is allowed. It may contain the listening port, known only after the start
 * @param takesCookie the routes use the cookie of a remembered sign-in
 */
function createWorkspaceCors(appUrl: () => string, takesCookie: boolean): CorsPolicy {
  const isAllowed = (origin: string | undefined): origin is string =>
    origin !== undefined && origin === URL.parse(appUrl())?.origin;
  return {
    headers: (origin) => {
      if (!isAllowed(origin)) return { Vary: "Origin" };
      return {
        Vary: "Origin",
        "Access-Control-Allow-Origin": origin,
        ...(takesCookie && { "Access-Control-Allow-Credentials": "true" }),
        "Access-Control-Expose-Headers": `${RATE_HEADERS}, X-Request-Id, Location, WWW-Authenticate`,
      };
    },
    preflight: (request, methods) => {
      if (!isAllowed(request.origin)) return { Allow: methods };
      return {
        Allow: methods,
        "Access-Control-Allow-Methods": methods,
        "Access-Control-Allow-Headers": "Authorization, Content-Type, X-Request-Id, Last-Event-ID",
        "Access-Control-Max-Age": MAX_AGE_SECONDS,
      };
    },
  };
}

/** @returns the policy of a path of the workspace API */
export function createCorsPolicies(appUrl: () => string): (path: string) => CorsPolicy {
  const workspace = createWorkspaceCors(appUrl, false);
  const remember = createWorkspaceCors(appUrl, true);
  return (path) => (path.startsWith(REMEMBER_PATH) ? remember : workspace);
}
