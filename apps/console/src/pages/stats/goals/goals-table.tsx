/** The goals of a source with their visitors and conversions, or one of them by where its visitors came from. */
import { STATS_GOAL_DIMENSION } from "@headwater/contract/stats-words";
import { Suspense } from "react";
import { TextLink } from "../../../ui/links.tsx";
import { lazily, loadLater } from "../../../ui/load-later.tsx";
import { Text } from "../../../ui/primitives/elements.tsx";
import { useWorkspace } from "../../../workspace-context.tsx";
import { ROWS } from "../lists/breakdown-table.tsx";
import { StatsResult } from "../stats-result.tsx";
import { type StatsView, useStats } from "../use-stats-view.ts";
import { ConversionsTable, revenueTexts } from "./conversions-table.tsx";

const GoalsFilterNote = lazily(async () => (await import("./goals-filter-note.tsx")).GoalsFilterNote);
const OneGoal = loadLater(async () => (await import("./one-goal.tsx")).OneGoal);

/** All goals, or the goal that the URL names by source, channel or campaign. */
export function GoalsTable({ view }: { readonly view: StatsView }) {
  const { goal } = view.params;
  return (
    <>
      {view.filters.length > 0 && (
        <Suspense fallback={null}>
          <GoalsFilterNote view={view} />
        </Suspense>
      )}
      {goal === undefined ? <AllGoals view={view} /> : <OneGoal name={goal} view={view} />}
    </>
  );
}

export function NoGoals({ sourceId }: { readonly sourceId: string }) {
  const { can } = useWorkspace();
  return (
    <Text size="sm" c="dimmed" py="md">
      This source has no goals.
      {can("sources:write") && (
        <>
          {" "}
          Add them in the{" "}
          <TextLink to="/sources/settings" search={{ sourceId }} hash="goals" size="sm" underline="always">
            settings
          </TextLink>
          .
        </>
      )}
    </Text>
  );
}

function AllGoals({ view }: { readonly view: StatsView }) {
  const query = useStats(view.scope, {
    metrics: ["visitors", "conversions", "conversionRate"],
    dimensions: [STATS_GOAL_DIMENSION],
    comparison: view.comparison.request,
  });
  const revenue = useStats(
    view.scope,
    { metrics: ["revenue"], dimensions: [STATS_GOAL_DIMENSION, "currency"] },
    { isExact: true },
  );
  const amounts = revenueTexts(revenue);
  return (
    <StatsResult query={query}>
      {({ results, comparison }) =>
        results.length === 0 ? (
          <NoGoals sourceId={view.scope.sourceId} />
        ) : (
          <>
            <ConversionsTable
              label="Goal"
              isCompared={comparison !== null}
              rows={results
                .slice(0, ROWS)
                .map(
                  ({
                    dimensions: [goal = null],
                    metrics: [visitors = null, conversions = null, rate = null],
                    comparison: before,
                  }) => ({
                    name: String(goal),
                    visitors,
                    conversions,
                    conversionsBefore: before?.[1] ?? null,
                    rate,
                    revenue: amounts && (amounts.get(goal) ?? []),
                  }),
                )}
              onSelect={(goal) => view.update({ goal })}
            />
            <button
              type="button"
              className="details-button"
              onClick={() =>
                view.update({
                  view: "explore",
                  rows: "goal,channel",
                  columns: "conversions,conversionRate,visitors",
                })
              }
            >
              All goals by channel
            </button>
          </>
        )
      }
    </StatsResult>
  );
}
