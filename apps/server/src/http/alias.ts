/** Paths that INGEST_ALIAS serves a second time: the client, ingest and the compatible endpoints (docs/api/install.md). */
const ALIASED = /^\/(?:sdk|api\/ingest|api\/compat)\//;

/**
 * Removes the alias from a URL. Routing follows, so CORS, rates and limits are those of the
 * path without the alias.
 * @param alias a path without a slash at its end; null: none
 * @returns a function that returns the path without the alias, and the alias under which it was requested; `""` means none
 */
export function createAlias(alias: string | null) {
  return (url: string) => {
    if (alias === null) return { url, alias: "" };
    const rest = url.startsWith(`${alias}/`) ? url.slice(alias.length) : "";
    return ALIASED.test(rest) ? { url: rest, alias } : { url, alias: "" };
  };
}
