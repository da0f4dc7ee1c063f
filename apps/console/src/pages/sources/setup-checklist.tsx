/** The setup checklist of a workspace. It follows the workspace's data and disappears when it is dismissed. */
import { Group, Paper, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { type ApiAnswer, api } from "../../api.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
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
  return useQuery({
    queryKey: keyOf(organizationId),
    queryFn: ({ signal }) => api.getOnboarding({ query: { organizationId }, signal }),
    enabled: can("sources:write"),
    refetchInterval: ({ state }) =>
      state.data && !state.data.completed && !isDone(state.data.steps) ? POLL_MS : false,
  });
}

/** Shown to users who can create sources, until somebody dismisses it. */
export function SetupChecklist({ steps }: { readonly steps: SetupSteps }) {
  const { organizationId } = useWorkspace();
  const client = useQueryClient();
  const done = STEPS.filter(({ name }) => steps[name].done).length;
  const doneBefore = useRef(done);
  useEffect(() => {
    if (done === doneBefore.current) return;
    doneBefore.current = done;
    for (const key of ["sources", "health"]) void client.invalidateQueries({ queryKey: [key] });
  }, [client, done]);
  const completed = useMutation({
    mutationFn: () => api.completeOnboarding({ body: { organizationId } }),
    onSuccess: (answer) => client.setQueryData(keyOf(organizationId), answer),
  });
  return (
    <Paper withBorder p="lg" component="section" aria-label="Setup">
      <Group justify="space-between" gap="sm" mb="xs">
        <Title order={2} size="h5">
          {isDone(steps) ? "Setup complete" : "Setup"}
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
            <Text span size="sm" c="dimmed">
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

const isDone = (steps: SetupSteps) => STEPS.every(({ name }) => steps[name].done);
