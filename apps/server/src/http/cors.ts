/** CORS of the workspace API (CONTRACT section 4): the console's origin is let in, and no other; never with credentials. */

const EXPOSED =
  "Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id, Location, WWW-Authenticate";
const ASKED = "Authorization, Content-Type, X-Request-Id, Last-Event-ID";
const MAX_AGE_SECONDS = "7200";

/** @param appUrl the console's address */
export function corsHeaders(origin: string | undefined, appUrl: string): Record<string, string> {
  const allowed = origin !== undefined && origin === URL.parse(appUrl)?.origin;
  if (!allowed) return { Vary: "Origin" };
  return { Vary: "Origin", "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": EXPOSED };
}

/** Besides `corsHeaders`, where those let the origin in. */
export const preflightHeaders = (methods: string): Record<string, string> => ({
  "Access-Control-Allow-Methods": methods,
  "Access-Control-Allow-Headers": ASKED,
  "Access-Control-Max-Age": MAX_AGE_SECONDS,
});
