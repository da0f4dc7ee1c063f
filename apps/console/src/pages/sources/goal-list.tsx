/** The goals as rows, of which one at a time opens as a form. */
import { LIMITS } from "@headwater/contract/limits";
import { type RefObject, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Button, Group, Stack, Text } from "../../ui/primitives/elements.tsx";
import { GoalFields } from "./goal-fields.tsx";
import { describeDetails, EMPTY_GOAL, GOAL_KINDS, type GoalInput, isFilled } from "./goal-input.ts";
import "./goals.css";

interface GoalListProps {
  readonly goals: readonly GoalInput[];
  readonly onChange: (goals: GoalInput[]) => void;
  /** The API's message about a field of the goal at that index. */
  readonly issueAt: (index: number, ...field: (string | number)[]) => string | null;
  /** Whether the API has refused something of that goal. Its form is open then. */
  readonly isRefused: (index: number) => boolean;
}

interface OpenGoal {
  readonly index: number;
  /** The goal before it was opened; null: a new one. */
  readonly before: GoalInput | null;
}

/** Keeps which goal is open. @returns it, and the actions of the buttons */
function useOpenGoal({ goals, onChange }: GoalListProps, list: RefObject<HTMLElement | null>) {
  const [opened, setOpened] = useState<OpenGoal | null>(null);
  /** Updates the page, and then moves the focus, which would be lost with the button that was pressed. */
  const changeAndFocus = (change: () => void, selector: string) => {
    flushSync(change);
    const found = list.current?.querySelector<HTMLElement>(selector);
    (found ?? list.current?.querySelector<HTMLElement>("[data-add]"))?.focus();
  };
  const open = (index: number, before: GoalInput | null) =>
    changeAndFocus(() => {
      // a new goal that was left empty is dropped
      const kept = goals.filter((goal, at) => at !== opened?.index || isFilled(goal));
      const at = kept.length < goals.length && opened !== null && opened.index < index ? index - 1 : index;
      if (before === null) onChange([...kept, EMPTY_GOAL]);
      else if (kept.length < goals.length) onChange(kept);
      setOpened({ index: before === null ? kept.length : at, before });
    }, "fieldset input");
  return {
    opened,
    add: () => open(goals.length, null),
    edit: (index: number) => open(index, goals[index] ?? null),
    cancel: ({ index, before }: OpenGoal) =>
      changeAndFocus(
        () => {
          onChange(before === null ? goals.toSpliced(index, 1) : goals.with(index, before));
          setOpened(null);
        },
        before === null ? "[data-add]" : `[data-edit="${index}"]`,
      ),
    remove: (index: number) =>
      changeAndFocus(() => {
        onChange(goals.toSpliced(index, 1));
        if (opened?.index === index) setOpened(null);
        else if (opened && opened.index > index) setOpened({ ...opened, index: opened.index - 1 });
      }, "[data-add]"),
  };
}

export function GoalList(props: GoalListProps) {
  const { goals, onChange, issueAt, isRefused } = props;
  const list = useRef<HTMLDivElement>(null);
  const { opened, add, edit, cancel, remove } = useOpenGoal(props, list);
  return (
    <Stack gap="sm" ref={list}>
      {goals.length === 0 && (
        <Text size="sm" c="dimmed">
          No goals yet. Add one, such as a view of /thank-you or the event “signup”.
        </Text>
      )}
      {goals.length > 0 && (
        <ul className="plain-list goals">
          {goals.map((goal, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: goals in the form have no other identity
            <li key={index}>
              {opened?.index === index || isRefused(index) ? (
                <fieldset className="field-group goal-form" aria-label={`Goal ${index + 1}`}>
                  <GoalFields
                    goal={goal}
                    issueAt={(...field) => issueAt(index, ...field)}
                    onChange={(changed) => onChange(goals.with(index, changed))}
                  />
                  {opened?.index === index && (
                    <Group>
                      <Button size="xs" variant="default" onClick={() => cancel(opened)}>
                        Cancel
                      </Button>
                    </Group>
                  )}
                </fieldset>
              ) : (
                <GoalRow
                  goal={goal}
                  index={index}
                  onEdit={() => edit(index)}
                  onRemove={() => remove(index)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {goals.length < LIMITS.maxGoals && (
        <Group>
          <Button data-add size="xs" variant="default" onClick={add}>
            Add goal
          </Button>
        </Group>
      )}
    </Stack>
  );
}

interface GoalRowProps {
  readonly goal: GoalInput;
  readonly index: number;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function GoalRow({ goal, index, onEdit, onRemove }: GoalRowProps) {
  const details = describeDetails(goal);
  return (
    <div className="goal-row">
      <Text fw={600} className="wrap">
        {goal.name}
      </Text>
      <Text size="sm" c="dimmed">
        {GOAL_KINDS.find(({ value }) => value === goal.kind)?.label}
      </Text>
      <div className="wrap">
        <code>{goal.text}</code>
        {details !== "" && (
          <Text size="sm" c="dimmed">
            {details}
          </Text>
        )}
      </div>
      <Group gap="xs" wrap="nowrap">
        <Button
          data-edit={index}
          size="xs"
          variant="default"
          onClick={onEdit}
          aria-label={`Edit goal ${goal.name}`}
        >
          Edit
        </Button>
        <Button size="xs" variant="default" onClick={onRemove} aria-label={`Remove goal ${goal.name}`}>
          Remove
        </Button>
      </Group>
    </div>
  );
}
