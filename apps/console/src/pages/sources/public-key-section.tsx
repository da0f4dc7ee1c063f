/** The public key: a new one, what that cuts off, and who still uses an old one. */
import type { Attempt, Source } from "@headwater/contract";
import { Button, Code, Group, List, NativeSelect, Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "../../api.ts";
import { useInvalidateSource } from "../../queries.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { pluralize } from "../../ui/format-count.ts";
import { QueryResult } from "../../ui/page-states.tsx";
import { ExactTime, RelativeTime } from "../../ui/relative-time.tsx";

const GRACES = [
  { value: "0", label: "None: the old key stops at once" },
  { value: "3600", label: "An hour" },
  { value: "86400", label: "A day" },
  { value: "604800", label: "A week" },
];

export function PublicKeySection({ source }: { readonly source: Source }) {
  const { sourceId, publicKey, previousKeyExpiresAt, publicKeyRotatedAt } = source;
  const [isAsked, setAsked] = useState(false);
  return (
    <Paper withBorder p="lg">
      <Stack>
        <Title order={2} size="h5">
          Public key
        </Title>
        <Group gap="sm">
          <Code className="wrap">{publicKey}</Code>
          <CopyButton text={publicKey} />
          <Button size="xs" variant="default" onClick={() => setAsked(true)}>
            Rotate …
          </Button>
        </Group>
        {publicKeyRotatedAt !== null && (
          <>
            <Text size="sm">
              Rotated <RelativeTime at={publicKeyRotatedAt} />.{" "}
              {previousKeyExpiresAt === null ? (
                "The key before it is let in no more."
              ) : (
                <>
                  The key before it is let in until <ExactTime at={previousKeyExpiresAt} />.
                </>
              )}
            </Text>
            <OutdatedInstalls sourceId={sourceId} />
          </>
        )}
        <RotateKeyDialog source={source} opened={isAsked} onClose={() => setAsked(false)} />
      </Stack>
    </Paper>
  );
}

interface RotateKeyDialogProps {
  readonly source: Source;
  readonly opened: boolean;
  readonly onClose: () => void;
}

function RotateKeyDialog({ source: { sourceId }, opened, onClose }: RotateKeyDialogProps) {
  const [grace, setGrace] = useState("86400");
  const changed = useInvalidateSource();
  const rotate = async () => {
    await callApi("regenerateKey", { params: { sourceId }, body: { gracePeriodSeconds: Number(grace) } });
    await changed(sourceId);
  };
  return (
    <ConfirmDialog
      title="Rotate the public key?"
      confirmLabel="Rotate the key"
      opened={opened}
      onClose={onClose}
      onConfirm={rotate}
    >
      <Text>
        The source gets a new key. Every install that still has the old one is cut off when the grace period
        is over: its events are refused until the new snippet is pasted. Visits that are under way go on.
      </Text>
      <NativeSelect
        label="Grace period"
        data={GRACES}
        value={grace}
        onChange={(event) => setGrace(event.currentTarget.value)}
      />
    </ConfirmDialog>
  );
}

interface Install {
  readonly origin: string;
  readonly sdkVersion: string;
  readonly count: number;
  readonly lastSeenAt: string;
}

/** Attempts with a key that is not the current one, by where they came from. @param attempts newest first */
function installsOf(attempts: readonly Attempt[]): Install[] {
  const old = attempts.filter(({ keyState }) => keyState !== "current");
  const groups = Object.groupBy(old, ({ origin, sdkVersion }) => `${origin} ${sdkVersion}`);
  return Object.values(groups).flatMap((group) => {
    const [newest] = group ?? [];
    if (!newest) return [];
    const { origin, sdkVersion, receivedAt } = newest;
    return {
      origin: origin ?? "no origin",
      sdkVersion: sdkVersion ?? "unknown",
      count: group!.length,
      lastSeenAt: receivedAt,
    };
  });
}

function OutdatedInstalls({ sourceId }: { readonly sourceId: string }) {
  const query = useQuery({
    queryKey: ["health", sourceId, "old installs"],
    queryFn: ({ signal }) => callApi("getDebug", { params: { sourceId }, query: { limit: 200 }, signal }),
  });
  return (
    <QueryResult query={query} rows={1}>
      {({ bootstrapAttempts, eventAttempts }) => {
        const installs = installsOf(
          [...bootstrapAttempts, ...eventAttempts].sort((a, b) => (a.receivedAt < b.receivedAt ? 1 : -1)),
        );
        if (installs.length === 0) {
          return <Text size="sm">None of the latest attempts has used an old key.</Text>;
        }
        return (
          <div>
            <Text size="sm" fw={600}>
              Installs that still use an old key
            </Text>
            <List size="sm">
              {installs.map(({ origin, sdkVersion, count, lastSeenAt }) => (
                <List.Item key={`${origin} ${sdkVersion}`} className="wrap">
                  {origin}, client {sdkVersion}: {pluralize(count, "attempt")}, last{" "}
                  <RelativeTime at={lastSeenAt} />
                </List.Item>
              ))}
            </List>
          </div>
        );
      }}
    </QueryResult>
  );
}
