/** The setup checklist of a workspace. It follows the workspace's data and disappears when it is done or dismissed. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { type ApiAnswer, api } from "../../api.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { EmptyState, ErrorAlert } from "../../ui/page-states.tsx";
import { Group, Paper, Text, Title } from "../../ui/primitives/elements.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

type SetupSteps = ApiAnswer<"getOnboarding">["steps"];
const STEPS = [
  { name: "sourceCreated", text: "Create a source", to: null },
  { name: "firstBootstrap", text: "Open a page with the snippet", to: "/analytics/setup/install" },
  { name: "firstAcceptedEvent", text: "Receive the first event", to: "/analytics/setup/debug" },
] as const satisfies readonly { name: keyof SetupSteps; text: string; to: string | null }[];

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

/** The page of sources before the first one, for users who can create it. */
export const FirstSteps = () => (
  <EmptyState
    title="See who visits your site"
    action={
      <ol className="first-steps">
        <li>
          <ButtonLink to="/sources/new">Create source</ButtonLink>
        </li>
        <li>Add its snippet to your site</li>
        <li>Open your site and watch the first visit arrive</li>
      </ol>
    }
  >
    It takes three steps and about five minutes.
  </EmptyState>
);

interface SetupChecklistProps {
  readonly steps: SetupSteps;
  /** The source to which the open steps lead. */
  readonly sourceId: string;
}

/** Shown to users who can create sources, until each step is done or somebody dismisses it. */
export function SetupChecklist({ steps, sourceId }: SetupChecklistProps) {
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
        {STEPS.map(({ name, text, to }) => {
          const { done, at } = steps[name];
          return (
            <li key={name} data-done={done ? "yes" : undefined}>
              {to && !done ? (
                <TextLink to={to} search={{ sourceId }}>
                  {text}
                </TextLink>
              ) : (
                text
              )}{" "}
              {done && (
                <Text component="span" size="sm" c="dimmed">
                  <RelativeTime at={at} />
                </Text>
              )}
            </li>
          );
        })}
      </ol>
      {completed.error && <ErrorAlert error={completed.error} />}
    </Paper>
  );
}

const countDone = (steps: SetupSteps) => STEPS.filter(({ name }) => steps[name].done).length;
/** Whether each step is done. */
export const isSetUp = (steps: SetupSteps) => countDone(steps) === STEPS.length;
