/** The headline numbers, one of them over time, and the lists of who came from where and did what. */
import { SimpleGrid, Stack } from "@mantine/core";
import { Answered, Empty } from "../../ui/states.tsx";
import { HEADLINES, Headlines } from "./headlines.tsx";
import { OverTime } from "./over-time.tsx";
import { PANELS, Panel } from "./panel.tsx";
import { isNothing, useStats, type View } from "./view.ts";

const METRICS = HEADLINES.map(({ metric }) => metric);

export function Overview({ view }: { readonly view: View }) {
  const { asked, range, isCompared, chosen, search } = view;
  const include = { comparison: isCompared };
  const totals = useStats(asked, { metrics: METRICS, include }, true);
  const series = useStats(asked, { metrics: METRICS, dimensions: [`time:${range.grain}`], include }, true);
  const headline = HEADLINES.find(({ metric }) => metric === search.metric) ?? HEADLINES[0];
  return (
    <Answered query={totals} rows={6}>
      {(answer) => (
        <Stack gap="md" className="stats" aria-busy={totals.isPlaceholderData}>
          <Headlines
            answer={answer}
            shown={headline.metric}
            onShow={(metric) => view.change({ metric: metric === "visitors" ? undefined : metric })}
          />
          {isNothing(answer) ? (
            <Empty title="Nothing was counted in this range">
              {chosen.length > 0
                ? "No event of these days fits the filters."
                : "What comes within it shows here within seconds. Bots are not counted."}
            </Empty>
          ) : (
            <>
              <Answered query={series}>
                {(points) => <OverTime answer={points} headline={headline} />}
              </Answered>
              <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
                {PANELS.map((panel) => (
                  <Panel key={panel.id} panel={panel} view={view} />
                ))}
              </SimpleGrid>
            </>
          )}
        </Stack>
      )}
    </Answered>
  );
}
