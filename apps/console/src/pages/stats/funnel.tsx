/** How many visitors took one step after the other. */
import { Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type Answer, call } from "../../api.ts";
import { plural } from "../../ui/count.ts";
import { Answered } from "../../ui/states.tsx";
import { sayShare } from "./say.ts";
import { goalsOf, MIN_STEPS, type Step, stepsAs, stepsIn, windowSecondsOf, withinIn } from "./steps.ts";
import { StepsForm } from "./steps-form.tsx";
import type { View } from "./view.ts";

export function Funnel({ view }: { readonly view: View }) {
  const steps = stepsIn(view.search);
  const within = withinIn(view.search);
  const body = { ...view.asked, steps: goalsOf(steps), windowSeconds: windowSecondsOf(within) };
  const isWhole = steps.length >= MIN_STEPS;
  const query = useQuery({
    queryKey: ["stats", "funnel", body],
    queryFn: ({ signal }) => call("queryFunnel", { body, signal }),
    enabled: isWhole,
  });
  return (
    <Stack gap="md" className="stats">
      <StepsForm
        key={JSON.stringify([steps, within])}
        steps={steps}
        within={within}
        view={view}
        onAsk={(asked, time) => view.change({ ...stepsAs(asked), within: time })}
      />
      {isWhole && <Answered query={query}>{(answer) => <Reached answer={answer} steps={steps} />}</Answered>}
    </Stack>
  );
}

interface ReachedProps {
  readonly answer: Answer<"queryFunnel">;
  readonly steps: readonly Step[];
}

function Reached({ answer, steps }: ReachedProps) {
  const lastShare = answer.steps.at(-1)?.shareOfFirst ?? null;
  return (
    <Paper withBorder p="md" component="section" aria-label="Steps reached">
      <Title order={2} size="h5" mb="sm">
        {lastShare === null ? "Nobody took the first step" : `${sayShare(lastShare)} took every step`}
      </Title>
      <ol className="funnel">
        {answer.steps.map(({ visitors, shareOfFirst, shareOfPrevious }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is known by its place
          <li key={at}>
            <div className="funnel-name">
              <strong className="wrap">{steps[at]?.text}</strong>
              <span>
                {plural(visitors, "visitor")}
                {at > 0 &&
                  ` · ${sayShare(shareOfFirst)} of the first, ${sayShare(shareOfPrevious)} of those before`}
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
