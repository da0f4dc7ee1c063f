/** The headline numbers, one of them over time, and the lists of who came from where and did what. */
import { SimpleGrid, Stack } from "@mantine/core";
import { EmptyState, ErrorAlert, QueryResult } from "../../ui/page-states.tsx";
import { BreakdownPanel, PANELS } from "./breakdown-panel.tsx";
import { KEY_METRICS, KeyMetrics, metricsOf } from "./key-metrics.tsx";
import { TimeChart } from "./time-chart.tsx";
import { isEmptyAnswer, type StatsView, useStats } from "./use-stats-view.ts";

const OF_EVENTS = metricsOf("events");
const OF_SESSIONS = metricsOf("sessions");

export function OverviewView({ view }: { readonly view: StatsView }) {
  const { asked, range, isCompared, chosen, search } = view;
  const include = { comparison: isCompared };
  const { metric } = KEY_METRICS.find((one) => one.metric === search.metric) ?? KEY_METRICS[0];
  const events = useStats(asked, { metrics: OF_EVENTS, include }, true);
  const series = useStats(asked, { metrics: [metric], dimensions: [`time:${range.grain}`], include }, true);
  // what takes the warehouse longest does not keep the chart waiting
  const isDrawn = !series.isPending;
  const sessions = useStats(asked, { metrics: OF_SESSIONS, include }, true, isDrawn);
  // figures that were there before stay, and it is said that they are of before
  const failed = [events, sessions].find(({ error }) => error);
  return (
    <QueryResult query={events} rows={6}>
      {(answer) => (
        <Stack gap="md" className="stats" aria-busy={events.isPlaceholderData}>
          <KeyMetrics
            answers={[answer, sessions.data]}
            shown={metric}
            onShow={(other) => view.change({ metric: other === "visitors" ? undefined : other })}
          />
          {failed?.error && <ErrorAlert error={failed.error} onRetry={() => void failed.refetch()} />}
          {isEmptyAnswer(answer) ? (
            <EmptyState title="Nothing was counted in this range">
              {chosen.length > 0
                ? "No event of these days fits the filters."
                : "What comes within it shows here within seconds. Bots are not counted."}
            </EmptyState>
          ) : (
            <>
              <QueryResult query={series}>{(points) => <TimeChart answer={points} />}</QueryResult>
              {isDrawn && (
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
