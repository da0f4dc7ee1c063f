/** Paths that INGEST_ALIAS serves a second time: the client, ingest and the compatible endpoints (docs/api/install.md). */
const ALIASED = /^\/(?:sdk|api\/ingest|api\/compat)\//;

/** A path without the alias, and the alias under which it was requested; `""` means none. */
interface AliasedUrl {
  readonly url: string;
  readonly alias: string;
}

/**
 * Returns a function that removes the alias from a URL. Routing follows, so CORS, rates and limits are those of the
 * path without the alias.
 * @param alias a path without a slash at its end; null: none
 */
export function createAlias(alias: string | null): (url: string) => AliasedUrl {
  if (alias === null) return (url) => ({ url, alias: "" });
  return (url) => {
    const rest = url.startsWith(`${alias}/`) ? url.slice(alias.length) : "";
    return ALIASED.test(rest) ? { url: rest, alias } : { url, alias: "" };
  };
}
