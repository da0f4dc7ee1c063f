/** What a source's events come to: numbers over time, who came from where, funnels, and who comes back. */
import { Group, SegmentedControl, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { FilterChips } from "./filter-chips.tsx";
import { Funnel } from "./funnel.tsx";
import { Live } from "./live.tsx";
import { Overview } from "./overview.tsx";
import { Retention } from "./retention.tsx";
import "./stats.css";
import { Toolbar } from "./toolbar.tsx";
import { useView, type View } from "./view.ts";

const VIEWS = [
  { value: "overview", label: "Overview", View: Overview },
  { value: "funnel", label: "Funnel", View: Funnel },
  { value: "retention", label: "Retention", View: Retention },
] as const;

interface StatsProps {
  readonly sourceId: string;
  /** What else can be done with what is shown. */
  readonly children?: (view: View) => ReactNode;
}

export function Stats({ sourceId, children }: StatsProps) {
  const view = useView(sourceId);
  const shown = VIEWS.find(({ value }) => value === view.search.view) ?? VIEWS[0];
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="md">
        <SegmentedControl
          aria-label="View"
          data={VIEWS.map(({ value, label }) => ({ value, label }))}
          value={shown.value}
          onChange={(value) => view.change({ view: value === "overview" ? undefined : value })}
        />
        <Live sourceId={sourceId} />
      </Group>
      <Toolbar view={view} canCompare={shown.value === "overview"} />
      {children?.(view)}
      <FilterChips view={view} />
      <shown.View view={view} />
    </Stack>
  );
}
