/** The public key: a new one, what that cuts off, and who still uses an old one. */
import type { Attempt, Source } from "@headwater/contract";
import { Button, Code, Group, List, NativeSelect, Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api.ts";
import { useSourceChanged } from "../../queries.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Copy } from "../../ui/copy.tsx";
import { plural } from "../../ui/count.ts";
import { Answered } from "../../ui/states.tsx";
import { Ago, Until } from "../../ui/time.tsx";

const GRACES = [
  { value: "0", label: "None: the old key stops at once" },
  { value: "3600", label: "An hour" },
  { value: "86400", label: "A day" },
  { value: "604800", label: "A week" },
];

export function KeySection({ source }: { readonly source: Source }) {
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
          <Copy text={publicKey} />
          <Button size="xs" variant="default" onClick={() => setAsked(true)}>
            Rotate …
          </Button>
        </Group>
        {publicKeyRotatedAt !== null && (
          <>
            <Text size="sm">
              Rotated <Ago at={publicKeyRotatedAt} />.{" "}
              {previousKeyExpiresAt === null ? (
                "The key before it is let in no more."
              ) : (
                <>
                  The key before it is let in until <Until at={previousKeyExpiresAt} />.
                </>
              )}
            </Text>
            <OldInstalls sourceId={sourceId} />
          </>
        )}
        <Rotate source={source} opened={isAsked} onClose={() => setAsked(false)} />
      </Stack>
    </Paper>
  );
}

interface RotateProps {
  readonly source: Source;
  readonly opened: boolean;
  readonly onClose: () => void;
}

function Rotate({ source: { sourceId }, opened, onClose }: RotateProps) {
  const [grace, setGrace] = useState("86400");
  const changed = useSourceChanged();
  const rotate = async () => {
    await call("regenerateKey", { params: { sourceId }, body: { gracePeriodSeconds: Number(grace) } });
    await changed(sourceId);
  };
  return (
    <Confirm
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
    </Confirm>
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

function OldInstalls({ sourceId }: { readonly sourceId: string }) {
  const query = useQuery({
    queryKey: ["health", sourceId, "old installs"],
    queryFn: ({ signal }) => call("getDebug", { params: { sourceId }, query: { limit: 200 }, signal }),
  });
  return (
    <Answered query={query} rows={1}>
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
                  {origin}, client {sdkVersion}: {plural(count, "attempt")}, last <Ago at={lastSeenAt} />
                </List.Item>
              ))}
            </List>
          </div>
        );
      }}
    </Answered>
  );
}
