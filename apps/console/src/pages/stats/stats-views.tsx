/** The three views of a source's stats (overview, funnel, retention) with their toolbar. */
import { Group, SegmentedControl, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { FilterChips } from "./filter-chips.tsx";
import { FunnelView } from "./funnel-view.tsx";
import { LiveVisitors } from "./live-visitors.tsx";
import { MissingEventsAlert } from "./missing-events-alert.tsx";
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
  /** Actions for the current view, shown below the toolbar. */
  readonly children?: (view: StatsView) => ReactNode;
}

export function StatsViews({ sourceId, children }: StatsViewsProps) {
  const view = useStatsView(sourceId);
  const shown = VIEWS.find(({ value }) => value === view.params.view) ?? VIEWS[0];
  return (
    <Stack gap="md">
      <MissingEventsAlert sourceId={sourceId} />
      <Group justify="space-between" gap="md">
        <SegmentedControl
          aria-label="View"
          data={VIEWS.map(({ value, label }) => ({ value, label }))}
          value={shown.value}
          onChange={(value) => view.update({ view: value === "overview" ? undefined : value })}
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
