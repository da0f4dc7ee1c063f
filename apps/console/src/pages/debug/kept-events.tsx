/** The events that the source keeps although it did not store them, and their replay. */
import type { Quarantine, Replay, ReplayBody, ReplayTest, Source } from "@headwater/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api.ts";
import { keptQuery, replayQuery, useInvalidateSource } from "../../queries.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatCount, pluralize } from "../../ui/format-count.ts";
import { ErrorAlert, QueryResult } from "../../ui/page-states.tsx";
import { Button, Group, Stack, Text } from "../../ui/primitives/elements.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { meaningOf } from "./attempt-summary.ts";
import { ProblemLine } from "./problem-line.tsx";

/** How many groups the list shows before the reader asks for all. */
const FIRST_GROUPS = 5;

type KeptGroup = Quarantine["groups"][number];
/** A replay takes the selected events. An empty selection is every kept event. */
type Selection = Pick<ReplayBody, "code" | "name" | "origin">;

const selectionOf = ({ code, name, origin }: KeptGroup): Selection => ({ code, name, origin: origin ?? "" });

/** A line of the list of problems; nothing while nothing is kept. */
export function KeptEvents({ source }: { readonly source: Source }) {
  const { can } = useWorkspace();
  const [opened, setOpened] = useState<Selection | null>(null);
  const invalidate = useInvalidateSource();
  const { data } = useQuery(keptQuery(source.sourceId));
  // not earlier: the line of the list, which has the dialog, is gone when nothing is kept
  const close = () => {
    setOpened(null);
    void invalidate(source.sourceId);
  };
  if (!data || data.events === 0) return null;
  return (
    <ProblemLine
      id="kept-events"
      name="Kept events"
      tone="offer"
      text={
        <>
          <strong>{pluralize(data.events, "kept event")}</strong> can be replayed after you fix the cause
        </>
      }
    >
      {data.evictedEvents > 0 && (
        <p>{pluralize(data.evictedEvents, "older event")} had to be deleted to make room.</p>
      )}
      <KeptGroups groups={data.groups} onReplay={can("sources:write") ? setOpened : null} />
      <Dialog title="Replay kept events" opened={opened !== null} onClose={close}>
        {opened && <ReplayDialog source={source} selection={opened} onClose={close} />}
      </Dialog>
    </ProblemLine>
  );
}

interface KeptGroupsProps {
  readonly groups: readonly KeptGroup[];
  /** Null: the reader may not replay. */
  readonly onReplay: ((selection: Selection) => void) | null;
}

function KeptGroups({ groups, onReplay }: KeptGroupsProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? groups : groups.slice(0, FIRST_GROUPS);
  return (
    <>
      <ul className="problem-origins" aria-label="Kept events by cause">
        {shown.map((group) => (
          <li key={JSON.stringify(selectionOf(group))}>
            <span>
              <strong>{meaningOf(group.code)}</strong>: {formatCount(group.events)} {group.name}{" "}
              {group.events === 1 ? "event" : "events"}
              {group.origin !== null && ` from ${group.origin}`}, first received{" "}
              <RelativeTime at={group.firstReceivedAt} />
            </span>
            {onReplay && (
              <Button
                size="xs"
                variant="default"
                aria-label={`Replay ${group.name}, ${meaningOf(group.code)}`}
                onClick={() => onReplay(selectionOf(group))}
              >
                Replay…
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Group>
        {shown.length < groups.length && (
          <Button size="xs" variant="default" onClick={() => setWhole(true)}>
            Show all {formatCount(groups.length)} groups
          </Button>
        )}
        {onReplay && groups.length > 1 && (
          <Button size="xs" variant="default" onClick={() => onReplay({})}>
            Replay all…
          </Button>
        )}
      </Group>
    </>
  );
}

interface ReplayDialogProps {
  readonly source: Source;
  readonly selection: Selection;
  readonly onClose: () => void;
}

/** Shows what a replay would do and starts it, then shows its progress. */
function ReplayDialog({ source: { sourceId }, selection: body, onClose }: ReplayDialogProps) {
  const params = { sourceId };
  const test = useQuery({
    queryKey: ["replay-test", sourceId, body],
    queryFn: ({ signal }) => api.testReplay({ params, body, signal }),
    gcTime: 0,
  });
  const start = useMutation({ mutationFn: async () => api.startReplay({ params, body }) });
  if (start.data) return <ReplayProgress started={start.data} onClose={onClose} />;
  return (
    <Stack>
      <QueryResult query={test} rows={2}>
        {({ evaluated, selected, accepted, rejected }) => (
          <>
            <Text>
              {evaluated < selected &&
                `Headwater tested the oldest ${formatCount(evaluated)} of these ${formatCount(selected)} events. `}
              With the current settings, {formatCount(accepted)}
              {evaluated === selected && ` of ${pluralize(selected, "event")}`} would be accepted.
            </Text>
            {rejected.map(({ code, events, message }) => (
              <Text key={code} size="sm">
                {pluralize(events, "event")} would be rejected again:{" "}
                {body.code === undefined ? meaningOf(code) : message}
              </Text>
            ))}
          </>
        )}
      </QueryResult>
      {start.error && <ErrorAlert error={start.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <AsyncButton
          isPending={start.isPending}
          disabled={!test.data || isHopeless(test.data)}
          onPress={() => start.mutateAsync()}
        >
          Replay
        </AsyncButton>
      </Group>
    </Stack>
  );
}

/** Every selected event was tested, and none would be accepted. */
const isHopeless = ({ evaluated, selected, accepted }: ReplayTest): boolean =>
  evaluated === selected && accepted === 0;

interface ReplayProgressProps {
  readonly started: Replay;
  readonly onClose: () => void;
}

function ReplayProgress({ started, onClose }: ReplayProgressProps) {
  const { data = started, error } = useQuery(replayQuery(started));
  const rejected = data.rejected.reduce((sum, { events }) => sum + events, 0);
  return (
    <Stack>
      <Text role="status">
        {data.status === "done" ? "Done" : "Running"}: {formatCount(data.accepted)} of{" "}
        {formatCount(data.selected)} stored, {pluralize(data.duplicates, "duplicate")},{" "}
        {formatCount(rejected)} rejected again.
      </Text>
      {error && <ErrorAlert error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
    </Stack>
  );
}
