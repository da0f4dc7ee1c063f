/** The stats overview: key metrics, one of them as a chart, and breakdowns by page, origin, device, location and event. */
import { Suspense } from "react";
import { lazily, OnceSeen } from "../../ui/load-later.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { Skeleton, Stack } from "../../ui/primitives/elements.tsx";
import { BreakdownPanel, panelsFor } from "./breakdown-panel.tsx";
import { TimeChart } from "./chart/time-chart.tsx";
import { ExcludedBots } from "./excluded-bots.tsx";
import { KEY_METRICS, KeyMetrics, metricsWithoutValue, seriesQuery, useKeyMetrics } from "./key-metrics.tsx";
import { ListHeading } from "./lists/list-heading.tsx";
import { isEmptyAnswer, MayAsk, type StatsView, useStats } from "./use-stats-view.ts";

const EmptyOverview = lazily(async () => (await import("./no-data.tsx")).EmptyOverview);
const SourceNotes = lazily(async () => (await import("./source-notes.tsx")).SourceNotes);

export function OverviewView({ view }: { readonly view: StatsView }) {
  const selected = KEY_METRICS.find((one) => one.metric === view.params.metric) ?? KEY_METRICS[0];
  const totals = useKeyMetrics(view);
  const series = useStats(view.scope, seriesQuery(view), { pollWhileEmpty: true });
  // previous values stay visible below the error
  const failed = [totals, series].find(({ error }) => error);
  if (failed?.error && !totals.data)
    return <ErrorAlert error={failed.error} onRetry={() => void failed.refetch()} withIssues />;
  const isLoaded = totals.data !== undefined && !series.isPending;
  const isShown = [totals, series].every(
    ({ isPending, isPlaceholderData }) => !(isPending || isPlaceholderData),
  );
  const isEmpty = totals.data !== undefined && isEmptyAnswer(totals.data);
  return (
    <Stack gap="md" className="stats">
      <KeyMetrics
        totals={totals}
        series={series}
        selected={selected.metric}
        isCompared={view.comparison.request !== false}
        withoutValue={metricsWithoutValue(view.filters)}
        onSelect={(metric) => view.update({ metric: metric === "visitors" ? undefined : metric })}
      />
      {failed?.error && <ErrorAlert error={failed.error} onRetry={() => void failed.refetch()} withIssues />}
      {isEmpty ? (
        <Suspense fallback={null}>
          <EmptyOverview view={view} />
        </Suspense>
      ) : (
        <>
          {series.data ? (
            <div aria-busy={series.isPlaceholderData}>
              <TimeChart answer={series.data} metric={selected} view={view} />
            </div>
          ) : (
            <div role="status" aria-label="Loading">
              <Skeleton height="25rem" />
            </div>
          )}
          <MayAsk value={isShown}>
            <ListHeading view={view} isReady={isLoaded} />
            <div className="panels">
              {panelsFor(view).map((panel) => (
                <BreakdownPanel key={panel.id} panel={panel} view={view} isReady={isLoaded} />
              ))}
            </div>
          </MayAsk>
        </>
      )}
      {isShown && <ExcludedBots view={view} />}
      {isShown && view.scope.sourceId && (
        <OnceSeen>
          <Suspense fallback={null}>
            <SourceNotes sourceId={view.scope.sourceId} days={view.range.days} />
          </Suspense>
        </OnceSeen>
      )}
    </Stack>
  );
}
