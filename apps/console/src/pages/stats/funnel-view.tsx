/** The funnel view: how many visitors completed each step, in order. */
import { Paper, Stack, Text, Title } from "@mantine/core";
import { type ApiAnswer, api } from "../../api.ts";
import { pluralize } from "../../ui/format-count.ts";
import { QueryResult } from "../../ui/page-states.tsx";
import { EstimateMark } from "./estimate-mark.tsx";
import { formatShare } from "./format.ts";
import { FunnelBreakdown } from "./funnel-breakdown.tsx";
import { FunnelForm } from "./funnel-form.tsx";
import {
  type FunnelStep,
  MIN_STEPS,
  readSteps,
  readWindow,
  stepParams,
  toStatsGoals,
  windowSecondsOf,
} from "./funnel-steps.ts";
import { SavedFunnels } from "./saved/saved-funnels.tsx";
import { useFastThenExact } from "./use-fast-then-exact.ts";
import type { StatsView } from "./use-stats-view.ts";

export function FunnelView({ view }: { readonly view: StatsView }) {
  const steps = readSteps(view.params);
  const within = readWindow(view.params);
  const body = { ...view.scope, steps: toStatsGoals(steps), windowSeconds: windowSecondsOf(within) };
  const isComplete = steps.length >= MIN_STEPS;
  const query = useFastThenExact({
    queryKey: ["stats", "funnel", body],
    ask: (accuracy, signal) => api.queryFunnel({ body: { ...body, accuracy }, signal }),
    enabled: isComplete,
    keepsPrevious: false,
  });
  return (
    <Stack gap="md" className="stats">
      <SavedFunnels view={view} steps={steps} within={within} />
      <FunnelForm
        key={JSON.stringify([steps, within])}
        steps={steps}
        within={within}
        view={view}
        onSubmit={(chosenSteps, chosenWindow) =>
          view.update({ ...stepParams(chosenSteps), within: chosenWindow })
        }
      />
      {isComplete && (
        <QueryResult query={query}>{(answer) => <FunnelResult answer={answer} steps={steps} />}</QueryResult>
      )}
      {isComplete && <FunnelBreakdown view={view} steps={steps} body={body} />}
    </Stack>
  );
}

interface FunnelResultProps {
  readonly answer: ApiAnswer<"queryFunnel">;
  readonly steps: readonly FunnelStep[];
}

function FunnelResult({ answer, steps }: FunnelResultProps) {
  const lastShare = answer.steps.at(-1)?.shareOfFirst ?? null;
  return (
    <Paper withBorder p="md" radius="lg" component="section" aria-label="Funnel">
      <Title order={2} size="h5" mb="sm">
        {lastShare === null
          ? "No visitor completed the first step"
          : `${formatShare(lastShare)} of visitors who started completed all steps`}
        <EstimateMark accuracy={answer.accuracy} />
      </Title>
      <ol className="funnel">
        {answer.steps.map(({ visitors, shareOfFirst, shareOfPrevious }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other identity than their position
          <li key={at}>
            <div className="funnel-name">
              <strong className="wrap">{steps[at]?.text}</strong>
              <span>
                {pluralize(visitors, "visitor")}
                {at > 0 &&
                  ` · ${formatShare(shareOfFirst)} of the first step, ${formatShare(shareOfPrevious)} of the previous step`}
              </span>
            </div>
            <div className="funnel-track" aria-hidden>
              <span style={{ width: `${(shareOfFirst ?? 0) * 100}%` }} />
            </div>
          </li>
        ))}
      </ol>
      <Text size="sm" c="dimmed">
        Counts visitors who completed the steps in this order, all within the selected time. They may do other
        things between the steps.
      </Text>
    </Paper>
  );
}
