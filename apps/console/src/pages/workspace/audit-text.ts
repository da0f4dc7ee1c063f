/** The audit log in words. */
import type { AuditEntry } from "@headwater/contract";

/** The kinds of changes, as the API filters them. */
export const KINDS = [
  { value: "source", label: "Sources" },
  { value: "member", label: "Members" },
  { value: "invitation", label: "Invitations" },
  { value: "token", label: "Tokens" },
  { value: "visitor", label: "Visitors" },
  { value: "organization", label: "Workspace" },
];

const MAX_VALUE_LENGTH = 60;
/** A value with more parts is in the details. */
const MAX_CHANGES = 4;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: unknown, name: string): string | null => {
  const text = isObject(value) ? value[name] : undefined;
  return typeof text === "string" && text !== "" ? text : null;
};

/** What a thing was called when it was changed. */
const calledIn = (value: unknown) =>
  textOf(value, "name") ?? textOf(value, "label") ?? textOf(value, "email");

const nameOfTarget = ({ target, before, after }: AuditEntry, names: ReadonlyMap<string, string>) =>
  calledIn(after) ?? calledIn(before) ?? names.get(target) ?? target;

/** What the console calls actions whose names do not read well. */
const ACTION_TEXTS: Readonly<Record<string, string>> = {
  "organization.created": "workspace created",
  "source.plan_saved": "tracking plan saved",
  "source.saved_item_created": "saved",
  "source.saved_item_deleted": "deleted",
};

/** `source.key_rotated` of the shop: `Source key rotated: Shop`. */
export function titleOf(entry: AuditEntry, names: ReadonlyMap<string, string>): string {
  const kind = textOf(entry.after, "kind") ?? textOf(entry.before, "kind");
  const text = ACTION_TEXTS[entry.action] ?? entry.action.replace(/[._]/g, " ");
  const words = entry.action.startsWith("source.saved_item") ? `${kind ?? "item"} ${text}` : text;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}: ${nameOfTarget(entry, names)}`;
}

function show(value: unknown): string {
  if (value === null || value === undefined) return "—";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

/** @returns each changed member as `role: viewer → admin`, of an update; an empty list for everything else */
export function describeChanges({ before, after }: AuditEntry): string[] {
  if (!isObject(before) || !isObject(after)) return [];
  const changed = Object.keys(after).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const shown = changed.slice(0, MAX_CHANGES);
  const more = changed.length - shown.length;
  return [
    ...shown.map((name) => `${name}: ${show(before[name])} → ${show(after[name])}`),
    ...(more > 0 ? [`${more} more`] : []),
  ];
}

/** The rows of a file, with a heading. */
export const auditRows = (entries: readonly AuditEntry[], names: ReadonlyMap<string, string>): string[][] => [
  ["Time", "Action", "Target", "Target id", "User", "User id", "Token id", "Before", "After"],
  ...entries.map((entry) => [
    entry.at,
    entry.action,
    nameOfTarget(entry, names),
    entry.target,
    entry.userId === null ? "the service" : (names.get(entry.userId) ?? ""),
    entry.userId ?? "",
    entry.tokenId ?? "",
    JSON.stringify(entry.before),
    JSON.stringify(entry.after),
  ]),
];
