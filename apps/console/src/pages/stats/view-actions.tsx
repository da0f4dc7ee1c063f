/** The items of the menu of a stats view: export, share, settings, and the time zone. */
import type { Permission } from "@headwater/contract";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { MenuItem } from "../../ui/dropdown.tsx";
import type { IconName } from "../../ui/icon.tsx";
import { lazily, loadLater } from "../../ui/load-later.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { useVisitorLinkState } from "../visitor/opened-from.ts";
import { isOfSeveral, type StatsView } from "./use-stats-view.ts";

/** The actions that open a dialog. */
export interface ViewAction {
  readonly label: string;
  readonly isWide: boolean;
  /** @param onDone closes the dialog */
  render(view: StatsView, onDone: () => void): ReactNode;
}

const TimeZoneSelect = loadLater(async () => (await import("./time-zone-select.tsx")).TimeZoneSelect, 1);
const ExportPanel = lazily(async () => (await import("./export-panel.tsx")).ExportPanel);
const SharePanel = lazily(async () => (await import("./sharing/share-panel.tsx")).SharePanel);
const ReportsPanel = lazily(async () => (await import("./reports/reports-panel.tsx")).ReportsPanel);
const AnnotationForm = lazily(async () => (await import("./saved/annotation-form.tsx")).AnnotationForm);

const ACTIONS: readonly (ViewAction & {
  readonly name: string;
  readonly icon: IconName;
  readonly permission: Permission;
})[] = [
  {
    name: "annotate",
    label: "Add annotation",
    icon: "pencil",
    permission: "sources:read",
    isWide: false,
    render: (view, onDone) => <AnnotationForm view={view} onDone={onDone} />,
  },
  {
    name: "export",
    label: "Export",
    icon: "download",
    permission: "export:read",
    isWide: false,
    render: (view) => <ExportPanel view={view} />,
  },
  {
    name: "share",
    label: "Share",
    icon: "share",
    permission: "tokens:manage",
    isWide: true,
    render: (view) => <SharePanel view={view} />,
  },
  {
    name: "reports",
    label: "Reports",
    icon: "mail",
    permission: "sources:write",
    isWide: true,
    render: (view) => <ReportsPanel view={view} />,
  },
];

interface ViewActionsProps {
  readonly view: StatsView;
  readonly onOpen: (action: ViewAction) => void;
}

export function ViewActions({ view, onOpen }: ViewActionsProps) {
  const workspace = useWorkspace();
  const navigate = useNavigate();
  const openedFrom = useVisitorLinkState();
  // the actions are about one source
  const can: typeof workspace.can = (permission) => !isOfSeveral(view) && workspace.can(permission);
  const offered = ACTIONS.filter(({ permission }) => can(permission));
  const { sourceId } = view.scope;
  return (
    <>
      {offered.map((action) => (
        <MenuItem key={action.name} icon={action.icon} onSelect={() => onOpen(action)}>
          {action.label}
        </MenuItem>
      ))}
      {can("export:read") && (
        <MenuItem
          icon="search"
          onSelect={() =>
            void navigate({ to: "/analytics/visitor", search: { sourceId }, state: openedFrom })
          }
        >
          Find a visitor
        </MenuItem>
      )}
      {can("sources:write") && (
        <MenuItem
          icon="settings"
          onSelect={() => void navigate({ to: "/sources/settings", search: { sourceId } })}
        >
          Source settings
        </MenuItem>
      )}
      {offered.length > 0 && <hr className="menu-rule" />}
      <TimeZoneSelect view={view} />
    </>
  );
}
