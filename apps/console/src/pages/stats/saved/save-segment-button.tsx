/** The button that saves the view's filters as a segment, or the name of the segment that has them. */
import { useRef, useState } from "react";
import { areSameFilters } from "../other-filters.ts";
import type { StatsView } from "../use-stats-view.ts";
import { SaveItemDialog } from "./save-item-dialog.tsx";
import { useSavedItems } from "./use-saved-items.ts";

export function SaveSegmentButton({ view: { scope } }: { readonly view: StatsView }) {
  const [isOpen, setOpen] = useState(false);
  const isSaving = useRef(false);
  const { canSave, canShare, save, items } = useSavedItems(scope.sourceId);
  const segment = items.find(
    ({ kind, filters }) => kind === "segment" && areSameFilters(filters ?? [], scope.filters),
  );
  if (!canSave) return null;
  if (segment)
    return (
      <span
        role="status"
        className="chip chip-bare"
        tabIndex={-1}
        // the button that opened the dialog is gone
        ref={(element) => {
          if (isSaving.current) element?.focus();
          isSaving.current = false;
        }}
      >
        <span className="chip-text">Saved as segment “{segment.name}”</span>
      </span>
    );
  return (
    <>
      <button type="button" className="chip chip-bare" onClick={() => setOpen(true)}>
        Save as segment
      </button>
      <SaveItemDialog
        title="Save these filters as a segment"
        label="Name"
        opened={isOpen}
        onClose={() => setOpen(false)}
        canShare={canShare}
        onSave={(name, shared) => {
          isSaving.current = true;
          return save({ kind: "segment", name, shared, filters: scope.filters });
        }}
      />
    </>
  );
}
