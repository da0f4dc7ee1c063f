/** What begins a cohort, and what counts as coming back: any visit, or a page, an event or a goal. */
import type { StatsRetentionBody } from "@headwater/contract";
import { type FormEvent, useState } from "react";
import { Dropdown } from "../../../ui/dropdown.tsx";
import { Button } from "../../../ui/primitives/elements.tsx";
import { type FunnelStep, readStep, stepText, toStatsGoals } from "../funnel/funnel-steps.ts";
import { StepFields, useStepKinds } from "../funnel/step-fields.tsx";
import type { StatsView } from "../use-stats-view.ts";
import type { ViewParams } from "../view-params.ts";

/** Null: any visit. */
export interface RetentionGoalSteps {
  readonly first: FunnelStep | null;
  readonly again: FunnelStep | null;
}

/** `first=event:signup&again=page:/app`. */
export const readRetentionGoals = ({ first, again }: ViewParams): RetentionGoalSteps => ({
  first: readStep(first),
  again: readStep(again),
});

export function toGoalMembers({
  first,
  again,
}: RetentionGoalSteps): Pick<StatsRetentionBody, "cohortGoal" | "returnGoal"> {
  const [cohortGoal] = first ? toStatsGoals([first]) : [];
  const [returnGoal] = again ? toStatsGoals([again]) : [];
  return { ...(cohortGoal && { cohortGoal }), ...(returnGoal && { returnGoal }) };
}

const NONE: FunnelStep = { kind: "event", text: "" };

export function RetentionGoals({ view }: { readonly view: StatsView }) {
  const { first, again } = readRetentionGoals(view.params);
  const text = `First: ${first?.text ?? "any visit"} · Return: ${again?.text ?? "any visit"}`;
  return (
    <Dropdown label={`Events: ${text}`} button={<bdi className="dropdown-text">{text}</bdi>}>
      {(close) => <GoalsForm view={view} steps={{ first, again }} onDone={close} />}
    </Dropdown>
  );
}

interface GoalsFormProps {
  readonly view: StatsView;
  readonly steps: RetentionGoalSteps;
  readonly onDone: () => void;
}

function GoalsForm({ view, steps, onDone }: GoalsFormProps) {
  const [first, setFirst] = useState(steps.first ?? NONE);
  const [again, setAgain] = useState(steps.again ?? NONE);
  const { kinds, suggestions } = useStepKinds(view, [first, again]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onDone();
    view.update({ first: stepText(first), again: stepText(again) });
  };
  return (
    <form className="menu-form retention-form" onSubmit={submit}>
      <StepFields name="First event" step={first} kinds={kinds} placeholder="Any visit" onChange={setFirst} />
      <StepFields
        name="Return event"
        step={again}
        kinds={kinds}
        placeholder="Any visit"
        onChange={setAgain}
      />
      {suggestions}
      <Button type="submit">Apply</Button>
    </form>
  );
}
