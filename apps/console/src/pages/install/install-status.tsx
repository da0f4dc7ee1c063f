/** Shows whether events arrive: waiting, receiving, or the refusal of the latest request and how to fix it. */
import type { DebugAttempt, Source } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { sourceQuery, useInvalidateSource } from "../../queries.ts";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { Alert, Group, Skeleton, Stack, Text } from "../../ui/primitives/elements.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { RefusalAlert } from "../debug/refusal-alert.tsx";
import { useAttemptLog } from "../debug/use-attempt-log.ts";

/** Users without the debug:read permission see the first event by polling the source. */
const POLL_MS = 3_000;
const NO_FILTERS = {};

export function InstallStatus({ source }: { readonly source: Source }) {
  const { can } = useWorkspace();
  return can("debug:read") ? <StatusFromAttempts source={source} /> : <StatusFromSource source={source} />;
}

const hasEvents = ({ accepted, duplicates }: DebugAttempt) => accepted + duplicates > 0;

function StatusFromAttempts({ source }: { readonly source: Source }) {
  const [{ attempts, error, isLive, isLoading }, log] = useAttemptLog(source.sourceId, NO_FILTERS);
  const invalidateSource = useInvalidateSource();
  const accepted = attempts.find(hasEvents) ?? null;
  // once events arrive, a refused request of a stranger's site does not mean that the install is wrong
  const refused = attempts.find(({ outcome }) => outcome === "failed") ?? null;
  const isRefusedLast = refused !== null && (accepted === null || refused.receivedAt > accepted.receivedAt);
  const acceptedId = accepted?.attemptId;
  const { sourceId } = source;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per accepted attempt
  useEffect(() => {
    if (acceptedId !== undefined) void invalidateSource(sourceId);
  }, [acceptedId, sourceId]);
  if (error) return <ErrorAlert error={error} onRetry={isLive ? () => log?.retry() : undefined} />;
  if (isLoading && attempts.length === 0) return <StatusLoading />;
  if (accepted !== null) {
    return (
      <ReceivingAlert
        at={accepted.receivedAt}
        action={
          <ButtonLink
            size="xs"
            variant="default"
            to="/analytics/setup/debug"
            search={{ sourceId, attempt: accepted.attemptId }}
          >
            Open in Debug
          </ButtonLink>
        }
      >
        Origin: {accepted.origin ?? "—"}.
        {isRefusedLast && (
          <span className="foreign">
            A later request from {refused.origin ?? "an unknown origin"} was refused ({refused.code}).{" "}
            <TextLink
              to="/analytics/setup/debug"
              search={{ sourceId, attempt: refused.attemptId }}
              size="sm"
              underline="always"
            >
              Show
            </TextLink>
          </span>
        )}
      </ReceivingAlert>
    );
  }
  if (refused !== null) {
    return (
      <Stack gap="xs" data-state="refused">
        <RefusalAlert key={refused.attemptId} source={source} attempt={refused} />
        <Text size="sm" c="dimmed" className="wrap">
          Refused <RelativeTime at={refused.receivedAt} />. Origin: {refused.origin ?? "—"}. Fix the problem,
          then reload your site.
        </Text>
      </Stack>
    );
  }
  // the requests of older events are no longer stored
  if (source.lastEventAt !== null) return <ReceivingAlert at={source.lastEventAt} />;
  return <WaitingAlert />;
}

function StatusFromSource({ source: { sourceId } }: { readonly source: Source }) {
  const { data, error } = useQuery({ ...sourceQuery(sourceId), refetchInterval: POLL_MS });
  if (error) return <ErrorAlert error={error} />;
  if (!data) return <StatusLoading />;
  return data.lastEventAt === null ? <WaitingAlert /> : <ReceivingAlert at={data.lastEventAt} />;
}

interface ReceivingAlertProps {
  readonly at: string;
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}

const ReceivingAlert = ({ at, action, children }: ReceivingAlertProps) => (
  <Alert color="green" title="Receiving events" data-state="receiving" role="status">
    <Group gap="sm" justify="space-between">
      <Text size="sm" className="wrap" component="div">
        Last event <RelativeTime at={at} />. {children}
      </Text>
      {action}
    </Group>
  </Alert>
);

/** As high as each of the states. */
const StatusLoading = () => (
  <div role="status" aria-label="Loading">
    <Skeleton height="5rem" />
  </div>
);

const WaitingAlert = () => (
  <Alert
    color="gray"
    title="Waiting for the first event…"
    data-state="waiting"
    role="status"
    className="waiting"
  >
    Add the snippet below, then open your site.
  </Alert>
);
