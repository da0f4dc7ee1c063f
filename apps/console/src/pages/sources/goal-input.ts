/** A goal as its form edits it, and as its row describes it. */
import type { Goal, GoalCondition } from "@headwater/contract";
import { formatConditionValue, parseConditionValue } from "@headwater/contract/goal-text";
import { normalizePath } from "@headwater/contract/path-pattern";

/** A condition as the form edits it: its value as a text. */
export type ConditionInput = Omit<GoalCondition, "value"> & { readonly value: string };
export const EMPTY_CONDITION: ConditionInput = { property: "", operator: "is", value: "" };

export const OPERATORS = [
  { value: "is", label: "is" },
  { value: "is_not", label: "is not" },
  { value: "contains", label: "contains" },
  { value: "gt", label: "is more than" },
  { value: "lt", label: "is less than" },
] as const satisfies readonly { value: GoalCondition["operator"]; label: string }[];

export const GOAL_KINDS = [
  { value: "event", label: "Event" },
  { value: "path", label: "Page" },
] as const;

export interface GoalInput {
  readonly name: string;
  readonly kind: (typeof GOAL_KINDS)[number]["value"];
  readonly text: string;
  readonly conditions: readonly ConditionInput[];
  /** The value of a conversion, or null. The amount is a text. */
  readonly value: { readonly amount: string; readonly currency: string } | null;
}
export const EMPTY_GOAL: GoalInput = { name: "", kind: "event", text: "", conditions: [], value: null };

export const toGoalInput = ({ name, event, path, conditions, value }: Goal): GoalInput => ({
  name,
  kind: event === null ? "path" : "event",
  text: event ?? path ?? "",
  conditions: conditions.map(({ value, ...others }) => ({ ...others, value: formatConditionValue(value) })),
  value: value && { ...value, amount: String(value.amount) },
});

export const toGoal = ({ name, kind, text, conditions, value }: GoalInput) => ({
  name: name.trim(),
  [kind]: kind === "path" ? normalizePath(text.trim()) : text.trim(),
  conditions: conditions.map(({ value, ...others }) => ({ ...others, value: parseConditionValue(value) })),
  value: value && { amount: Number(value.amount), currency: value.currency.trim() },
});

export const isFilled = ({ name, text }: GoalInput) => name.trim() !== "" || text.trim() !== "";

/** @returns `plan is pro, 25 EUR per conversion`, or an empty text */
export function describeDetails({ conditions, value }: GoalInput): string {
  const labelOf = (operator: string) => OPERATORS.find((one) => one.value === operator)?.label ?? operator;
  const parts = conditions.map((one) => `${one.property} ${labelOf(one.operator)} ${one.value}`);
  return [...parts, ...(value ? [`${value.amount} ${value.currency} per conversion`] : [])].join(", ");
}
