/** The fields of one step: its kind, and the page, event or goal, with suggestions. */
import { LIMITS } from "@headwater/contract/limits";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { sourceQuery } from "../../../queries.ts";
import { Icon } from "../../../ui/icon.tsx";
import { Button } from "../../../ui/primitives/elements.tsx";
import { NativeSelect, TextInput } from "../../../ui/primitives/fields.tsx";
import { type StatsView, useStats } from "../use-stats-view.ts";
import type { FunnelStep } from "./funnel-steps.ts";
import "./funnel.css";

const STEP_KINDS = [
  { value: "goal", label: "Goal", example: "Signed up", maxLength: LIMITS.maxNameLength },
  {
    value: "page",
    label: "Page view",
    example: "/pricing or /blog/*",
    maxLength: LIMITS.maxStatsPatternLength,
  },
  { value: "event", label: "Event", example: "signup", maxLength: LIMITS.maxEventNameLength },
] as const;
type StepKind = (typeof STEP_KINDS)[number];

const MAX_SUGGESTIONS = 100;
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

interface StepKinds {
  /** The kinds to choose from. */
  readonly kinds: readonly StepKind[];
  /** The suggestions of the fields. They stand once in the form. */
  readonly suggestions: ReactNode;
}

/** @param steps those of the form */
export function useStepKinds(view: StatsView, steps: readonly FunnelStep[]): StepKinds {
  const goals = useGoals(view);
  const values = {
    page: useSuggestions(view, "page"),
    event: useSuggestions(view, "event"),
    goal: goals,
  };
  const hasGoals = goals.length > 0 || steps.some(({ kind }) => kind === "goal");
  return {
    kinds: STEP_KINDS.filter(({ value }) => value !== "goal" || hasGoals),
    suggestions: STEP_KINDS.map(({ value: kind }) => (
      <datalist key={kind} id={`suggestions-${kind}`}>
        {values[kind].map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    )),
  };
}

interface StepFieldsProps extends Pick<StepKinds, "kinds"> {
  /** For example "Step 1". */
  readonly name: string;
  readonly step: FunnelStep;
  /** Default: an example of the kind. */
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly onChange: (step: FunnelStep) => void;
  /** Null when it cannot be removed. */
  readonly onRemove?: (() => void) | null;
}

export function StepFields({
  name,
  step,
  kinds,
  placeholder,
  isRequired = false,
  onChange,
  onRemove = null,
}: StepFieldsProps) {
  const kind = STEP_KINDS.find(({ value }) => value === step.kind);
  return (
    <fieldset className="step">
      <legend className="step-number">{name}</legend>
      <NativeSelect
        aria-label={`Type of ${name.toLowerCase()}`}
        data={kinds.map(({ value, label }) => ({ value, label }))}
        value={step.kind}
        // the options are kinds
        onChange={(event) => onChange({ ...step, kind: event.currentTarget.value as FunnelStep["kind"] })}
      />
      <TextInput
        aria-label={name}
        placeholder={placeholder ?? kind?.example}
        list={`suggestions-${step.kind}`}
        required={isRequired}
        maxLength={kind?.maxLength}
        spellCheck={false}
        value={step.text}
        onChange={(event) => onChange({ ...step, text: event.currentTarget.value })}
      />
      {onRemove && (
        <Button variant="default" aria-label={`Remove ${name.toLowerCase()}`} onClick={onRemove}>
          <Icon name="close" size={14} />
        </Button>
      )}
    </fieldset>
  );
}
