/** The menu of a stats view, and the dialog that one of its items opens. */
import { useState } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { Dropdown } from "../../ui/dropdown.tsx";
import { Icon } from "../../ui/icon.tsx";
import { lazily } from "../../ui/load-later.tsx";
import type { StatsView } from "./use-stats-view.ts";
import type { ViewAction } from "./view-actions.tsx";

const ViewActions = lazily(async () => (await import("./view-actions.tsx")).ViewActions);

export function ViewMenu({ view }: { readonly view: StatsView }) {
  const [action, setAction] = useState<ViewAction | null>(null);
  const closeDialog = () => setAction(null);
  return (
    <>
      <Dropdown shortcut="E" label="More actions" align="end" isBare button={<Icon name="more" size={18} />}>
        {(close) => (
          <ViewActions
            view={view}
            onOpen={(chosen) => {
              close();
              setAction(chosen);
            }}
          />
        )}
      </Dropdown>
      <Dialog
        title={action?.label ?? ""}
        isWide={action?.isWide ?? false}
        opened={action !== null}
        onClose={closeDialog}
      >
        {action?.render(view, closeDialog)}
      </Dialog>
    </>
  );
}
