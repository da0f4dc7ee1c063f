/** The section for the goals of a source. */
import type { Source } from "@headwater/contract";
import { SettingsSection } from "./form-section.tsx";
import { type GoalInput, isFilled, toGoal, toGoalInput } from "./goal-input.ts";
import { GoalList } from "./goal-list.tsx";
import { type SettingsPart, useSettings } from "./settings-form.tsx";

interface GoalFormFields {
  readonly goals: GoalInput[];
}

export const GOALS: SettingsPart<GoalFormFields> = {
  title: "Goals",
  stored: ({ goals }: Source) => ({ goals: goals.map(toGoalInput) }),
  normalize: ({ goals }) => (goals === undefined ? {} : { goals: goals.filter(isFilled) }),
  toPatch: ({ goals }) => (goals === undefined ? {} : { goals: goals.map(toGoal) }),
};

export function GoalsForm() {
  const { fields, setFields, failure, generation } = useSettings(GOALS);
  return (
    <SettingsSection
      title="Goals"
      text="A goal counts events with a given name, or views of pages whose path matches a pattern. Use * as a wildcard in paths. Changes apply to past events too."
    >
      <GoalList
        key={generation}
        goals={fields.goals}
        onChange={(goals) => setFields({ goals })}
        issueAt={(...field) => failure?.issueAt("goals", ...field) ?? null}
        isRefused={(index) =>
          failure?.issues.some(({ path }) => path[0] === "goals" && path[1] === index) ?? false
        }
      />
    </SettingsSection>
  );
}
