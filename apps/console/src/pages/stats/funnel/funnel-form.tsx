/** The form for the steps of a funnel. It suggests pages, events and goals while typing. */
import { LIMITS } from "@headwater/contract/limits";
import { Button, Group, NativeSelect, Paper, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { sourceQuery } from "../../../queries.ts";
import { Icon } from "../../../ui/icon.tsx";
import { type StatsView, useStats } from "../use-stats-view.ts";
import { type FunnelStep, type FunnelWindow, MAX_STEPS, MIN_STEPS, WINDOW_OPTIONS } from "./funnel-steps.ts";

const MAX_SUGGESTIONS = 100;
/** How many fields a new funnel has. Those that stay empty are no steps. */
const FIRST_STEPS = 3;
const firstSteps = (steps: readonly FunnelStep[]): readonly FunnelStep[] =>
  steps.length >= MIN_STEPS
    ? steps
    : [...steps, ...Array.from({ length: FIRST_STEPS - steps.length }, () => emptyAfter(steps))];

/** @returns an empty step of the type of the last one */
const emptyAfter = (steps: readonly FunnelStep[]): FunnelStep => ({
  kind: steps.at(-1)?.kind ?? "page",
  text: "",
});

/** A changed type is that of the empty steps after it, too. */
const withStep = (steps: readonly FunnelStep[], index: number, changed: FunnelStep): FunnelStep[] =>
  steps.map((step, at) => {
    if (at === index) return changed;
    return at > index && step.text === "" ? { ...step, kind: changed.kind } : step;
  });

interface FunnelFormProps {
  readonly steps: readonly FunnelStep[];
  readonly within: FunnelWindow;
  readonly view: StatsView;
  readonly onSubmit: (steps: readonly FunnelStep[], within: FunnelWindow) => void;
}

const STEP_KINDS = [
  {
    value: "page",
    label: "Page view",
    example: "/pricing or /blog/*",
    maxLength: LIMITS.maxStatsPatternLength,
  },
  { value: "event", label: "Event", example: "signup", maxLength: LIMITS.maxEventNameLength },
  { value: "goal", label: "Goal", example: "Signed up", maxLength: LIMITS.maxNameLength },
] as const;
type StepKind = (typeof STEP_KINDS)[number];

/** Pages or events of the selected range. */
function useSuggestions({ scope }: StatsView, dimension: "page" | "event"): string[] {
  const { data } = useStats(scope, {
    metrics: ["events"],
    dimensions: [dimension],
    pagination: { limit: MAX_SUGGESTIONS },
  });
  const values = data?.results.map(({ dimensions: [value] }) => value) ?? [];
  return values.filter((value): value is string => typeof value === "string" && value !== "");
}

/** The goals of the source, if the page has loaded it. The page of a share link has not. */
function useGoals({ scope: { sourceId } }: StatsView): string[] {
  const { data } = useQuery({ ...sourceQuery(sourceId), enabled: false });
  return data?.goals.map(({ name }) => name) ?? [];
}

export function FunnelForm({ steps: initialSteps, within: initialWindow, view, onSubmit }: FunnelFormProps) {
  const [steps, setSteps] = useState(() => firstSteps(initialSteps));
  const [within, setWithin] = useState(initialWindow);
  const goals = useGoals(view);
  const suggestions = {
    page: useSuggestions(view, "page"),
    event: useSuggestions(view, "event"),
    goal: goals,
  };
  const hasGoals = goals.length > 0 || steps.some(({ kind }) => kind === "goal");
  const kinds = STEP_KINDS.filter(({ value }) => value !== "goal" || hasGoals);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(steps, within);
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit}>
      <Stack gap="sm">
        {steps.map((step, index) => (
          <StepFields
            // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other identity than their position
            key={index}
            step={step}
            index={index}
            kinds={kinds}
            onChange={(changed) => setSteps(withStep(steps, index, changed))}
            onRemove={steps.length > MIN_STEPS ? () => setSteps(steps.toSpliced(index, 1)) : null}
          />
        ))}
        {STEP_KINDS.map(({ value: kind }) => (
          <datalist key={kind} id={`suggestions-${kind}`}>
            {suggestions[kind].map((value) => (
              <option key={value} value={value} />
            ))}
          </datalist>
        ))}
        <Group align="flex-end" gap="sm">
          <NativeSelect
            label="Complete within"
            data={[...WINDOW_OPTIONS]}
            value={within}
            onChange={(event) => setWithin(event.currentTarget.value as FunnelWindow)}
          />
          {steps.length < MAX_STEPS && (
            <Button variant="default" onClick={() => setSteps([...steps, emptyAfter(steps)])}>
              Add step
            </Button>
          )}
          <Button type="submit">Show funnel</Button>
        </Group>
      </Stack>
    </Paper>
  );
}

interface StepFieldsProps {
  readonly step: FunnelStep;
  readonly index: number;
  /** The kinds to choose from. */
  readonly kinds: readonly StepKind[];
  readonly onChange: (step: FunnelStep) => void;
  /** Null when the funnel has too few steps to remove one. */
  readonly onRemove: (() => void) | null;
}

function StepFields({ step, index, kinds, onChange, onRemove }: StepFieldsProps) {
  const number = index + 1;
  const kind = STEP_KINDS.find(({ value }) => value === step.kind);
  return (
    <fieldset className="step">
      <legend className="step-number">Step {number}</legend>
      <NativeSelect
        aria-label={`Type of step ${number}`}
        data={kinds.map(({ value, label }) => ({ value, label }))}
        value={step.kind}
        onChange={(event) => onChange({ ...step, kind: event.currentTarget.value as FunnelStep["kind"] })}
      />
      <TextInput
        aria-label={`Step ${number}`}
        placeholder={kind?.example}
        list={`suggestions-${step.kind}`}
        required={index < MIN_STEPS}
        maxLength={kind?.maxLength}
        spellCheck={false}
        value={step.text}
        onChange={(event) => onChange({ ...step, text: event.currentTarget.value })}
      />
      {onRemove && (
        <Button variant="default" aria-label={`Remove step ${number}`} onClick={onRemove}>
          <Icon name="close" size={14} />
        </Button>
      )}
    </fieldset>
  );
}
