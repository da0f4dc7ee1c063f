/** How many visitors took one step after the other. */
import { Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type Answer, callApi } from "../../api.ts";
import { pluralize } from "../../ui/format-count.ts";
import { QueryResult } from "../../ui/page-states.tsx";
import { formatShare } from "./format.ts";
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
import type { StatsView } from "./use-stats-view.ts";

export function FunnelView({ view }: { readonly view: StatsView }) {
  const steps = readSteps(view.search);
  const within = readWindow(view.search);
  const body = { ...view.asked, steps: toStatsGoals(steps), windowSeconds: windowSecondsOf(within) };
  const isWhole = steps.length >= MIN_STEPS;
  const query = useQuery({
    queryKey: ["stats", "funnel", body],
    queryFn: ({ signal }) => callApi("queryFunnel", { body, signal }),
    enabled: isWhole,
  });
  return (
    <Stack gap="md" className="stats">
      <FunnelForm
        key={JSON.stringify([steps, within])}
        steps={steps}
        within={within}
        view={view}
        onAsk={(asked, time) => view.change({ ...stepParams(asked), within: time })}
      />
      {isWhole && (
        <QueryResult query={query}>{(answer) => <FunnelResult answer={answer} steps={steps} />}</QueryResult>
      )}
    </Stack>
  );
}

interface FunnelResultProps {
  readonly answer: Answer<"queryFunnel">;
  readonly steps: readonly FunnelStep[];
}

function FunnelResult({ answer, steps }: FunnelResultProps) {
  const lastShare = answer.steps.at(-1)?.shareOfFirst ?? null;
  return (
    <Paper withBorder p="md" component="section" aria-label="Steps reached">
      <Title order={2} size="h5" mb="sm">
        {lastShare === null ? "Nobody took the first step" : `${formatShare(lastShare)} took every step`}
      </Title>
      <ol className="funnel">
        {answer.steps.map(({ visitors, shareOfFirst, shareOfPrevious }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is known by its place
          <li key={at}>
            <div className="funnel-name">
              <strong className="wrap">{steps[at]?.text}</strong>
              <span>
                {pluralize(visitors, "visitor")}
                {at > 0 &&
                  ` · ${formatShare(shareOfFirst)} of the first, ${formatShare(shareOfPrevious)} of those before`}
              </span>
            </div>
            <div className="funnel-track" aria-hidden>
              <span style={{ width: `${(shareOfFirst ?? 0) * 100}%` }} />
            </div>
          </li>
        ))}
      </ol>
      <Text size="sm" c="dimmed">
        In this order, the last within the chosen time from the first; whatever else they did in between.
      </Text>
    </Paper>
  );
}
