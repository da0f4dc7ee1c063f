/** The form for a note on a day, which the chart shows. */
import { useState } from "react";
import { TextInput } from "../../../ui/primitives/fields.tsx";
import type { StatsView } from "../use-stats-view.ts";
import { SaveItemForm } from "./save-item-form.tsx";
import { useSavedItems } from "./use-saved-items.ts";

interface AnnotationFormProps {
  readonly view: StatsView;
  readonly onDone: () => void;
}

export function AnnotationForm({ view: { scope, range }, onDone }: AnnotationFormProps) {
  const [day, setDay] = useState(range.days[1]);
  const { canShare, save } = useSavedItems(scope.sourceId);
  return (
    <SaveItemForm
      label="What happened"
      canShare={canShare}
      onClose={onDone}
      onSave={(name, shared) => save({ kind: "annotation", name, shared, day })}
    >
      <TextInput
        type="date"
        label="Day"
        required
        value={day}
        onChange={(event) => setDay(event.currentTarget.value)}
      />
    </SaveItemForm>
  );
}
