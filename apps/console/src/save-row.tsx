/** The last row of a form that edits stored values: the "Saved" message and the button. */
import { useId } from "react";
import { AsyncButton } from "./ui/async-button.tsx";
import { Group, Text } from "./ui/primitives/elements.tsx";

interface SaveRowProps {
  readonly saved: { readonly isSuccess: boolean; readonly isPending: boolean };
  /** What is saved, for screen readers: several forms of a page have a button "Save". */
  readonly what: string;
  readonly isUnsaved: boolean;
  /** Why changes cannot be saved yet. */
  readonly problem?: string | null;
}

/** The button says why it is disabled: to screen readers, and beside it on focus and hover. */
export function SaveRow({ saved, what, isUnsaved, problem = null }: SaveRowProps) {
  const id = useId();
  const reason = isUnsaved ? problem : "No changes to save";
  // the answer may come before the form shows it: until then, leaving the page asks for confirmation
  const isSaved = saved.isSuccess && !isUnsaved;
  return (
    <Group justify="flex-end" className="save-row">
      {isSaved ? (
        <Text size="sm" role="status" id={id}>
          Saved
        </Text>
      ) : (
        reason !== null && (
          <Text size="sm" c="dimmed" className="save-note" id={id}>
            {reason}
          </Text>
        )
      )}
      <AsyncButton
        type="submit"
        isPending={saved.isPending}
        disabled={reason !== null}
        aria-label={`Save ${what}`}
        aria-describedby={isSaved || reason !== null ? id : undefined}
      >
        Save
      </AsyncButton>
    </Group>
  );
}
