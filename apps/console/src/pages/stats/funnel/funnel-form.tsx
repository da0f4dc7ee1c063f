/** The form for the steps of a funnel. It suggests pages, events and goals while typing. */
import { type FormEvent, type ReactNode, useState } from "react";
import { Button, Group, Paper, Stack } from "../../../ui/primitives/elements.tsx";
import { NativeSelect } from "../../../ui/primitives/fields.tsx";
import type { StatsView } from "../use-stats-view.ts";
import { type FunnelStep, type FunnelWindow, MAX_STEPS, MIN_STEPS, WINDOW_OPTIONS } from "./funnel-steps.ts";
import { StepFields, useStepKinds } from "./step-fields.tsx";

const firstSteps = (steps: readonly FunnelStep[]): readonly FunnelStep[] =>
  steps.length >= MIN_STEPS
    ? steps
    : [...steps, ...Array.from({ length: MIN_STEPS - steps.length }, () => emptyAfter(steps))];

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
  /** Stands above the steps. */
  readonly hint: ReactNode;
  readonly onSubmit: (steps: readonly FunnelStep[], within: FunnelWindow) => void;
}

export function FunnelForm(props: FunnelFormProps) {
  const { steps: initialSteps, within: initialWindow, view, hint, onSubmit } = props;
  const [steps, setSteps] = useState(() => firstSteps(initialSteps));
  const [within, setWithin] = useState(initialWindow);
  const { kinds, suggestions } = useStepKinds(view, steps);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(steps, within);
  };
  return (
    <Paper p="md" component="form" onSubmit={submit}>
      <Stack gap="sm">
        {hint}
        {steps.map((step, index) => (
          <StepFields
            // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other identity than their position
            key={index}
            name={`Step ${index + 1}`}
            step={step}
            kinds={kinds}
            isRequired={index < MIN_STEPS}
            onChange={(changed) => setSteps(withStep(steps, index, changed))}
            onRemove={steps.length > MIN_STEPS ? () => setSteps(steps.toSpliced(index, 1)) : null}
          />
        ))}
        {suggestions}
        {steps.length < MAX_STEPS && (
          <Group>
            <Button size="xs" variant="default" onClick={() => setSteps([...steps, emptyAfter(steps)])}>
              Add step
            </Button>
          </Group>
        )}
        <Group align="flex-end" gap="sm">
          <NativeSelect
            label="Complete within"
            data={[...WINDOW_OPTIONS]}
            value={within}
            onChange={(event) => setWithin(event.currentTarget.value as FunnelWindow)}
          />
          <Button type="submit">Show funnel</Button>
        </Group>
      </Stack>
    </Paper>
  );
}
