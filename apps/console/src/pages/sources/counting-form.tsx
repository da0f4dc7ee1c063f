/** The form for what a source counts: goals, bots and excluded paths. */
import type { BotPolicy, Goal, Source } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { Button, Fieldset, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { FormSection } from "./form-section.tsx";
import { parseLines } from "./lines.ts";
import { LinesField } from "./lines-field.tsx";
import { SaveRow, useSourceForm } from "./source-form.tsx";

const BOT_OPTIONS = [
  { value: "apart", label: "Store, but exclude from stats" },
  { value: "reject", label: "Reject" },
  { value: "keep", label: "Count like other visitors" },
] as const satisfies readonly { value: BotPolicy; label: string }[];

/** A goal as the form edits it. */
interface GoalInput {
  readonly name: string;
  readonly kind: "event" | "path";
  readonly text: string;
}
const toGoalInput = ({ name, event, path }: Goal): GoalInput =>
  event === null ? { name, kind: "path", text: path ?? "" } : { name, kind: "event", text: event };
const toGoal = ({ name, kind, text }: GoalInput) => ({ name: name.trim(), [kind]: text.trim() });
const EMPTY_GOAL: GoalInput = { name: "", kind: "event", text: "" };
const isFilled = ({ name, text }: GoalInput) => name.trim() !== "" || text.trim() !== "";

const PATH_RULE = "A path starts with / and contains no spaces, ? or #. Use * as a wildcard.";

interface CountingFields {
  readonly goals: GoalInput[];
  readonly bots: BotPolicy;
  /** One path per line. */
  readonly paths: string;
}

const normalize = ({ goals, paths, ...rest }: Partial<CountingFields>): Partial<CountingFields> => ({
  ...rest,
  ...(goals && { goals: goals.filter(isFilled) }),
  ...(paths !== undefined && { paths: parseLines(paths).join("\n") }),
});

const toPatch = ({ goals, paths, ...rest }: Partial<CountingFields>) => ({
  ...rest,
  ...(goals && { goals: goals.map(toGoal) }),
  ...(paths !== undefined && { excludedPaths: parseLines(paths) }),
});

export function CountingForm({ source }: { readonly source: Source }) {
  const stored: CountingFields = {
    goals: source.goals.map(toGoalInput),
    bots: source.bots,
    paths: source.excludedPaths.join("\n"),
  };
  const form = useSourceForm({ source, stored, normalize, toPatch });
  const { fields, setFields, submit, saved, failure } = form;
  const invalidPath = parseLines(fields.paths).find((_, index) => failure?.issueAt("excludedPaths", index));
  return (
    <FormSection
      title="Counting"
      text="Goals apply to all stored events. Changes to bots and excluded paths apply to new events only."
      onSubmit={submit}
    >
      {saved.error && <ErrorAlert error={saved.error} />}
      <GoalList
        goals={fields.goals}
        onChange={(goals) => setFields({ goals })}
        issueAt={(index, field) => failure?.issueAt("goals", index, field) ?? null}
      />
      <NativeSelect
        label="Bots"
        data={[...BOT_OPTIONS]}
        value={fields.bots}
        onChange={(event) => setFields({ bots: event.currentTarget.value as BotPolicy })}
      />
      <LinesField
        label="Excluded paths"
        description="One path per line. Use * as a wildcard, as in /admin/*."
        value={fields.paths}
        error={invalidPath === undefined ? failure?.issueAt("excludedPaths") : `${invalidPath}: ${PATH_RULE}`}
        onChange={(event) => setFields({ paths: event.currentTarget.value })}
      />
      <SaveRow saved={saved} label="Save" />
    </FormSection>
  );
}

interface GoalListProps {
  readonly goals: readonly GoalInput[];
  readonly onChange: (goals: GoalInput[]) => void;
  /** The API's message about a field of the goal at that index. */
  readonly issueAt: (index: number, field: keyof Goal) => string | null;
}

function GoalList({ goals, onChange, issueAt }: GoalListProps) {
  const replace = (index: number, goal: GoalInput) => onChange(goals.with(index, goal));
  return (
    <Fieldset legend="Goals" variant="unstyled">
      <Text size="sm" c="dimmed" mb="xs">
        A goal is reached by an event with this name or a view of a matching page. Use * as a wildcard in
        paths.
      </Text>
      <Stack gap="sm">
        {goals.map((goal, index) => (
          <GoalFields
            // biome-ignore lint/suspicious/noArrayIndexKey: goals in the form have no other identity
            key={index}
            goal={goal}
            number={index + 1}
            issueAt={(field) => issueAt(index, field)}
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
    </Fieldset>
  );
}

interface GoalFieldsProps {
  readonly goal: GoalInput;
  readonly number: number;
  readonly issueAt: (field: keyof Goal) => string | null;
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
    <Button variant="default" onClick={onRemove} aria-label={`Remove goal ${number}`}>
      ×
    </Button>
  </fieldset>
);
