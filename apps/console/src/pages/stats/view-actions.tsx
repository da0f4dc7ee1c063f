/** The Export and Share buttons. Each opens its panel; one panel is open at a time. */
import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { useWorkspace } from "../../workspace-context.tsx";
import { ExportPanel } from "./export-panel.tsx";
import { SharePanel } from "./share-panel.tsx";
import type { StatsView } from "./use-stats-view.ts";

const ACTIONS = [
  { name: "export", label: "Export", permission: "export:read", Panel: ExportPanel },
  { name: "share", label: "Share", permission: "tokens:manage", Panel: SharePanel },
] as const;
type ActionName = (typeof ACTIONS)[number]["name"];

export function ViewActions({ view }: { readonly view: StatsView }) {
  const { can } = useWorkspace();
  const [opened, open] = useState<ActionName | null>(null);
  const offered = ACTIONS.filter(({ permission }) => can(permission));
  const shown = offered.find(({ name }) => name === opened);
  if (offered.length === 0) return null;
  return (
    <>
      <Group gap="xs">
        {offered.map(({ name, label }) => (
          <Button
            key={name}
            size="xs"
            variant={name === opened ? "light" : "default"}
            aria-expanded={name === opened}
            onClick={() => open(name === opened ? null : name)}
          >
            {label}
          </Button>
        ))}
      </Group>
      {shown && <shown.Panel view={view} />}
    </>
  );
}
