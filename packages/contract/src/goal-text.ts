/**
 * A goal as a text, as the command line reads and shows it: `Bought=event:purchase; price gt 100; value 25 EUR`. No schema
 * library is imported here: the console uses this file.
 */
/** How a goal compares a property. */
export const GOAL_OPERATORS = ["is", "is_not", "contains", "gt", "lt"] as const;
type ConditionValue = string | number | boolean;
interface GoalParts {
  readonly name: string;
  readonly event: string | null;
  readonly path: string | null;
  readonly conditions: readonly {
    readonly property: string;
    readonly operator: (typeof GOAL_OPERATORS)[number];
    readonly value: ConditionValue;
  }[];
  readonly value: { readonly amount: number; readonly currency: string } | null;
}

/** A number, true, false, or a text, in quotation marks if it looks like one of the others. */
export function parseConditionValue(text: string): ConditionValue {
  const trimmed = text.trim();
  if (/^-?\d+(?:\.\d+)?$/.test(trimmed)) return Number(trimmed);
  if (trimmed === "true" || trimmed === "false") return trimmed === "true";
  return /^".*"$/s.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
}

/** Writes a text that `parseConditionValue` reads. */
export const formatConditionValue = (value: ConditionValue): string =>
  typeof value === "string" && (parseConditionValue(value) !== value || value.includes(";"))
    ? `"${value}"`
    : String(value);

export const formatGoal = ({ name, event, path, conditions, value }: GoalParts): string =>
  [
    `${name}=${event === null ? `path:${path}` : `event:${event}`}`,
    ...conditions.map((one) => `${one.property} ${one.operator} ${formatConditionValue(one.value)}`),
    ...(value ? [`value ${value.amount} ${value.currency}`] : []),
  ].join("; ");

/** Parts end at a semicolon before a space, except within quotation marks. */
const PARTS = /(?:[^;"]|"[^"]*"|"|;(?!\s))+/g;
const CONDITION = new RegExp(`^(.+?) (${GOAL_OPERATORS.join("|")}) (.+)$`, "s");

/** Reads what `formatGoal` writes. null: the text is not a goal. */
export function parseGoal(text: string): GoalParts | null {
  const [target = "", ...others] = (text.match(PARTS) ?? []).map((part) => part.trim());
  const [, name, kind, aim] = /^(.+)=(event|path):(.+)$/s.exec(target) ?? [];
  if (name === undefined || aim === undefined) return null;
  const conditions: GoalParts["conditions"][number][] = [];
  let goalValue: GoalParts["value"] = null;
  for (const part of others) {
    const [, amount, currency] = /^value (\d+(?:\.\d+)?) ([a-z]{3})$/i.exec(part) ?? [];
    const [, property, word, value] = CONDITION.exec(part) ?? [];
    const operator = GOAL_OPERATORS.find((one) => one === word);
    if (currency !== undefined && goalValue === null) goalValue = { amount: Number(amount), currency };
    else if (property !== undefined && operator !== undefined && value !== undefined)
      conditions.push({ property, operator, value: parseConditionValue(value) });
    else return null;
  }
  const isEvent = kind === "event";
  return { name, event: isEvent ? aim : null, path: isEvent ? null : aim, conditions, value: goalValue };
}

interface ContentGroupParts {
  readonly name: string;
  readonly paths: readonly string[];
}

/** A content group as a text: `Docs=/docs/*; /guides/*`. */
export const formatContentGroup = ({ name, paths }: ContentGroupParts): string =>
  `${name}=${paths.join("; ")}`;

/** Reads what `formatContentGroup` writes. null: the text is no group. */
export function parseContentGroup(text: string): ContentGroupParts | null {
  const [, name, paths] = /^\s*(.+?)\s*=\s*(\/.*)$/s.exec(text) ?? [];
  if (name === undefined || paths === undefined) return null;
  return { name, paths: paths.trim().split(/;\s+/) };
}
