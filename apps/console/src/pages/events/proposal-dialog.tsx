/** A dialog with the plan that the service proposes from the event catalogue. */
import type { PlanVersion, Source } from "@headwater/contract";
import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { pluralize } from "../../ui/format-count.ts";
import { ErrorAlert, QueryResult } from "../../ui/page-states.tsx";
import { JsonChange } from "./json-change.tsx";
import { differencesOf } from "./plan-events.ts";
import { useSavePlan } from "./plan-queries.ts";

interface PlanDialogProps {
  readonly source: Source;
  readonly saved: PlanVersion;
  readonly onClose: () => void;
}

export function ProposalDialog({ source, saved, onClose }: PlanDialogProps) {
  const { sourceId } = source;
  const proposal = useQuery({
    queryKey: ["plan", sourceId, "proposal", saved.version],
    queryFn: ({ signal }) => api.proposePlan({ params: { sourceId }, signal }),
    staleTime: 0,
  });
  const save = useSavePlan(source, saved.version);
  return (
    <Dialog opened onClose={onClose} title="Draft plan from events" isWide>
      <QueryResult query={proposal}>
        {({ plan, addedEvents, leftOut }) => (
          <Stack>
            <Text>
              {addedEvents.length === 0
                ? "The plan already has every event of the catalogue."
                : `${pluralize(addedEvents.length, "event")} would be added. Types are those that were seen. A property is required if all of at least 20 events had it.`}
              {leftOut > 0 && ` The plan has no room for ${pluralize(leftOut, "further event")}.`}
            </Text>
            {differencesOf(saved.plan, plan).map((difference) => (
              <JsonChange key={difference.name} {...difference} />
            ))}
            {save.error && <ErrorAlert error={save.error} withIssues />}
            <Group justify="flex-end">
              <AsyncButton
                isPending={save.isPending}
                disabled={addedEvents.length === 0}
                onPress={() => save.mutateAsync(plan).then(onClose, () => undefined)}
              >
                Save plan
              </AsyncButton>
            </Group>
          </Stack>
        )}
      </QueryResult>
    </Dialog>
  );
}
