/** The views of a source's stats with their toolbar: the view and its period, and below them the filters. */
import { useQuery } from "@tanstack/react-query";
import { type ComponentType, type ReactNode, Suspense, useMemo } from "react";
import { api } from "../../api.ts";
import { useShortcuts } from "../../shortcuts.tsx";
import { lazily, loadLater } from "../../ui/load-later.tsx";
import { Loading } from "../../ui/page-states.tsx";
import { STATS_VIEWS } from "../../ui/pages.ts";
import { Stack } from "../../ui/primitives/elements.tsx";
import { Switcher } from "../../ui/switcher.tsx";
import { FilterMenu } from "./filter/filter-menu.tsx";
import { LiveVisitors } from "./live-visitors.tsx";
import { MissingEventsAlert } from "./missing-events-alert.tsx";
import { OverviewView } from "./overview-view.tsx";
import { ComparisonMenu, RangeMenu } from "./range-menu.tsx";
import "./stats.css";
import { ALL_EVENTS, sumOfEvents } from "./sum-of-events.ts";
import { isOfSeveral, type StatsTarget, type StatsView, useStatsView } from "./use-stats-view.ts";
import { ViewMenu } from "./view-menu.tsx";
import { EARLIEST_DAY, shiftDay, todayIn } from "./view-range.ts";

// most views have no filters at first
const FilterChips = lazily(async () => (await import("./filter/filter-chips.tsx")).FilterChips);

interface ViewParts {
  readonly View: ComponentType<{ readonly view: StatsView }>;
  /** Whether it also counts several sources together. */
  readonly isOfSeveral?: true;
}
interface ViewDefinition extends ViewParts {
  readonly value: string;
  readonly label: string;
}
const OVERVIEW: ViewDefinition = {
  value: "overview",
  label: "Overview",
  View: OverviewView,
  isOfSeveral: true,
};
const PARTS: Readonly<Record<(typeof STATS_VIEWS)[number]["value"], ViewParts>> = {
  realtime: { View: loadLater(async () => (await import("./realtime/realtime-view.tsx")).RealtimeView) },
  funnel: { View: loadLater(async () => (await import("./funnel/funnel-view.tsx")).FunnelView) },
  paths: { View: loadLater(async () => (await import("./paths/paths-view.tsx")).PathsView) },
  retention: { View: loadLater(async () => (await import("./retention/retention-view.tsx")).RetentionView) },
  explore: {
    View: loadLater(async () => (await import("./explore/explore-view.tsx")).ExploreView),
    isOfSeveral: true,
  },
};
const VIEWS: readonly ViewDefinition[] = [
  OVERVIEW,
  ...STATS_VIEWS.map((one) => ({ ...one, ...PARTS[one.value] })),
];

const VIEWS_OF_SEVERAL = VIEWS.filter((one) => one.isOfSeveral);

export function StatsViews({ target }: { readonly target: StatsTarget }) {
  const view = useStatsView(target);
  const { sourceId } = view.scope;
  const views = isOfSeveral(view) ? VIEWS_OF_SEVERAL : VIEWS;
  const shown = views.find(({ value }) => value === view.params.view) ?? OVERVIEW;
  const show = (value: string) => view.update({ view: value === OVERVIEW.value ? undefined : value });
  useShortcuts(views.map(({ value }, at) => [String(at + 1), () => show(value)]));
  return (
    <Stack gap="sm">
      {sourceId && <MissingEventsAlert sourceId={sourceId} />}
      <section className="toolbar" aria-label="View">
        <ViewSwitcher views={views} shown={shown.value} onChange={show} />
        <FilterMenu view={view} />
        {sourceId && shown.value !== "realtime" && (
          <LiveVisitors sourceId={sourceId} onOpen={() => show("realtime")} />
        )}
        <div className="toolbar-end">
          {shown.value !== "realtime" && <RangeMenu view={view} />}
          {shown === OVERVIEW && <ComparisonMenu view={view} />}
          <ViewMenu view={view} />
        </div>
        {view.scope.filters.length > 0 && (
          <Suspense fallback={null}>
            <FilterChips view={view} />
          </Suspense>
        )}
      </section>
      {view.isReady ? <shown.View view={view} /> : <Loading />}
    </Stack>
  );
}

interface ViewSwitcherProps {
  readonly views: readonly ViewDefinition[];
  readonly shown: string;
  readonly onChange: (value: string) => void;
}

/** On a phone a list that opens: the buttons would take a row of their own. */
const ViewSwitcher = ({ views, shown, onChange }: ViewSwitcherProps) => (
  <>
    <Switcher label="View" options={views} value={shown} onChange={onChange} />
    <select
      className="view-select"
      aria-label="View"
      value={shown}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {views.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  </>
);

interface FirstEventGateProps {
  readonly sourceId: string;
  /** Null before the first event was received. */
  readonly lastEventAt: string | null;
  /** Shown while there are no events. */
  readonly children: ReactNode;
}

/** Shows the stats of a source once it has events: received ones, or imported ones, of which the source itself does not know. */
export function FirstEventGate({ sourceId, lastEventAt, children }: FirstEventGateProps) {
  const imported = useQuery({
    queryKey: ["stats", "imported", sourceId],
    queryFn: ({ signal }) => {
      const dateRange: [string, string] = [EARLIEST_DAY, shiftDay(todayIn("UTC", Date.now()), 1)];
      const include = { bots: true, excluded: false };
      const metrics = [...ALL_EVENTS];
      return api.queryStats({ body: { sourceId, dateRange, metrics, include }, signal });
    },
    enabled: lastEventAt === null,
  });
  const target = useMemo(() => ({ sourceId }), [sourceId]);
  const events = sumOfEvents(imported.data?.results[0]);
  if (lastEventAt !== null || events > 0) return <StatsViews target={target} />;
  return imported.isPending ? <Loading /> : children;
}
