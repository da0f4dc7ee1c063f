/** The stats overview: key metrics, one of them as a chart, and breakdowns by page, origin, device, location and event. */
import { Skeleton, Stack } from "@mantine/core";
import { EmptyState, ErrorAlert } from "../../ui/page-states.tsx";
import { BreakdownPanel, PANELS } from "./breakdown-panel.tsx";
import { TimeChart } from "./chart/time-chart.tsx";
import { ExcludedBots } from "./excluded-bots.tsx";
import { KEY_METRICS, KeyMetrics, metricsOf, metricsWithoutValue } from "./key-metrics.tsx";
import { ListHeading } from "./lists/list-heading.tsx";
import { isEmptyAnswer, MayAsk, type StatsView, useStats } from "./use-stats-view.ts";

const EVENT_METRICS = metricsOf("events");
const SESSION_METRICS = metricsOf("sessions");

/** The key metrics, of the whole range and over time. Session metrics are the slower queries, so they wait for the chart. */
function useOverview({ scope, range, comparison }: StatsView, isSessionMetric: boolean) {
  const dimensions = [`time:${range.interval}` as const];
  const request = { comparison: comparison.request };
  const ask = { pollWhileEmpty: true };
  const events = useStats(scope, { metrics: EVENT_METRICS, ...request }, ask);
  const eventSeries = useStats(scope, { metrics: EVENT_METRICS, dimensions, ...request }, ask);
  const enabled = isSessionMetric || !(eventSeries.isPending || eventSeries.isPlaceholderData);
  const sessions = useStats(scope, { metrics: SESSION_METRICS, ...request }, { ...ask, enabled });
  const sessionSeries = useStats(
    scope,
    { metrics: SESSION_METRICS, dimensions, ...request },
    { ...ask, enabled },
  );
  return { events, sessions, eventSeries, sessionSeries };
}

export function OverviewView({ view }: { readonly view: StatsView }) {
  const selected = KEY_METRICS.find((one) => one.metric === view.params.metric) ?? KEY_METRICS[0];
  const isSessionMetric = selected.group === "sessions";
  const { events, sessions, eventSeries, sessionSeries } = useOverview(view, isSessionMetric);
  const series = isSessionMetric ? sessionSeries : eventSeries;
  // previous values stay visible below the error
  const failed = [events, sessions, series].find(({ error }) => error);
  if (failed?.error && !events.data)
    return <ErrorAlert error={failed.error} onRetry={() => void failed.refetch()} withIssues />;
  const isLoaded = events.data !== undefined && !series.isPending;
  const isShown = [events, sessions, series].every(
    ({ isPending, isPlaceholderData }) => !(isPending || isPlaceholderData),
  );
  const isEmpty = events.data !== undefined && isEmptyAnswer(events.data);
  return (
    <Stack gap="md" className="stats">
      <KeyMetrics
        queries={{ events, sessions }}
        series={{ events: eventSeries, sessions: sessionSeries }}
        selected={selected.metric}
        isCompared={view.comparison.request !== false}
        withoutValue={metricsWithoutValue(view.filters)}
        onSelect={(metric) => view.update({ metric: metric === "visitors" ? undefined : metric })}
      />
      {failed?.error && <ErrorAlert error={failed.error} onRetry={() => void failed.refetch()} withIssues />}
      {isEmpty ? (
        <EmptyState title="No data for this period">
          {view.scope.filters.length > 0
            ? "No events match these filters. Remove one of them."
            : "New events appear here within seconds. Choose a longer range to see earlier events."}
        </EmptyState>
      ) : (
        <>
          {series.data ? (
            <div aria-busy={series.isPlaceholderData}>
              <TimeChart answer={series.data} metric={selected} view={view} />
            </div>
          ) : (
            <div role="status" aria-label="Loading">
              <Skeleton height="25rem" radius="lg" />
            </div>
          )}
          <MayAsk value={isShown}>
            <ListHeading view={view} isReady={isLoaded} />
            <div className="panels">
              {PANELS.map((panel) => (
                <BreakdownPanel key={panel.id} panel={panel} view={view} isReady={isLoaded} />
              ))}
            </div>
          </MayAsk>
        </>
      )}
      {isShown && <ExcludedBots view={view} />}
    </Stack>
  );
}
