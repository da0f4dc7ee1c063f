/** The headline numbers, one of them over time, and the lists of who came from where and did what. */
import { SimpleGrid, Stack } from "@mantine/core";
import { Answered, Empty, Failure } from "../../ui/states.tsx";
import { HEADLINES, Headlines, metricsOf } from "./headlines.tsx";
import { OverTime } from "./over-time.tsx";
import { PANELS, Panel } from "./panel.tsx";
import { isNothing, useStats, type View } from "./view.ts";

const OF_EVENTS = metricsOf("events");
const OF_SESSIONS = metricsOf("sessions");

export function Overview({ view }: { readonly view: View }) {
  const { asked, range, isCompared, chosen, search } = view;
  const include = { comparison: isCompared };
  const { metric } = HEADLINES.find((one) => one.metric === search.metric) ?? HEADLINES[0];
  const events = useStats(asked, { metrics: OF_EVENTS, include }, true);
  const series = useStats(asked, { metrics: [metric], dimensions: [`time:${range.grain}`], include }, true);
  // what takes the warehouse longest does not keep the chart waiting
  const isDrawn = !series.isPending;
  const sessions = useStats(asked, { metrics: OF_SESSIONS, include }, true, isDrawn);
  // figures that were there before stay, and it is said that they are of before
  const failed = [events, sessions].find(({ error }) => error);
  return (
    <Answered query={events} rows={6}>
      {(answer) => (
        <Stack gap="md" className="stats" aria-busy={events.isPlaceholderData}>
          <Headlines
            answers={[answer, sessions.data]}
            shown={metric}
            onShow={(other) => view.change({ metric: other === "visitors" ? undefined : other })}
          />
          {failed?.error && <Failure error={failed.error} onRetry={() => void failed.refetch()} />}
          {isNothing(answer) ? (
            <Empty title="Nothing was counted in this range">
              {chosen.length > 0
                ? "No event of these days fits the filters."
                : "What comes within it shows here within seconds. Bots are not counted."}
            </Empty>
          ) : (
            <>
              <Answered query={series}>{(points) => <OverTime answer={points} />}</Answered>
              {isDrawn && (
                <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
                  {PANELS.map((panel) => (
                    <Panel key={panel.id} panel={panel} view={view} />
                  ))}
                </SimpleGrid>
              )}
            </>
          )}
        </Stack>
      )}
    </Answered>
  );
}
