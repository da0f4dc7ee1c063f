/** The saved funnels, and the button that saves the funnel of the view. */
import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { Dropdown } from "../../../ui/dropdown.tsx";
import {
  type FunnelStep,
  type FunnelWindow,
  fromStatsGoals,
  MIN_STEPS,
  stepParams,
  toStatsGoals,
  windowOf,
  windowSecondsOf,
} from "../funnel-steps.ts";
import type { StatsView } from "../use-stats-view.ts";
import { SaveItemDialog } from "./save-item-dialog.tsx";
import { SavedRow } from "./segments.tsx";
import { useSavedItems } from "./use-saved-items.ts";

const DAY_SECONDS = 86_400;

interface SavedFunnelsProps {
  readonly view: StatsView;
  readonly steps: readonly FunnelStep[];
  readonly within: FunnelWindow;
}

export function SavedFunnels({ view, steps, within }: SavedFunnelsProps) {
  const [isOpen, setOpen] = useState(false);
  const { items, canSave, canShare, canDelete, save, remove } = useSavedItems(view.scope.sourceId);
  const funnels = items.filter(({ kind }) => kind === "funnel");
  const paramsOf = (goals: Parameters<typeof fromStatsGoals>[0], seconds: number | null) => ({
    ...stepParams(fromStatsGoals(goals)),
    within: windowOf(seconds ?? DAY_SECONDS),
  });
  const shown = JSON.stringify({ ...stepParams(steps), within });
  const current = funnels.find(
    (one) => JSON.stringify(paramsOf(one.steps ?? [], one.windowSeconds)) === shown,
  );
  const canSaveThis = canSave && steps.length >= MIN_STEPS && !current;
  if (funnels.length === 0 && !canSaveThis) return null;
  return (
    <Group gap="xs">
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
                  view.update(paramsOf(funnel.steps ?? [], funnel.windowSeconds));
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
    </Group>
  );
}
