/** How a source's events are counted: its goals, its bots, and the paths that are left out. */
import type { BotPolicy, Goal, Source } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { Button, Fieldset, Group, NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { FormSection } from "./form-section.tsx";
import { SaveRow, useSourceForm } from "./source-form.tsx";

const BOTS = [
  { value: "apart", label: "Kept apart: stored, and left out of the numbers unless asked for" },
  { value: "reject", label: "Rejected: not stored" },
  { value: "keep", label: "Counted like everybody else" },
] as const satisfies readonly { value: BotPolicy; label: string }[];

/** As its line has it. */
interface GoalLine {
  readonly name: string;
  readonly kind: "event" | "path";
  readonly text: string;
}
const lineOf = ({ name, event, path }: Goal): GoalLine =>
  event === null ? { name, kind: "path", text: path ?? "" } : { name, kind: "event", text: event };
const goalOf = ({ name, kind, text }: GoalLine) => ({ name: name.trim(), [kind]: text.trim() });
const EMPTY: GoalLine = { name: "", kind: "event", text: "" };
const isGiven = ({ name, text }: GoalLine) => name.trim() !== "" || text.trim() !== "";

const NO_PATH = "begins with / and has neither spaces nor ? nor #; * stands for anything";

const pathsIn = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

interface Counting {
  readonly goals: GoalLine[];
  readonly bots: BotPolicy;
  /** One a line. */
  readonly paths: string;
}

const tidy = ({ goals, paths, ...rest }: Partial<Counting>): Partial<Counting> => ({
  ...rest,
  ...(goals && { goals: goals.filter(isGiven) }),
  ...(paths !== undefined && { paths: pathsIn(paths).join("\n") }),
});

const patchOf = ({ goals, paths, ...rest }: Partial<Counting>) => ({
  ...rest,
  ...(goals && { goals: goals.map(goalOf) }),
  ...(paths !== undefined && { excludedPaths: pathsIn(paths) }),
});

export function CountingForm({ source }: { readonly source: Source }) {
  const kept: Counting = {
    goals: source.goals.map(lineOf),
    bots: source.bots,
    paths: source.excludedPaths.join("\n"),
  };
  const form = useSourceForm({ source, kept, tidy, patchOf });
  const { fields, put, submit, saved, failure } = form;
  const wrongPath = pathsIn(fields.paths).find((_, at) => failure?.issueAt("excludedPaths", at));
  return (
    <FormSection
      title="What counts"
      text="Bots and left-out paths hold for what comes from now on. Goals are looked up when numbers are asked for: they hold for what is stored too."
      onSubmit={submit}
    >
      {saved.error && <ErrorAlert error={saved.error} />}
      <GoalList
        goals={fields.goals}
        onChange={(goals) => put({ goals })}
        issueAt={(at, field) => failure?.issueAt("goals", at, field) ?? null}
      />
      <NativeSelect
        label="Bots"
        data={[...BOTS]}
        value={fields.bots}
        onChange={(event) => put({ bots: event.currentTarget.value as BotPolicy })}
      />
      <Textarea
        label="Paths that are left out"
        description="One a line; * stands for anything: /admin/*"
        autosize
        minRows={2}
        maxRows={10}
        spellCheck={false}
        value={fields.paths}
        error={
          wrongPath === undefined ? failure?.issueAt("excludedPaths") : `${wrongPath}: a path ${NO_PATH}`
        }
        onChange={(event) => put({ paths: event.currentTarget.value })}
      />
      <SaveRow saved={saved} label="Save" />
    </FormSection>
  );
}

interface GoalListProps {
  readonly goals: readonly GoalLine[];
  readonly onChange: (goals: GoalLine[]) => void;
  /** What the service said of a field of one of those that were sent. */
  readonly issueAt: (at: number, field: keyof Goal) => string | null;
}

function GoalList({ goals, onChange, issueAt }: GoalListProps) {
  const put = (at: number, goal: GoalLine) =>
    onChange(goals.map((one, index) => (index === at ? goal : one)));
  return (
    <Fieldset legend="Goals" variant="unstyled">
      <Text size="sm" c="dimmed" mb="xs">
        What visitors are to do: send an event of that name, or view a page whose path fits (* stands for
        anything).
      </Text>
      <Stack gap="sm">
        {goals.map((goal, at) => (
          <GoalFields
            // biome-ignore lint/suspicious/noArrayIndexKey: a goal is known by its place
            key={at}
            goal={goal}
            number={at + 1}
            issueAt={(field) => issueAt(at, field)}
            onChange={(changed) => put(at, changed)}
            onRemove={() => onChange(goals.filter((_, index) => index !== at))}
          />
        ))}
        {goals.length < LIMITS.maxGoals && (
          <Group>
            <Button size="xs" variant="default" onClick={() => onChange([...goals, EMPTY])}>
              Add a goal
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  );
}

interface GoalFieldsProps {
  readonly goal: GoalLine;
  readonly number: number;
  readonly issueAt: (field: keyof Goal) => string | null;
  readonly onChange: (goal: GoalLine) => void;
  readonly onRemove: () => void;
}

const GoalFields = ({ goal, number, issueAt, onChange, onRemove }: GoalFieldsProps) => (
  <fieldset className="goal" aria-label={`Goal ${number}`}>
    <TextInput
      aria-label={`Name of goal ${number}`}
      placeholder="Signed up"
      maxLength={LIMITS.maxNameLength}
      required={isGiven(goal)}
      value={goal.name}
      error={issueAt("name")}
      onChange={(event) => onChange({ ...goal, name: event.currentTarget.value })}
    />
    <NativeSelect
      aria-label={`Kind of goal ${number}`}
      data={[
        { value: "event", label: "Event" },
        { value: "path", label: "Page" },
      ]}
      value={goal.kind}
      onChange={(event) => onChange({ ...goal, kind: event.currentTarget.value as GoalLine["kind"] })}
    />
    <TextInput
      aria-label={`Goal ${number} is`}
      placeholder={goal.kind === "event" ? "signup" : "/thanks/*"}
      maxLength={goal.kind === "event" ? LIMITS.maxEventNameLength : LIMITS.maxPathPatternLength}
      required={isGiven(goal)}
      spellCheck={false}
      value={goal.text}
      error={goal.kind === "path" && issueAt("path") !== null ? `A path ${NO_PATH}` : issueAt(goal.kind)}
      onChange={(event) => onChange({ ...goal, text: event.currentTarget.value })}
    />
    <Button variant="default" onClick={onRemove} aria-label={`Remove goal ${number}`}>
      ×
    </Button>
  </fieldset>
);
