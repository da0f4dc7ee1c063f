/** The list of goals in their form. */
import type { Goal, GoalCondition } from "@headwater/contract";
import { formatConditionValue, parseConditionValue } from "@headwater/contract/goal-text";
import { LIMITS } from "@headwater/contract/limits";
import { Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { Icon } from "../../ui/icon.tsx";
import { PATH_RULE } from "./path-rule.ts";

/** A condition as the form edits it: its value as a text. */
export type ConditionInput = Omit<GoalCondition, "value"> & { readonly value: string };
const EMPTY_CONDITION: ConditionInput = { property: "", operator: "is", value: "" };

const OPERATORS = [
  { value: "is", label: "is" },
  { value: "is_not", label: "is not" },
  { value: "contains", label: "contains" },
  { value: "gt", label: "is more than" },
  { value: "lt", label: "is less than" },
] as const satisfies readonly { value: GoalCondition["operator"]; label: string }[];

/** A goal as the form edits it. */
export interface GoalInput {
  readonly name: string;
  readonly kind: "event" | "path";
  readonly text: string;
  readonly conditions: readonly ConditionInput[];
  /** The value of a conversion, or null. The amount is a text. */
  readonly value: { readonly amount: string; readonly currency: string } | null;
}
export const toGoalInput = ({ name, event, path, conditions, value }: Goal): GoalInput => ({
  name,
  kind: event === null ? "path" : "event",
  text: event ?? path ?? "",
  conditions: conditions.map(({ value, ...others }) => ({ ...others, value: formatConditionValue(value) })),
  value: value && { ...value, amount: String(value.amount) },
});
export const toGoal = ({ name, kind, text, conditions, value }: GoalInput) => ({
  name: name.trim(),
  [kind]: text.trim(),
  conditions: conditions.map(({ value, ...others }) => ({ ...others, value: parseConditionValue(value) })),
  value: value && { amount: Number(value.amount), currency: value.currency.trim() },
});
const EMPTY_GOAL: GoalInput = { name: "", kind: "event", text: "", conditions: [], value: null };
export const isFilled = ({ name, text }: GoalInput) => name.trim() !== "" || text.trim() !== "";

interface GoalListProps {
  readonly goals: readonly GoalInput[];
  readonly onChange: (goals: GoalInput[]) => void;
  /** The API's message about a field of the goal at that index. */
  readonly issueAt: (index: number, ...field: (string | number)[]) => string | null;
}

export function GoalList({ goals, onChange, issueAt }: GoalListProps) {
  const replace = (index: number, goal: GoalInput) => onChange(goals.with(index, goal));
  return (
    <Stack gap="sm">
      {goals.map((goal, index) => (
        <GoalFields
          // biome-ignore lint/suspicious/noArrayIndexKey: goals in the form have no other identity
          key={index}
          goal={goal}
          number={index + 1}
          issueAt={(...field) => issueAt(index, ...field)}
          onChange={(changed) => replace(index, changed)}
          onRemove={() => onChange(goals.toSpliced(index, 1))}
        />
      ))}
      {goals.length < LIMITS.maxGoals && (
        <Group>
          <Button size="xs" variant="default" onClick={() => onChange([...goals, EMPTY_GOAL])}>
            Add goal
          </Button>
        </Group>
      )}
    </Stack>
  );
}

interface GoalFieldsProps {
  readonly goal: GoalInput;
  readonly number: number;
  readonly issueAt: (...field: (string | number)[]) => string | null;
  readonly onChange: (goal: GoalInput) => void;
  readonly onRemove: () => void;
}

const GoalFields = ({ goal, number, issueAt, onChange, onRemove }: GoalFieldsProps) => (
  <fieldset className="goal" aria-label={`Goal ${number}`}>
    <TextInput
      aria-label={`Name of goal ${number}`}
      placeholder="Signed up"
      maxLength={LIMITS.maxNameLength}
      required={isFilled(goal)}
      value={goal.name}
      error={issueAt("name")}
      onChange={(event) => onChange({ ...goal, name: event.currentTarget.value })}
    />
    <NativeSelect
      aria-label={`Type of goal ${number}`}
      data={[
        { value: "event", label: "Event" },
        { value: "path", label: "Page" },
      ]}
      value={goal.kind}
      onChange={(event) => onChange({ ...goal, kind: event.currentTarget.value as GoalInput["kind"] })}
    />
    <TextInput
      aria-label={`Target of goal ${number}`}
      placeholder={goal.kind === "event" ? "signup" : "/thanks/*"}
      maxLength={goal.kind === "event" ? LIMITS.maxEventNameLength : LIMITS.maxPathPatternLength}
      required={isFilled(goal)}
      spellCheck={false}
      value={goal.text}
      error={goal.kind === "path" && issueAt("path") !== null ? PATH_RULE : issueAt(goal.kind)}
      onChange={(event) => onChange({ ...goal, text: event.currentTarget.value })}
    />
    <Button variant="default" px="xs" onClick={onRemove} aria-label={`Remove goal ${number}`}>
      <Icon name="close" size={14} />
    </Button>
    {goal.conditions.map((condition, index) => (
      <ConditionFields
        // biome-ignore lint/suspicious/noArrayIndexKey: conditions in the form have no other identity
        key={index}
        condition={condition}
        label={`condition ${index + 1} of goal ${number}`}
        issueAt={(field) => issueAt("conditions", index, field)}
        onChange={(changed) => onChange({ ...goal, conditions: goal.conditions.with(index, changed) })}
        onRemove={() => onChange({ ...goal, conditions: goal.conditions.toSpliced(index, 1) })}
      />
    ))}
    {goal.value && <ValueFields goal={goal} number={number} issueAt={issueAt} onChange={onChange} />}
    {isFilled(goal) && (
      <Group gap="xs" className="goal-more">
        {goal.conditions.length < LIMITS.maxGoalConditions && (
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => onChange({ ...goal, conditions: [...goal.conditions, EMPTY_CONDITION] })}
          >
            Add a condition on a property
          </Button>
        )}
        {goal.value === null && (
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => onChange({ ...goal, value: { amount: "", currency: "" } })}
          >
            Add a value
          </Button>
        )}
      </Group>
    )}
  </fieldset>
);

/** The value of a conversion that has no revenue of its own. */
function ValueFields({ goal, number, issueAt, onChange }: Omit<GoalFieldsProps, "onRemove">) {
  const { amount, currency } = goal.value ?? { amount: "", currency: "" };
  return (
    <>
      <TextInput
        aria-label={`Value of goal ${number}`}
        placeholder="25.00"
        type="number"
        min={0.0001}
        max={LIMITS.maxRevenue}
        step="any"
        required
        value={amount}
        error={issueAt("value", "amount")}
        onChange={(event) => onChange({ ...goal, value: { amount: event.currentTarget.value, currency } })}
      />
      <TextInput
        aria-label={`Currency of goal ${number}`}
        placeholder="EUR"
        minLength={3}
        maxLength={3}
        required
        spellCheck={false}
        value={currency}
        error={issueAt("value", "currency") === null ? null : "Not an ISO 4217 code"}
        onChange={(event) =>
          onChange({ ...goal, value: { amount, currency: event.currentTarget.value.toUpperCase() } })
        }
      />
      <Text size="sm" c="dimmed" className="goal-note">
        per conversion without revenue of its own
      </Text>
      <Button
        variant="default"
        px="xs"
        onClick={() => onChange({ ...goal, value: null })}
        aria-label={`Remove the value of goal ${number}`}
      >
        <Icon name="close" size={14} />
      </Button>
    </>
  );
}

interface ConditionFieldsProps {
  readonly condition: ConditionInput;
  readonly label: string;
  readonly issueAt: (field: keyof GoalCondition) => string | null;
  readonly onChange: (condition: ConditionInput) => void;
  readonly onRemove: () => void;
}

const ConditionFields = ({ condition, label, issueAt, onChange, onRemove }: ConditionFieldsProps) => (
  <>
    <TextInput
      aria-label={`Property of ${label}`}
      placeholder="plan"
      maxLength={LIMITS.maxStatsPropertyLength}
      required
      spellCheck={false}
      value={condition.property}
      error={issueAt("property")}
      onChange={(event) => onChange({ ...condition, property: event.currentTarget.value })}
    />
    <NativeSelect
      aria-label={`Operator of ${label}`}
      data={[...OPERATORS]}
      value={condition.operator}
      onChange={(event) =>
        onChange({ ...condition, operator: event.currentTarget.value as GoalCondition["operator"] })
      }
    />
    <TextInput
      aria-label={`Value of ${label}`}
      placeholder="pro"
      maxLength={LIMITS.maxStatsValueLength}
      required
      spellCheck={false}
      value={condition.value}
      error={issueAt("value")}
      onChange={(event) => onChange({ ...condition, value: event.currentTarget.value })}
    />
    <Button variant="default" px="xs" onClick={onRemove} aria-label={`Remove ${label}`}>
      <Icon name="close" size={14} />
    </Button>
  </>
);
