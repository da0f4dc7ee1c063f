/** The settings of the service by subject, and their values in words. */
import { formatCount } from "../../ui/format-count.ts";

export type SettingRows = readonly (readonly [name: string, value: string])[];

interface SettingGroup {
  readonly title: string;
  readonly rows: SettingRows;
}

/** The group that is open at first. */
export const CHANGED = "Changed from the defaults";
const OTHERS = "Server";
/** A setting belongs to the first group whose pattern it matches. */
const GROUPS: readonly { readonly title: string; readonly pattern: RegExp }[] = [
  { title: "Limits", pattern: /^MAX_|_RATE_|_PER_(?:SECOND|MINUTE|DAY)$|_IN_FLIGHT$/ },
  { title: "Storage", pattern: /^(?:DATA_DIR|DATABASE|WAREHOUSE|CLICKHOUSE|DEBUG|DISK)|RETENTION/ },
  { title: "Access", pattern: /^(?:AUTH|OIDC|ORGANIZATION|SECURITY|WORKSPACE)_|TOKEN/ },
  { title: "Email and alerts", pattern: /^(?:SMTP|MAIL|REPORT|ALERT)_/ },
  { title: "Logs and traces", pattern: /^OTEL_|LOG/ },
  { title: "Visitors", pattern: /^(?:TRUST_PROXY|GEO|DATA_CENTRES|REFERRER|SOURCES_FILE)/ },
];

const titleOfGroup = (name: string) => GROUPS.find(({ pattern }) => pattern.test(name))?.title ?? OTHERS;

/** The API gives them as text; the contract leaves that open. */
const textOf = (value: unknown) =>
  value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);

/**
 * @param changed the names of those that are not at their defaults
 * @returns these at first, then the groups that have settings, and at the end the settings without a value
 */
export function groupSettings(
  settings: Readonly<Record<string, unknown>>,
  changed: readonly string[],
): SettingGroup[] {
  const all = Object.entries(settings).map(([name, value]) => [name, textOf(value)] as const);
  const isChanged = ([name]: SettingRows[number]) => changed.includes(name);
  const isSet = all.filter((row) => row[1] !== "" && !isChanged(row));
  return [
    { title: CHANGED, rows: all.filter(isChanged) },
    ...[OTHERS, ...GROUPS.map(({ title }) => title)].map((title) => ({
      title,
      rows: isSet.filter(([name]) => titleOfGroup(name) === title),
    })),
    { title: "Not set", rows: all.filter((row) => row[1] === "" && !isChanged(row)) },
  ].filter(({ rows }) => rows.length > 0);
}

const BINARY_UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];
/** @returns for example `1 GiB`, or null for a number of less than 1 KiB */
function toBinaryUnits(bytes: number): string | null {
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), BINARY_UNITS.length - 1);
  return power < 1
    ? null
    : `${formatCount(Math.round((bytes / 1024 ** power) * 10) / 10)} ${BINARY_UNITS[power]}`;
}

/** The meaning of 0 in these settings. */
const ZEROS = [
  { pattern: /_PER_(?:DAY|SECOND)$/, note: "no limit" },
  { pattern: /^ALERT_(?:QUIET_HOURS|DELIVERY_PERCENT)$/, note: "never" },
];

interface SettingText {
  readonly text: string;
  /** The same in a readable unit, or what it means. */
  readonly note: string | null;
}

/** The settings that are amounts. The digits of the others, such as a port or an id, are not numbers to read. */
const AMOUNTS = /BYTES|DAYS|HOURS|_SIZE$|_RATE_|_PER_|_FLIGHT$|THREADS|PERCENT/;

/** @returns the value with thousands separators, and its note: `1,073,741,824` and `1 GiB`, or `0` and `no limit` */
export function describeSetting(name: string, value: string): SettingText {
  if (!AMOUNTS.test(name) || !/^\d+$/.test(value)) return { text: value || "—", note: null };
  const amount = Number(value);
  const zero = ZEROS.find(({ pattern }) => pattern.test(name))?.note ?? null;
  const unit = name.includes("BYTES") ? toBinaryUnits(amount) : null;
  return { text: formatCount(amount), note: amount === 0 ? zero : unit };
}
