/** A source's rules for addresses of pages: which query parameters are stored, and how paths are changed. Pure. */
import type { PathRules, QueryParameters } from "@headwater/contract";
import { isCampaignParameter } from "@headwater/contract/campaign-parameters";
import { pathCleaner } from "@headwater/contract/path-pattern";
import { decodeComponent } from "../core/text.ts";

/** The rules of one source, compiled. */
export interface AddressRules {
  /** Removes the parameters that are not stored. null: all are stored. */
  readonly cleanQuery: ((query: string) => string) | null;
  /** Changes a path in its normalized form. */
  readonly cleanPath: (path: string) => string;
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
      .filter((parameter) => isStored(decodeComponent(parameter.split("=", 1)[0] ?? "")))
      .join("&");
}

export const compileAddressRules = (source: {
  readonly queryParameters: QueryParameters;
  readonly pathRules: PathRules;
}): AddressRules => ({
  cleanQuery: queryCleaner(source.queryParameters),
  cleanPath: pathCleaner(source.pathRules),
});
