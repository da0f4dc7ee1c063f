/** The form for the goals of a source. */
import type { Source } from "@headwater/contract";
import { SaveRow } from "../../save-row.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { FormSection } from "./form-section.tsx";
import { type GoalInput, isFilled, toGoal, toGoalInput } from "./goal-input.ts";
import { GoalList } from "./goal-list.tsx";
import { useSourceForm } from "./source-form.tsx";

interface GoalFormFields {
  readonly goals: GoalInput[];
}

const normalize = ({ goals }: Partial<GoalFormFields>): Partial<GoalFormFields> =>
  goals === undefined ? {} : { goals: goals.filter(isFilled) };
const toPatch = ({ goals }: Partial<GoalFormFields>) =>
  goals === undefined ? {} : { goals: goals.map(toGoal) };

export function GoalsForm({ source }: { readonly source: Source }) {
  const stored: GoalFormFields = { goals: source.goals.map(toGoalInput) };
  const { fields, setFields, submit, saved, failure, isUnsaved } = useSourceForm({
    source,
    stored,
    normalize,
    toPatch,
  });
  return (
    <FormSection
      title="Goals"
      text="A goal is reached by an event with this name or a view of a matching page. Use * as a wildcard in paths. Goals apply to all stored events."
      onSubmit={submit}
    >
      {saved.error && <ErrorAlert error={saved.error} />}
      <GoalList
        goals={fields.goals}
        onChange={(goals) => setFields({ goals })}
        issueAt={(...field) => failure?.issueAt("goals", ...field) ?? null}
        isRefused={(index) =>
          failure?.issues.some(({ path }) => path[0] === "goals" && path[1] === index) ?? false
        }
        isSaved={saved.isSuccess}
      />
      <SaveRow saved={saved} what="goals" isUnsaved={isUnsaved} />
    </FormSection>
  );
}
