/** Which steps, with what there is to choose from offered while typing. */
import { LIMITS } from "@headwater/contract/limits";
import { Button, Group, NativeSelect, Paper, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { sourceQuery } from "../../queries.ts";
import { type FunnelStep, MAX_STEPS, MIN_STEPS, type readWindow, WITHIN } from "./funnel-steps.ts";
import { type StatsView, useStats } from "./use-stats-view.ts";

const OFFERED = 100;
const EMPTY: FunnelStep = { kind: "page", text: "" };
const atLeastTwo = (steps: readonly FunnelStep[]): FunnelStep[] => [
  ...steps,
  ...Array.from({ length: Math.max(0, MIN_STEPS - steps.length) }, () => EMPTY),
];

type Within = ReturnType<typeof readWindow>;
interface FunnelFormProps {
  readonly steps: readonly FunnelStep[];
  readonly within: Within;
  readonly view: StatsView;
  readonly onAsk: (steps: readonly FunnelStep[], within: Within) => void;
}

const KINDS = [
  {
    value: "page",
    label: "View of the page",
    example: "/pricing or /blog/*",
    most: LIMITS.maxStatsPatternLength,
  },
  { value: "event", label: "Event", example: "signup", most: LIMITS.maxEventNameLength },
  { value: "goal", label: "Goal", example: "Signed up", most: LIMITS.maxNameLength },
] as const;

const kindOf = ({ kind }: FunnelStep) => KINDS.find(({ value }) => value === kind)!;

/** What was there in the range. */
function useOffered({ asked }: StatsView, dimension: "page" | "event"): string[] {
  const { data } = useStats(asked, {
    metrics: ["events"],
    dimensions: [dimension],
    pagination: { limit: OFFERED },
  });
  const values = data?.results.map(({ dimensions: [value] }) => value) ?? [];
  return values.filter((value) => typeof value === "string" && value !== "") as string[];
}

/** Of the source, where its page has it at hand; who came by a link to its numbers has not. */
function useGoals({ asked: { sourceId } }: StatsView): string[] {
  const { data } = useQuery({ ...sourceQuery(sourceId), enabled: false });
  return data?.goals.map(({ name }) => name) ?? [];
}

export function FunnelForm({ steps: given, within: givenWithin, view, onAsk }: FunnelFormProps) {
  const [steps, setSteps] = useState(() => atLeastTwo(given));
  const [within, setWithin] = useState(givenWithin);
  const goals = useGoals(view);
  const offered = { page: useOffered(view, "page"), event: useOffered(view, "event"), goal: goals };
  const kinds = KINDS.filter(
    ({ value }) => value !== "goal" || goals.length > 0 || steps.some(({ kind }) => kind === "goal"),
  );
  const put = (at: number, step: FunnelStep) =>
    setSteps(steps.map((one, index) => (index === at ? step : one)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAsk(steps, within);
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit}>
      <Stack gap="sm">
        {steps.map((step, at) => (
          <fieldset
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is known by its place
            key={at}
            className="step"
          >
            <legend className="step-number">FunnelStep {at + 1}</legend>
            <NativeSelect
              aria-label={`Kind of step ${at + 1}`}
              data={kinds.map(({ value, label }) => ({ value, label }))}
              value={step.kind}
              onChange={(event) =>
                put(at, { ...step, kind: event.currentTarget.value as FunnelStep["kind"] })
              }
            />
            <TextInput
              aria-label={`FunnelStep ${at + 1}`}
              placeholder={kindOf(step).example}
              list={`offered-${step.kind}`}
              required={at < MIN_STEPS}
              maxLength={kindOf(step).most}
              spellCheck={false}
              value={step.text}
              onChange={(event) => put(at, { ...step, text: event.currentTarget.value })}
            />
            {steps.length > MIN_STEPS && (
              <Button
                variant="default"
                aria-label={`Remove step ${at + 1}`}
                onClick={() => setSteps(steps.filter((_, index) => index !== at))}
              >
                ×
              </Button>
            )}
          </fieldset>
        ))}
        {KINDS.map(({ value: kind }) => (
          <datalist key={kind} id={`offered-${kind}`}>
            {offered[kind].map((value) => (
              <option key={value} value={value} />
            ))}
          </datalist>
        ))}
        <Group align="flex-end" gap="sm">
          <NativeSelect
            label="All of them within"
            data={[...WITHIN]}
            value={within}
            onChange={(event) => setWithin(event.currentTarget.value as Within)}
          />
          {steps.length < MAX_STEPS && (
            <Button variant="default" onClick={() => setSteps([...steps, EMPTY])}>
              Add a step
            </Button>
          )}
          <Button type="submit">Show the funnel</Button>
        </Group>
      </Stack>
    </Paper>
  );
}
