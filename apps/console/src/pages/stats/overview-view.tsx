/** The stats overview: key metrics, one of them as a chart, and breakdowns by page, origin, device, location and event. */
import { SimpleGrid, Stack } from "@mantine/core";
import { EmptyState, ErrorAlert, QueryResult } from "../../ui/page-states.tsx";
import { BreakdownPanel, PANELS } from "./breakdown-panel.tsx";
import { KEY_METRICS, KeyMetrics, metricsOf } from "./key-metrics.tsx";
import { TimeChart } from "./time-chart.tsx";
import { isEmptyAnswer, type StatsView, useStats } from "./use-stats-view.ts";

const EVENT_METRICS = metricsOf("events");
const SESSION_METRICS = metricsOf("sessions");

export function OverviewView({ view }: { readonly view: StatsView }) {
  const { scope, range, isCompared, filters, params } = view;
  const include = { comparison: isCompared };
  const { metric } = KEY_METRICS.find((one) => one.metric === params.metric) ?? KEY_METRICS[0];
  const events = useStats(scope, { metrics: EVENT_METRICS, include }, { pollWhileEmpty: true });
  const series = useStats(
    scope,
    { metrics: [metric], dimensions: [`time:${range.interval}`], include },
    { pollWhileEmpty: true },
  );
  // session metrics are the slowest query, so they wait until the chart is drawn
  const isChartLoaded = !series.isPending;
  const sessions = useStats(
    scope,
    { metrics: SESSION_METRICS, include },
    { pollWhileEmpty: true, enabled: isChartLoaded },
  );
  // previous values stay visible below the error
  const failed = [events, sessions].find(({ error }) => error);
  return (
    <QueryResult query={events} rows={6}>
      {(answer) => (
        <Stack gap="md" className="stats" aria-busy={events.isPlaceholderData}>
          <KeyMetrics
            answers={[answer, sessions.data]}
            selected={metric}
            onSelect={(other) => view.update({ metric: other === "visitors" ? undefined : other })}
          />
          {failed?.error && <ErrorAlert error={failed.error} onRetry={() => void failed.refetch()} />}
          {isEmptyAnswer(answer) ? (
            <EmptyState title="No data for this period">
              {filters.length > 0
                ? "No events match these filters."
                : "New events appear here within seconds. Bots are not counted."}
            </EmptyState>
          ) : (
            <>
              <QueryResult query={series}>{(points) => <TimeChart answer={points} />}</QueryResult>
              {isChartLoaded && (
                <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
                  {PANELS.map((panel) => (
                    <BreakdownPanel key={panel.id} panel={panel} view={view} />
                  ))}
                </SimpleGrid>
              )}
            </>
          )}
        </Stack>
      )}
    </QueryResult>
  );
}
