/** The setup checklist of a workspace. It follows the workspace's data and disappears when it is done or dismissed. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { type ApiAnswer, api } from "../../api.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { Group, Paper, Text, Title } from "../../ui/primitives/elements.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

type SetupSteps = ApiAnswer<"getOnboarding">["steps"];
const STEPS = [
  { name: "sourceCreated", text: "Create a source" },
  { name: "firstBootstrap", text: "Open a page with the snippet" },
  { name: "firstAcceptedEvent", text: "Receive the first event" },
] as const satisfies readonly { name: keyof SetupSteps; text: string }[];

const POLL_MS = 5_000;

const keyOf = (organizationId: string) => ["onboarding", organizationId];

/** The setup steps of the workspace, for users who can create sources. */
export function useOnboarding() {
  const { organizationId, can } = useWorkspace();
  const client = useQueryClient();
  const query = useQuery({
    queryKey: keyOf(organizationId),
    queryFn: ({ signal }) => api.getOnboarding({ query: { organizationId }, signal }),
    enabled: can("sources:write"),
    refetchInterval: ({ state }) =>
      state.data && !state.data.completed && !isSetUp(state.data.steps) ? POLL_MS : false,
  });
  const done = query.data && countDone(query.data.steps);
  const doneBefore = useRef(done);
  useEffect(() => {
    const isNews = done !== doneBefore.current && doneBefore.current !== undefined;
    doneBefore.current = done;
    if (isNews) void client.invalidateQueries({ queryKey: ["sources"] });
  }, [client, done]);
  return query;
}

/** Shown to users who can create sources, until each step is done or somebody dismisses it. */
export function SetupChecklist({ steps }: { readonly steps: SetupSteps }) {
  const { organizationId } = useWorkspace();
  const client = useQueryClient();
  const completed = useMutation({
    mutationFn: () => api.completeOnboarding({ body: { organizationId } }),
    onSuccess: (answer) => client.setQueryData(keyOf(organizationId), answer),
  });
  return (
    <Paper p="lg" component="section" aria-label="Setup">
      <Group justify="space-between" gap="sm" mb="xs">
        <Title order={2} size="h5">
          Setup
        </Title>
        <AsyncButton
          size="xs"
          variant="default"
          isPending={completed.isPending}
          onPress={() => completed.mutateAsync()}
        >
          Dismiss
        </AsyncButton>
      </Group>
      <ol className="steps">
        {STEPS.map(({ name, text }) => (
          <li key={name} data-done={steps[name].done ? "yes" : undefined}>
            {text}
            <Text component="span" size="sm" c="dimmed">
              {" "}
              {steps[name].done && <RelativeTime at={steps[name].at} />}
            </Text>
          </li>
        ))}
      </ol>
      {completed.error && <ErrorAlert error={completed.error} />}
    </Paper>
  );
}

const countDone = (steps: SetupSteps) => STEPS.filter(({ name }) => steps[name].done).length;
/** Whether each step is done. */
export const isSetUp = (steps: SetupSteps) => countDone(steps) === STEPS.length;
