/** The button that saves the view's filters as a segment. */
import { useState } from "react";
import { areSameFilters } from "../other-filters.ts";
import type { StatsView } from "../use-stats-view.ts";
import { SaveItemDialog } from "./save-item-dialog.tsx";
import { useSavedItems } from "./use-saved-items.ts";

export function SaveSegmentButton({ view: { scope } }: { readonly view: StatsView }) {
  const [isOpen, setOpen] = useState(false);
  const { canSave, canShare, save, items } = useSavedItems(scope.sourceId);
  const isSaved = items.some(({ filters }) => filters !== null && areSameFilters(filters, scope.filters));
  if (!canSave || isSaved) return null;
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
        onSave={(name, shared) => save({ kind: "segment", name, shared, filters: scope.filters })}
      />
    </>
  );
}
