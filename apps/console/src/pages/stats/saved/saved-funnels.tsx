/** The saved funnels, and the button that saves the funnel of the view. */
import type { SavedItem } from "@headwater/contract";
import { useState } from "react";
import { Dropdown } from "../../../ui/dropdown.tsx";
import { Button } from "../../../ui/primitives/elements.tsx";
import {
  type FunnelStep,
  type FunnelWindow,
  MIN_STEPS,
  stepParams,
  toStatsGoals,
  windowSecondsOf,
} from "../funnel/funnel-steps.ts";
import type { StatsView } from "../use-stats-view.ts";
import { SaveItemDialog } from "./save-item-dialog.tsx";
import { funnelParams } from "./saved-search.ts";
import { SavedRow } from "./segments.tsx";
import type { SavedItems } from "./use-saved-items.ts";

/** The saved funnel with these steps, which has their name. */
export function findFunnel(
  { items }: SavedItems,
  steps: readonly FunnelStep[],
  within: FunnelWindow,
): SavedItem | undefined {
  const shown = JSON.stringify({ ...stepParams(steps), within });
  return items.find((item) => item.kind === "funnel" && JSON.stringify(funnelParams(item)) === shown);
}

interface SavedFunnelsProps {
  readonly view: StatsView;
  readonly saved: SavedItems;
  /** The one that is shown. */
  readonly current: SavedItem | undefined;
  readonly steps: readonly FunnelStep[];
  readonly within: FunnelWindow;
}

export function SavedFunnels({ view, saved, current, steps, within }: SavedFunnelsProps) {
  const [isOpen, setOpen] = useState(false);
  const { items, canSave, canShare, canDelete, save, remove } = saved;
  const funnels = items.filter(({ kind }) => kind === "funnel");
  // a saved funnel has a time
  const canSaveThis = canSave && steps.length >= MIN_STEPS && !current && within !== "session";
  if (funnels.length === 0 && !canSaveThis) return null;
  return (
    <>
      {funnels.length > 0 && (
        <Dropdown
          label={current ? `Saved funnels: ${current.name}` : "Saved funnels"}
          button={current?.name ?? "Saved funnels"}
        >
          {(close) =>
            funnels.map((funnel) => (
              <SavedRow
                key={funnel.savedId}
                item={funnel}
                isSelected={funnel === current}
                onSelect={() => {
                  close();
                  view.update(funnelParams(funnel));
                }}
                onRemove={canDelete(funnel) ? () => remove(funnel.savedId) : null}
              />
            ))
          }
        </Dropdown>
      )}
      {canSaveThis && (
        <Button size="xs" variant="default" onClick={() => setOpen(true)}>
          Save funnel
        </Button>
      )}
      <SaveItemDialog
        title="Save this funnel"
        label="Name"
        opened={isOpen}
        onClose={() => setOpen(false)}
        canShare={canShare}
        onSave={(name, shared) =>
          save({
            kind: "funnel",
            name,
            shared,
            steps: toStatsGoals(steps),
            windowSeconds: windowSecondsOf(within),
          })
        }
      />
    </>
  );
}
