/** The form of one goal. */
import type { GoalCondition } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { Icon } from "../../ui/icon.tsx";
import { Button, Group, Text } from "../../ui/primitives/elements.tsx";
import { NativeSelect, TextInput } from "../../ui/primitives/fields.tsx";
import { type ConditionInput, EMPTY_CONDITION, GOAL_KINDS, type GoalInput, OPERATORS } from "./goal-input.ts";
import { PATH_RULE } from "./line-rules.ts";

interface GoalFieldsProps {
  readonly goal: GoalInput;
  readonly issueAt: (...field: (string | number)[]) => string | null;
  readonly onChange: (goal: GoalInput) => void;
}

export const GoalFields = (props: GoalFieldsProps) => (
  <>
    <div className="goal-match">
      <MatchFields {...props} />
    </div>
    <DetailButtons {...props} />
    <div className="goal-details">
      {props.goal.conditions.map((condition, index) => (
        <ConditionFields
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions in the form have no other identity
          key={index}
          condition={condition}
          label={`condition ${index + 1}`}
          issueAt={(field) => props.issueAt("conditions", index, field)}
          onChange={(changed) => changeConditions(props, (all) => all.with(index, changed))}
          onRemove={() => changeConditions(props, (all) => all.toSpliced(index, 1))}
        />
      ))}
      {props.goal.value && <ValueFields {...props} />}
    </div>
  </>
);

const changeConditions = (
  { goal, onChange }: GoalFieldsProps,
  change: (conditions: readonly ConditionInput[]) => readonly ConditionInput[],
) => onChange({ ...goal, conditions: change(goal.conditions) });

const MatchFields = ({ goal, issueAt, onChange }: GoalFieldsProps) => (
  <>
    <TextInput
      label="Name"
      placeholder="Signed up"
      maxLength={LIMITS.maxNameLength}
      required
      value={goal.name}
      error={issueAt("name")}
      onChange={(event) => onChange({ ...goal, name: event.currentTarget.value })}
    />
    <NativeSelect
      label="Type"
      data={[...GOAL_KINDS]}
      value={goal.kind}
      // the options are kinds
      onChange={(event) => onChange({ ...goal, kind: event.currentTarget.value as GoalInput["kind"] })}
    />
    <TextInput
      label={goal.kind === "event" ? "Event name" : "Path"}
      placeholder={goal.kind === "event" ? "signup" : "/thanks/*"}
      maxLength={goal.kind === "event" ? LIMITS.maxEventNameLength : LIMITS.maxPathPatternLength}
      required
      spellCheck={false}
      value={goal.text}
      error={goal.kind === "path" && issueAt("path") !== null ? PATH_RULE : issueAt(goal.kind)}
      onChange={(event) => onChange({ ...goal, text: event.currentTarget.value })}
    />
  </>
);

const DetailButtons = (props: GoalFieldsProps) => (
  <Group gap="xs">
    {props.goal.conditions.length < LIMITS.maxGoalConditions && (
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        onClick={() => changeConditions(props, (all) => [...all, EMPTY_CONDITION])}
      >
        Add condition
      </Button>
    )}
    {props.goal.value === null && (
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        onClick={() => props.onChange({ ...props.goal, value: { amount: "", currency: "" } })}
      >
        Add value
      </Button>
    )}
  </Group>
);

/** The value of a conversion that has no revenue of its own. */
function ValueFields({ goal, issueAt, onChange }: GoalFieldsProps) {
  const { amount, currency } = goal.value ?? { amount: "", currency: "" };
  return (
    <>
      <TextInput
        aria-label="Value"
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
        aria-label="Currency"
        placeholder="EUR"
        minLength={3}
        maxLength={3}
        required
        spellCheck={false}
        value={currency}
        error={issueAt("value", "currency") === null ? null : "Enter a currency code, such as EUR."}
        onChange={(event) =>
          onChange({ ...goal, value: { amount, currency: event.currentTarget.value.toUpperCase() } })
        }
      />
      <Text size="sm" c="dimmed" className="goal-note">
        per conversion that sends no revenue
      </Text>
      <Button
        variant="default"
        px="xs"
        onClick={() => onChange({ ...goal, value: null })}
        aria-label="Remove value"
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
      aria-label={`Property for ${label}`}
      placeholder="plan"
      maxLength={LIMITS.maxStatsPropertyLength}
      required
      spellCheck={false}
      value={condition.property}
      error={issueAt("property")}
      onChange={(event) => onChange({ ...condition, property: event.currentTarget.value })}
    />
    <NativeSelect
      aria-label={`Operator for ${label}`}
      data={[...OPERATORS]}
      value={condition.operator}
      onChange={(event) =>
        onChange({ ...condition, operator: event.currentTarget.value as GoalCondition["operator"] })
      }
    />
    <TextInput
      aria-label={`Value for ${label}`}
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
