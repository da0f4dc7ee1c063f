/** What a source's events come to: numbers over time, who came from where, funnels, and who comes back. */
import { Group, SegmentedControl, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { FilterChips } from "./filter-chips.tsx";
import { FunnelView } from "./funnel-view.tsx";
import { LiveVisitors } from "./live-visitors.tsx";
import { OverviewView } from "./overview-view.tsx";
import { RetentionView } from "./retention-view.tsx";
import "./stats.css";
import { RangeToolbar } from "./range-toolbar.tsx";
import { type StatsView, useStatsView } from "./use-stats-view.ts";

const VIEWS = [
  { value: "overview", label: "Overview", View: OverviewView },
  { value: "funnel", label: "Funnel", View: FunnelView },
  { value: "retention", label: "Retention", View: RetentionView },
] as const;

interface StatsViewsProps {
  readonly sourceId: string;
  /** What else can be done with what is shown. */
  readonly children?: (view: StatsView) => ReactNode;
}

export function StatsViews({ sourceId, children }: StatsViewsProps) {
  const view = useStatsView(sourceId);
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
        <LiveVisitors sourceId={sourceId} />
      </Group>
      <RangeToolbar view={view} canCompare={shown.value === "overview"} />
      {children?.(view)}
      <FilterChips view={view} />
      <shown.View view={view} />
    </Stack>
  );
}
