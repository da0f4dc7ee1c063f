/** The saved segments in the filter menu, and the row that each menu of saved items shows. */
import type { SavedItem } from "@headwater/contract";
import { useState } from "react";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { MenuItem, MenuTitle } from "../../../ui/dropdown.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Text } from "../../../ui/primitives/elements.tsx";
import { areSameFilters } from "../other-filters.ts";
import type { StatsView } from "../use-stats-view.ts";
import { withoutFilters } from "../view-params.ts";
import { segmentParams } from "./saved-search.ts";
import { useSavedItems } from "./use-saved-items.ts";

interface SegmentListProps {
  readonly view: StatsView;
  /** Runs when a segment was chosen. */
  readonly onDone: () => void;
}

/** Choosing a segment replaces the view's filters. */
export function SegmentList({ view, onDone }: SegmentListProps) {
  const saved = useSavedItems(view.scope.sourceId);
  const segments = saved.items.filter(({ kind }) => kind === "segment");
  if (segments.length === 0) return null;
  return (
    <div className="menu-group saved-list">
      <MenuTitle>Segments</MenuTitle>
      {segments.map((segment) => (
        <SavedRow
          key={segment.savedId}
          item={segment}
          isSelected={areSameFilters(segment.filters ?? [], view.scope.filters)}
          onSelect={() => {
            onDone();
            view.update({ ...withoutFilters(view.filters), ...segmentParams(segment) });
          }}
          onRemove={saved.canDelete(segment) ? () => saved.remove(segment.savedId) : null}
        />
      ))}
    </div>
  );
}

interface SavedRowProps {
  readonly item: SavedItem;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
  /** null: the user cannot delete it. */
  readonly onRemove: (() => Promise<unknown>) | null;
}

/** A saved item in a menu, with a button that deletes it. */
export function SavedRow({ item: { kind, name, shared }, isSelected, onSelect, onRemove }: SavedRowProps) {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <div className="saved-row">
      <MenuItem isSelected={isSelected} hint={shared ? "" : "Personal"} onSelect={onSelect}>
        {name}
      </MenuItem>
      {onRemove && (
        <button
          type="button"
          className="icon-button"
          aria-label={`Delete ${name}`}
          onClick={() => setConfirming(true)}
        >
          <Icon name="close" size={14} />
        </button>
      )}
      {onRemove && (
        <ConfirmDialog
          title={`Delete “${name}”?`}
          confirmLabel={`Delete ${kind}`}
          opened={isConfirming}
          onClose={() => setConfirming(false)}
          onConfirm={onRemove}
        >
          <Text size="sm">
            {shared ? "It will be deleted for all members of the workspace." : "Only you can see it."} Links
            made with it keep working.
          </Text>
        </ConfirmDialog>
      )}
    </div>
  );
}
