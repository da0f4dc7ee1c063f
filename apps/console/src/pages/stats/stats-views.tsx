/** The views of a source's stats with their toolbar: the view and its period, and below them the filters. */
import { Stack } from "@mantine/core";
import { type ComponentType, useMemo } from "react";
import { useShortcuts } from "../../shortcuts.tsx";
import { loadLater } from "../../ui/load-later.tsx";
import { Loading } from "../../ui/page-states.tsx";
import { Switcher } from "../../ui/switcher.tsx";
import { FilterChips } from "./filter/filter-chips.tsx";
import { FilterMenu } from "./filter/filter-menu.tsx";
import { LiveVisitors } from "./live-visitors.tsx";
import { MissingEventsAlert } from "./missing-events-alert.tsx";
import { OverviewView } from "./overview-view.tsx";
import { ComparisonMenu, RangeMenu } from "./range-menu.tsx";
import "./stats.css";
import { type StatsView, useStatsView } from "./use-stats-view.ts";
import { ViewMenu } from "./view-menu.tsx";

interface ViewDefinition {
  readonly value: string;
  readonly label: string;
  readonly View: ComponentType<{ readonly view: StatsView }>;
}
const OVERVIEW: ViewDefinition = { value: "overview", label: "Overview", View: OverviewView };
const VIEWS: readonly ViewDefinition[] = [
  OVERVIEW,
  {
    value: "realtime",
    label: "Real time",
    View: loadLater(async () => (await import("./realtime-view.tsx")).RealtimeView),
  },
  {
    value: "funnel",
    label: "Funnel",
    View: loadLater(async () => (await import("./funnel/funnel-view.tsx")).FunnelView),
  },
  {
    value: "paths",
    label: "Paths",
    View: loadLater(async () => (await import("./paths-view.tsx")).PathsView),
  },
  {
    value: "retention",
    label: "Retention",
    View: loadLater(async () => (await import("./retention-view.tsx")).RetentionView),
  },
];

export function StatsViews({ sourceId }: { readonly sourceId: string }) {
  const view = useStatsView(sourceId);
  const shown = VIEWS.find(({ value }) => value === view.params.view) ?? OVERVIEW;
  const options = useMemo(() => VIEWS.map(({ value, label }) => ({ value, label })), []);
  const show = (value: string) => view.update({ view: value === OVERVIEW.value ? undefined : value });
  useShortcuts(VIEWS.map(({ value }, at) => [String(at + 1), () => show(value)]));
  return (
    <Stack gap="md">
      <MissingEventsAlert sourceId={sourceId} />
      <section className="toolbar" aria-label="View">
        <Switcher label="View" options={options} value={shown.value} onChange={show} />
        <div className="toolbar-end">
          {shown.value !== "realtime" && <RangeMenu view={view} />}
          {shown === OVERVIEW && <ComparisonMenu view={view} />}
          <ViewMenu view={view} />
        </div>
        <div className="filter-row">
          <FilterMenu view={view} />
          <FilterChips view={view} />
          {shown.value !== "realtime" && <LiveVisitors sourceId={sourceId} onOpen={() => show("realtime")} />}
        </div>
      </section>
      {view.isReady ? <shown.View view={view} /> : <Loading />}
    </Stack>
  );
}
