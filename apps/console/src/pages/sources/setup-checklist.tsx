/** How far the workspace has come with its first source, from the data; until somebody says that it is done. */
import { Group, Paper, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Answer, callApi } from "../../api.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

type Steps = Answer<"getOnboarding">["steps"];
const STEPS = [
  { name: "sourceCreated", text: "A source is created" },
  { name: "firstBootstrap", text: "A page with its snippet was opened" },
  { name: "firstAcceptedEvent", text: "A first event was accepted" },
] as const satisfies readonly { name: keyof Steps; text: string }[];

/** What is under way shows soon. */
const POLL_MS = 5_000;

/** For those who can do it; nothing once it is completed. */
export function SetupChecklist() {
  const { organizationId, can } = useWorkspace();
  const client = useQueryClient();
  const queryKey = ["onboarding", organizationId];
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => callApi("getOnboarding", { query: { organizationId }, signal }),
    enabled: can("sources:write"),
    refetchInterval: ({ state }) =>
      state.data && !state.data.completed && !isDone(state.data.steps) ? POLL_MS : false,
  });
  const steps = data && !data.completed ? data.steps : null;
  const done = STEPS.filter(({ name }) => steps?.[name].done).length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what a step has changed is read again
  useEffect(() => {
    if (done === 0) return;
    for (const key of ["sources", "health"]) void client.invalidateQueries({ queryKey: [key] });
  }, [done]);
  const completed = useMutation({
    mutationFn: () => callApi("completeOnboarding", { body: { organizationId } }),
    onSuccess: (answer) => client.setQueryData(queryKey, answer),
  });
  if (steps === null) return null;
  return (
    <Paper withBorder p="md" component="section" aria-label="Set-up">
      <Group justify="space-between" gap="sm" mb="xs">
        <Title order={2} size="h5">
          {isDone(steps) ? "The set-up is done" : "Set-up"}
        </Title>
        <AsyncButton
          size="xs"
          variant="default"
          isPending={completed.isPending}
          onPress={() => completed.mutateAsync()}
        >
          Show this no more
        </AsyncButton>
      </Group>
      <ol className="steps">
        {STEPS.map(({ name, text }) => (
          <li key={name} data-done={steps[name].done ? "yes" : undefined}>
            {text}
            <Text span size="sm" c="dimmed">
              {steps[name].done ? " " : " – not yet"}
              {steps[name].done && <RelativeTime at={steps[name].at} />}
            </Text>
          </li>
        ))}
      </ol>
      {completed.error && <ErrorAlert error={completed.error} />}
    </Paper>
  );
}

const isDone = (steps: Steps) => STEPS.every(({ name }) => steps[name].done);
