/** A source's rules for addresses of pages: which query parameters are stored, and how paths are changed. Pure. */
import type { PathRules, QueryParameters } from "@headwater/contract";
import { isCampaignParameter } from "@headwater/contract/campaign-parameters";
import { encodePath, pathMerger } from "@headwater/contract/path-pattern";

/** The rules of one source, compiled. */
export interface AddressRules {
  /** Removes the parameters that are not stored. null: all are stored. */
  readonly cleanQuery: ((query: string) => string) | null;
  readonly cleanPath: (path: string) => string;
}

function decodeName(parameter: string): string {
  const name = parameter.split("=", 1)[0] ?? "";
  if (!name.includes("%")) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** @returns null when all parameters are stored */
function parameterCheck(stored: QueryParameters): ((name: string) => boolean) | null {
  if (stored === "all") return null;
  if (stored === "campaign") return isCampaignParameter;
  const names = new Set(stored);
  const prefixes = stored.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  return (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

function queryCleaner(stored: QueryParameters): AddressRules["cleanQuery"] {
  const isStored = parameterCheck(stored);
  if (isStored === null) return null;
  return (query) =>
    query
      .split("&")
      .filter((parameter) => isStored(decodeName(parameter)))
      .join("&");
}

const INDEX_FILE = /^index\.[a-z0-9]{1,5}$/i;

/** Removes files such as `index.html`, and slashes, from the end of a path. */
function cleanEnd(path: string, { removeIndex, removeTrailingSlash }: PathRules): string {
  const parts = removeTrailingSlash ? path.replace(/\/{2,}/g, "/").split("/") : path.split("/");
  const isRemoved = (part: string) =>
    part === "" ? removeTrailingSlash : removeIndex && INDEX_FILE.test(part);
  let length = parts.length;
  while (length > 1 && isRemoved(parts[length - 1] ?? "")) length--;
  if (length === parts.length) return parts.join("/");
  const endsWithSlash = length === 1 || !removeTrailingSlash;
  return parts.slice(0, length).join("/") + (endsWithSlash ? "/" : "");
}

/** @returns a function that writes a pattern as paths are stored: percent-encoded, and in lower case if the rules ask for that */
export const storedPattern =
  ({ lowerCase }: PathRules) =>
  (pattern: string): string =>
    lowerCase ? encodePath(pattern).toLowerCase() : encodePath(pattern);

function pathCleaner(rules: PathRules): AddressRules["cleanPath"] {
  const { removeIndex, removeTrailingSlash, lowerCase, patterns } = rules;
  const merge = pathMerger(patterns.map(storedPattern(rules)));
  return (path) => {
    const end = removeIndex || removeTrailingSlash ? cleanEnd(path, rules) : path;
    return merge(lowerCase ? end.toLowerCase() : end);
  };
}

export const compileAddressRules = (source: {
  readonly queryParameters: QueryParameters;
  readonly pathRules: PathRules;
}): AddressRules => ({
  cleanQuery: queryCleaner(source.queryParameters),
  cleanPath: pathCleaner(source.pathRules),
});
