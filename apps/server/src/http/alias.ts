/**
 * INGEST_ALIAS: the client and ingest under a second path (CONTRACT section 7). What is asked for there is what is
 * asked for without it, so that routes, CORS, rates and limits cannot differ; nothing else is reached by it.
 */
const SERVED = /^\/(?:sdk|api\/ingest)\//;

/** @param alias a path without a slash at its end; null: none */
export function createAlias(alias: string | null): (url: string) => string {
  if (alias === null) return (url) => url;
  return (url) => {
    const rest = url.startsWith(`${alias}/`) ? url.slice(alias.length) : "";
    return SERVED.test(rest) ? rest : url;
  };
}
