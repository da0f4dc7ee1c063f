/** Whether something has come: it turns green at the first event, or shows what was refused and how to mend it. */
import type { Attempt, Source } from "@headwater/contract";
import { Alert, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { sourceQuery, useInvalidateSource } from "../../queries.ts";
import { ButtonLink } from "../../ui/links.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { RefusalAlert } from "../debug/refusal-alert.tsx";
import { useAttemptLog } from "../debug/use-attempt-log.ts";

/** Who may not see attempts still learns of the first event, a little later. */
const POLL_MS = 3_000;
const NO_FILTERS = {};

export function InstallStatus({ source }: { readonly source: Source }) {
  const { can } = useWorkspace();
  return can("debug:read") ? <StatusFromAttempts source={source} /> : <StatusFromSource source={source} />;
}

const brought = ({ accepted, duplicates }: Attempt) => accepted + duplicates > 0;

function StatusFromAttempts({ source }: { readonly source: Source }) {
  const [{ attempts, error, isLive }] = useAttemptLog(source.sourceId, NO_FILTERS);
  const changed = useInvalidateSource();
  const newest = attempts.find((attempt) => brought(attempt) || attempt.outcome === "failed");
  const came = newest !== undefined && brought(newest) ? newest : null;
  const refused = newest !== undefined && came === null ? newest : null;
  const cameId = came?.attemptId;
  const { sourceId } = source;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each that came
  useEffect(() => {
    if (cameId !== undefined) void changed(sourceId);
  }, [cameId, sourceId]);
  if (error) return <ErrorAlert error={error} />;
  if (came !== null) {
    return (
      <ReceivingAlert at={came.receivedAt}>
        From {came.origin ?? "a client without an origin"}.{" "}
        <ButtonLink
          size="xs"
          variant="default"
          to="/analytics/setup/debug"
          search={{ sourceId, attempt: came.attemptId }}
        >
          See it in the debug view
        </ButtonLink>
      </ReceivingAlert>
    );
  }
  if (refused !== null) {
    return (
      <Stack gap="xs" data-state="refused">
        <RefusalAlert key={refused.attemptId} source={source} attempt={refused} />
        <Text size="sm" c="dimmed" className="wrap">
          Refused <RelativeTime at={refused.receivedAt} />, from {refused.origin ?? "no origin"}. Still
          waiting: mend it, load the page again, and it turns green.
        </Text>
      </Stack>
    );
  }
  return <WaitingAlert>{isLive ? "Open a page that has the snippet." : "Connecting …"}</WaitingAlert>;
}

function StatusFromSource({ source: { sourceId } }: { readonly source: Source }) {
  const { data, error } = useQuery({ ...sourceQuery(sourceId), refetchInterval: POLL_MS });
  if (error) return <ErrorAlert error={error} />;
  if (data && data.lastEventAt !== null) return <ReceivingAlert at={data.lastEventAt} />;
  return <WaitingAlert>Open a page that has the snippet.</WaitingAlert>;
}

const ReceivingAlert = ({ at, children }: { readonly at: string; readonly children?: React.ReactNode }) => (
  <Alert color="green" title="It works: events arrive" data-state="came" role="status">
    <Group gap="sm">
      <Text size="sm" className="wrap">
        The last one came <RelativeTime at={at} />. {children}
      </Text>
    </Group>
  </Alert>
);

const WaitingAlert = ({ children }: { readonly children: React.ReactNode }) => (
  <Alert
    color="gray"
    title="Waiting for the first event …"
    data-state="waiting"
    role="status"
    className="waiting"
  >
    {children}
  </Alert>
);
