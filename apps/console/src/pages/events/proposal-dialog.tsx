/** A dialog with the events that the service proposes for the plan, from the event catalogue. Each is accepted by itself. */
import type { PlanProposal, PlanVersion, Source } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { pluralize } from "../../ui/format-count.ts";
import { ErrorAlert, QueryResult } from "../../ui/page-states.tsx";
import { Button, Group, Stack, Text } from "../../ui/primitives/elements.tsx";
import { JsonChange } from "./json-change.tsx";
import { CLIENT_EVENTS, differencesOf, type PlanDifference } from "./plan-events.ts";
import { useSavePlan } from "./plan-queries.ts";
import { readRows } from "./plan-table.ts";

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
  return (
    <Dialog opened onClose={onClose} title="Draft plan from events" isWide>
      <QueryResult query={proposal}>
        {(proposed) => <Proposal source={source} saved={saved} proposed={proposed} onClose={onClose} />}
      </QueryResult>
    </Dialog>
  );
}

const LIMIT = `A plan is limited to ${LIMITS.maxPlannedEvents} events and ${LIMITS.maxPlanBytes / 1024} KiB.`;

interface ProposalProps extends PlanDialogProps {
  readonly proposed: PlanProposal;
}

function Proposal({ source, saved, proposed: { plan, addedEvents, leftOut }, onClose }: ProposalProps) {
  const [refused, setRefused] = useState(() => addedEvents.filter((name) => CLIENT_EVENTS.includes(name)));
  const save = useSavePlan(source, saved.version);
  const isRefused = (name: string) => refused.includes(name);
  const count = addedEvents.filter((name) => !isRefused(name)).length;
  const events = Object.fromEntries(Object.entries(plan.events).filter(([name]) => !isRefused(name)));
  const chosen = { ...plan, events };
  const choose = (name: string, isChosen: boolean) =>
    setRefused(isChosen ? refused.filter((other) => other !== name) : [...refused, name]);
  return (
    <Stack>
      <Text>
        {addedEvents.length === 0
          ? leftOut === 0 && "The plan already has every event that this source has sent."
          : "Types come from the accepted events. A property is required if there were at least 20 events and all had it."}
        {leftOut > 0 &&
          ` ${pluralize(leftOut, "more event")} cannot be added. ${LIMIT} Remove events from the plan to make room.`}
      </Text>
      {addedEvents.length > 1 && (
        <Group>
          <Button size="xs" variant="default" onClick={() => setRefused(count === 0 ? [] : addedEvents)}>
            {count === 0 ? "Select all" : "Select none"}
          </Button>
        </Group>
      )}
      <ul className="plain-list proposed-events" aria-label="Proposed events">
        {differencesOf(saved.plan, plan).map((difference) => (
          <ProposedEvent
            key={difference.name}
            difference={difference}
            description={`${CLIENT_EVENTS.includes(difference.name) ? "Sent by the client itself. " : ""}${describe(plan, difference.name)}`}
            isChosen={!isRefused(difference.name)}
            onChange={(isChosen) => choose(difference.name, isChosen)}
          />
        ))}
      </ul>
      {save.error && <ErrorAlert error={save.error} withIssues />}
      {addedEvents.length > 0 && (
        <Group justify="flex-end">
          <AsyncButton
            isPending={save.isPending}
            onPress={() =>
              count === 0 ? onClose() : save.mutateAsync(chosen).then(onClose, () => undefined)
            }
          >
            {count === 0 ? "Close" : `Add ${pluralize(count, "event")}`}
          </AsyncButton>
        </Group>
      )}
    </Stack>
  );
}

interface ProposedEventProps {
  readonly difference: PlanDifference;
  readonly description: string;
  readonly isChosen: boolean;
  readonly onChange: (isChosen: boolean) => void;
}

const ProposedEvent = ({ difference, description, isChosen, onChange }: ProposedEventProps) => (
  <li>
    <label className="check">
      <input type="checkbox" checked={isChosen} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span className="wrap">
        <bdi>{difference.name}</bdi>
        <Text component="span" size="sm" c="dimmed" className="check-note">
          {description}
        </Text>
      </span>
    </label>
    <details>
      <summary>JSON Schema</summary>
      <JsonChange {...difference} />
    </details>
  </li>
);

/** @returns for example `currency (string, required), price (number)` */
function describe({ events }: PlanProposal["plan"], name: string): string {
  const rows = readRows(Object.hasOwn(events, name) ? (events[name]?.schema ?? {}) : {}, null);
  const texts = rows.map(
    ({ name: property, type, isRequired }) =>
      `${property} (${type || "any"}${isRequired ? ", required" : ""})`,
  );
  return texts.join(", ") || "No properties";
}
