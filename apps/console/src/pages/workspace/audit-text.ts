/** The audit log in words. */
import type { AuditEntry } from "@headwater/contract";
import { dateFormat } from "../../own-format.ts";

/** The kinds of changes, as the API filters them. */
export const KINDS = [
  { value: "source", label: "Sources" },
  { value: "member", label: "Members" },
  { value: "invitation", label: "Invitations" },
  { value: "token", label: "Tokens" },
  { value: "session", label: "Sign-ins" },
  { value: "person", label: "Accounts" },
  { value: "link", label: "Share link access" },
  { value: "visitor", label: "Visitors" },
  { value: "organization", label: "Workspace" },
];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: unknown, name: string): string | null => {
  const text = isObject(value) ? value[name] : undefined;
  return typeof text === "string" && text !== "" ? text : null;
};

/** The name of a thing when it was changed. */
const calledIn = (value: unknown) =>
  textOf(value, "name") ?? textOf(value, "label") ?? textOf(value, "email");

/** Sign-ins that failed and are nobody's, by reason. */
const REFUSAL_TEXTS: Readonly<Record<string, string>> = {
  unknown_code: "unknown link",
  unknown_address: "unknown email address",
  no_account: "no account",
  provider_failed: "identity provider",
};

/** The person of a session. */
function nameOfSession(
  { target, before, after }: Pick<AuditEntry, "target" | "before" | "after">,
  names: ReadonlyMap<string, string>,
): string | null {
  const userId = textOf(after, "userId") ?? textOf(before, "userId");
  return userId === null ? (REFUSAL_TEXTS[target] ?? null) : (names.get(userId) ?? userId);
}

const nameOfTarget = ({ action, target, before, after }: AuditEntry, names: ReadonlyMap<string, string>) =>
  (action.startsWith("session.") ? nameOfSession({ target, before, after }, names) : null) ??
  calledIn(after) ??
  calledIn(before) ??
  names.get(target) ??
  // an invitation by link has nobody's name
  (action.startsWith("invitation.") ? (textOf(after, "role") ?? textOf(before, "role")) : null) ??
  target;

/** Texts for actions whose names do not read well. */
const ACTION_TEXTS: Readonly<Record<string, string>> = {
  "organization.created": "workspace created",
  "source.plan_saved": "tracking plan saved",
  "source.report_created": "report created",
  "source.report_deleted": "report deleted",
  "source.report_confirmed": "report confirmed",
  "source.report_unsubscribed": "unsubscribed from report",
  "source.debug_read": "debug history read",
  "source.events_read": "stored events read",
  "source.exported": "events exported",
  "session.started": "signed in",
  "session.refused": "sign-in refused",
  "person.renamed": "name changed",
  "person.email_changed": "email changed",
  "person.email_restored": "email restored",
  "person.identity_linked": "identity linked",
  "link.unlocked": "share link opened with its password",
  "link.refused": "wrong password for share link",
  "source.saved_item_created": "saved",
  "source.saved_item_deleted": "deleted",
};

/** The tokens that read the stats of one source are share links. */
const isShareLink = (token: unknown) => textOf(token, "scope") === "stats";

/** `source.key_rotated` of the shop: `Source key rotated: Shop`. */
export function titleOf(entry: AuditEntry, names: ReadonlyMap<string, string>): string {
  const kind = textOf(entry.after, "kind") ?? textOf(entry.before, "kind");
  const isLink = isShareLink(entry.before) || isShareLink(entry.after);
  const action = isLink ? entry.action.replace("token.", "share link ") : entry.action;
  const text = ACTION_TEXTS[action] ?? action.replace(/[._]/g, " ");
  const words = entry.action.startsWith("source.saved_item") ? `${kind ?? "item"} ${text}` : text;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}: ${nameOfTarget(entry, names)}`;
}

const minute = { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" } as const;
const thisYear = dateFormat(minute);
const otherYear = dateFormat({ ...minute, year: "numeric" });

/** @returns for example `Sep 29, 8:00 PM`, with the year unless it is the current one */
export function formatMinute(at: number): string {
  const isThisYear = new Date(at).getFullYear() === new Date().getFullYear();
  return (isThisYear ? thisYear : otherYear)().format(at);
}

const clock = dateFormat({ hour: "numeric", minute: "2-digit" });
/** @returns for example `8:00 PM` */
export const formatClock = (at: number): string => clock().format(at);

const weekday = { weekday: "long", month: "long", day: "numeric" } as const;
const dayThisYear = dateFormat(weekday);
const dayOtherYear = dateFormat({ ...weekday, year: "numeric" });

/** @returns for example `Tuesday, September 29`, with the year unless it is that of `now` */
function formatWeekday(at: number, now: number): string {
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? dayThisYear : dayOtherYear)().format(at);
}

interface AuditDay {
  readonly day: string;
  readonly entries: AuditEntry[];
}

/** The entries by day in the time zone of the browser, in the order of the list. */
export function groupByDay(entries: readonly AuditEntry[], now: number): AuditDay[] {
  const days: AuditDay[] = [];
  for (const entry of entries) {
    const day = formatWeekday(Date.parse(entry.at), now);
    const last = days.at(-1);
    if (last?.day === day) last.entries.push(entry);
    else days.push({ day, entries: [entry] });
  }
  return days;
}

type AuditNames = ReadonlyMap<string, string>;

/** `allowedOrigins` as `Allowed origins`. */
function toWords(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** @param name of the member: times are numbers or texts whose name ends with `At` */
function valueText(name: string, value: unknown, names: AuditNames): string {
  if (isEmpty(value)) return "—";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (name.endsWith("At") && (typeof value === "number" || typeof value === "string"))
    return formatMinute(new Date(value).getTime());
  if (typeof value === "string") return names.get(value) ?? value;
  if (Array.isArray(value) && value.every((one) => typeof one !== "object" || calledIn(one) !== null))
    return value.map((one) => calledIn(one) ?? valueText(name, one, names)).join(", ");
  return JSON.stringify(value);
}

/** The names of these lists are verbs. */
const LIST_VERBS = new Set(["added", "removed", "changed"]);

/** A member before and after; `undefined` where there is none. */
function describeMember(name: string, before: unknown, after: unknown, names: AuditNames): string[] {
  if (JSON.stringify(before) === JSON.stringify(after) || (isEmpty(before) && isEmpty(after))) return [];
  const value = before ?? after;
  // the id of something whose name is shown instead
  const label = toWords(typeof value === "string" && names.has(value) ? name.replace(/Id$/, "") : name);
  if (isObject(before ?? after) && isObject(after ?? before))
    return describeMembers(before, after, names).map((text) => `${label}, ${toLowerStart(text)}`);
  if (before !== undefined && after !== undefined) {
    const [old, current] = [valueText(name, before, names), valueText(name, after, names)];
    // such as goals, of which one was changed but none renamed
    return [old === current ? `${label} changed: ${JSON.stringify(after)}` : `${label}: ${old} → ${current}`];
  }
  return [`${label}${LIST_VERBS.has(name) ? "" : ":"} ${valueText(name, value, names)}`];
}

const toLowerStart = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
const memberOf = (value: unknown, name: string) => (isObject(value) ? value[name] : undefined);

function describeMembers(before: unknown, after: unknown, names: AuditNames): string[] {
  const members = new Set([before, after].flatMap((value) => (isObject(value) ? Object.keys(value) : [])));
  return [...members].flatMap((name) =>
    describeMember(name, memberOf(before, name), memberOf(after, name), names),
  );
}

/**
 * The details of an entry: each changed member as `Role: viewer → admin`, and the members of what was created or
 * deleted as `Role: viewer`. Members without a value are left out.
 * @param names of members, sources and the workspace, by id
 */
export const describeChanges = ({ before, after }: AuditEntry, names: AuditNames): string[] =>
  describeMembers(before, after, names);

/** Whether the entry changed something that goes on to exist, rather than creating or deleting it. */
export const isUpdate = ({ before, after }: AuditEntry): boolean =>
  isObject(before) && isObject(after) && Object.keys(before).some((name) => name in after);

/** The rows of a file, with a heading. */
const ACTOR_TEXTS: Readonly<Record<AuditEntry["actor"], string>> = {
  person: "Person",
  token: "Access token",
  service_account: "Service account",
  shared_link: "Share link",
  command_line: "Command line",
  stranger: "Not signed in",
  system: "System",
};

/** The name of who made a change, such as "Ada" or "Ada (access token)". */
export function actorName({ actor, userId }: AuditEntry, names: ReadonlyMap<string, string>): string {
  const name = userId === null ? undefined : names.get(userId);
  if (userId === null || actor === "command_line") return ACTOR_TEXTS[actor];
  const shown = name ?? userId;
  return actor === "person" ? shown : `${shown} (${ACTOR_TEXTS[actor].toLowerCase()})`;
}

export const auditRows = (entries: readonly AuditEntry[], names: ReadonlyMap<string, string>): string[][] => [
  ["Time", "Action", "Target", "Target ID", "Actor", "User", "User ID", "Token ID", "Before", "After"],
  ...entries.map((entry) => [
    entry.at,
    entry.action,
    nameOfTarget(entry, names),
    entry.target,
    ACTOR_TEXTS[entry.actor],
    entry.userId === null ? "" : (names.get(entry.userId) ?? ""),
    entry.userId ?? "",
    entry.tokenId ?? "",
    JSON.stringify(entry.before),
    JSON.stringify(entry.after),
  ]),
];
