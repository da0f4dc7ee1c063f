/** Reads the campaign of a page's query: UTM and Matomo fields, click ids, `ref` and `source`. Pure. */
import { CLICK_IDS, type ClickId, UTM_FIELDS } from "@headwater/contract/campaign-parameters";
import { toStorable } from "../core/text.ts";

export interface Campaign {
  /** The UTM fields that are set, by name without prefix. null: none. */
  readonly utm: Record<string, string> | null;
  /** The click ids, by name. null: none. */
  readonly clickIds: Record<string, string> | null;
  /** The value of `ref` or `source`. */
  readonly ref: string | null;
}

export const NO_CAMPAIGN: Campaign = { utm: null, clickIds: null, ref: null };

/** The prefixes of the parameters of Matomo, which was once called Piwik. */
const MATOMO_PREFIXES = ["mtm_", "matomo_", "pk_", "piwik_"];
const MATOMO_TERMS = ["keyword", "kwd"];

/** The parameters of a UTM field, most important first. */
function parametersOf(field: (typeof UTM_FIELDS)[number]): string[] {
  const matomoNames = field === "term" ? MATOMO_TERMS : [field];
  const matomo = MATOMO_PREFIXES.flatMap((prefix) => matomoNames.map((name) => prefix + name));
  return [`utm_${field}`, ...matomo, ...(field === "campaign" ? ["utm_id"] : [])];
}
const UTM_PARAMETERS = UTM_FIELDS.map((field) => ({ field, names: parametersOf(field) }));

const GOOGLE_CLICK_IDS: readonly ClickId[] = ["gclid", "gbraid", "wbraid"];
/** Google adds these beside its click id, and alone when the visitor refuses click ids. */
const BESIDE_GOOGLE_CLICK_ID: readonly ClickId[] = ["gad_source", "gad_campaignid"];
const REF_NAMES = ["ref", "source"];

/** Most queries have none of these parameters. They are not parsed. */
const MAY_HAVE_CAMPAIGN = new RegExp(
  `(?:^|&)(?:${["utm_", ...MATOMO_PREFIXES].join("|")}|(?:${[...CLICK_IDS, ...REF_NAMES].join("|")})=)`,
  "i",
);
const MAX_FIELD_LENGTH = 500;

function orNull(found: Record<string, string>): Record<string, string> | null {
  return Object.keys(found).length > 0 ? found : null;
}

/** The parameters by name in lower case. The first value that is not empty counts. */
function readParameters(query: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const [name, given] of new URLSearchParams(query)) {
    const [key, value] = [name.toLowerCase(), given.trim()];
    if (value !== "" && !values.has(key)) values.set(key, toStorable(value.slice(0, MAX_FIELD_LENGTH)));
  }
  return values;
}

function readClickIds(values: ReadonlyMap<string, string>): Record<string, string> | null {
  const hasGoogleClickId = GOOGLE_CLICK_IDS.some((name) => values.has(name));
  const found: Record<string, string> = {};
  for (const name of CLICK_IDS) {
    const value = values.get(name);
    const isExtra = hasGoogleClickId && BESIDE_GOOGLE_CLICK_ID.includes(name);
    if (value !== undefined && !isExtra) found[name] = value;
  }
  return orNull(found);
}

/** @param query without `?`. The case of names does not matter. */
export function readCampaign(query: string): Campaign {
  if (!MAY_HAVE_CAMPAIGN.test(query)) return NO_CAMPAIGN;
  const values = readParameters(query);
  const firstOf = (names: readonly string[]) => values.get(names.find((name) => values.has(name)) ?? "");
  const utm: Record<string, string> = {};
  for (const { field, names } of UTM_PARAMETERS) {
    const value = firstOf(names);
    if (value !== undefined) utm[field] = value;
  }
  return { utm: orNull(utm), clickIds: readClickIds(values), ref: firstOf(REF_NAMES) ?? null };
}
