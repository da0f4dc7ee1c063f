/** The menu of a stats view: export, share, settings, and the time zone. */
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { Dropdown, MenuItem } from "../../ui/dropdown.tsx";
import { Icon } from "../../ui/icon.tsx";
import { lazily, loadLater } from "../../ui/load-later.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { useVisitorLinkState } from "../visitor/opened-from.ts";
import type { StatsView } from "./use-stats-view.ts";

const TimeZoneSelect = loadLater(async () => (await import("./time-zone-select.tsx")).TimeZoneSelect, 1);
const ExportPanel = lazily(async () => (await import("./export-panel.tsx")).ExportPanel);
const SharePanel = lazily(async () => (await import("./share-panel.tsx")).SharePanel);
const ReportsPanel = lazily(async () => (await import("./reports/reports-panel.tsx")).ReportsPanel);
const AnnotationForm = lazily(async () => (await import("./saved/annotation-form.tsx")).AnnotationForm);

const ACTIONS = [
  {
    name: "annotate",
    label: "Add annotation",
    icon: "pencil",
    permission: "sources:read",
    isWide: false,
    Panel: AnnotationForm,
  },
  {
    name: "export",
    label: "Export",
    icon: "download",
    permission: "export:read",
    isWide: false,
    Panel: ExportPanel,
  },
  {
    name: "share",
    label: "Share",
    icon: "share",
    permission: "tokens:manage",
    isWide: true,
    Panel: SharePanel,
  },
  {
    name: "reports",
    label: "Reports",
    icon: "mail",
    permission: "sources:write",
    isWide: true,
    Panel: ReportsPanel,
  },
] as const;
type ActionName = (typeof ACTIONS)[number]["name"];

export function ViewMenu({ view }: { readonly view: StatsView }) {
  const { can } = useWorkspace();
  const navigate = useNavigate();
  const openedFrom = useVisitorLinkState();
  const [opened, setOpened] = useState<ActionName | null>(null);
  const offered = ACTIONS.filter(({ permission }) => can(permission));
  const { sourceId } = view.scope;
  return (
    <>
      <Dropdown label="More" align="end" isBare button={<Icon name="more" size={18} />}>
        {(close) => (
          <>
            {offered.map(({ name, label, icon }) => (
              <MenuItem
                key={name}
                icon={icon}
                onSelect={() => {
                  close();
                  setOpened(name);
                }}
              >
                {label}
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
        )}
      </Dropdown>
      {offered.map(({ name, label, isWide, Panel }) => (
        <Dialog
          key={name}
          title={label}
          isWide={isWide}
          opened={opened === name}
          onClose={() => setOpened((current) => (current === name ? null : current))}
        >
          <Panel view={view} onDone={() => setOpened(null)} />
        </Dialog>
      ))}
    </>
  );
}
