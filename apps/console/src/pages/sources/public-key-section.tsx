/** A source's public key: copy, rotate, and the installs that still use an old key. */
import type { DebugAttempt, Source } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api.ts";
import { useInvalidateSource } from "../../queries.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { pluralize } from "../../ui/format-count.ts";
import { QueryResult } from "../../ui/page-states.tsx";
import { Button, Group, Paper, Stack, Text } from "../../ui/primitives/elements.tsx";
import { NativeSelect } from "../../ui/primitives/fields.tsx";
import { ExpiryTime, RelativeTime } from "../../ui/relative-time.tsx";
import { SectionHeader } from "../../ui/section-header.tsx";

const GRACE_PERIODS = [
  { value: "0", label: "None" },
  { value: "3600", label: "1 hour" },
  { value: "86400", label: "1 day" },
  { value: "604800", label: "1 week" },
];

export function PublicKeySection({ source }: { readonly source: Source }) {
  const { sourceId, publicKey, previousKeyExpiresAt, publicKeyRotatedAt } = source;
  const [isDialogOpen, setDialogOpen] = useState(false);
  return (
    <Paper p="lg">
      <Stack>
        <SectionHeader title="Public key">
          Identifies this source in the snippet. Safe to publish.
        </SectionHeader>
        <Group gap="sm">
          <code className="wrap code">{publicKey}</code>
          <CopyButton text={publicKey} />
          <Button size="xs" variant="default" onClick={() => setDialogOpen(true)}>
            Rotate
          </Button>
        </Group>
        {publicKeyRotatedAt !== null && (
          <>
            <Text size="sm">
              Rotated <RelativeTime at={publicKeyRotatedAt} />.{" "}
              {previousKeyExpiresAt === null ? (
                "The previous key is no longer accepted."
              ) : (
                <>
                  The previous key is accepted until <ExpiryTime at={previousKeyExpiresAt} />.
                </>
              )}
            </Text>
            <OutdatedInstalls sourceId={sourceId} />
          </>
        )}
        <RotateKeyDialog source={source} opened={isDialogOpen} onClose={() => setDialogOpen(false)} />
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
  const invalidateSource = useInvalidateSource();
  const rotate = async () => {
    await api.regenerateKey({ params: { sourceId }, body: { gracePeriodSeconds: Number(grace) } });
    await invalidateSource(sourceId);
  };
  return (
    <ConfirmDialog
      title="Rotate public key?"
      confirmLabel="Rotate key"
      opened={opened}
      onClose={onClose}
      onConfirm={rotate}
    >
      <Text>
        The source gets a new key.{" "}
        {grace === "0"
          ? "Requests with the old key are refused immediately. Copy the new snippet to your site."
          : "Copy the new snippet to your site before the grace period ends. After that, requests with the old key are refused."}{" "}
        Visitors keep their IDs.
      </Text>
      <NativeSelect
        label="Grace period"
        data={GRACE_PERIODS}
        value={grace}
        onChange={(event) => setGrace(event.currentTarget.value)}
      />
    </ConfirmDialog>
  );
}

interface OutdatedInstall {
  readonly origin: string;
  readonly sdkVersion: string;
  readonly count: number;
  readonly lastSeenAt: string;
}

/**
 * Groups the attempts with an old key by origin and client version.
 * @param attempts newest first
 */
function findOutdatedInstalls(attempts: readonly DebugAttempt[]): OutdatedInstall[] {
  const old = attempts.filter(({ keyState }) => keyState !== "current");
  const groups = Object.groupBy(old, ({ origin, sdkVersion }) => `${origin} ${sdkVersion}`);
  return Object.values(groups).flatMap((group = []) => {
    const [newest] = group;
    if (!newest) return [];
    const { origin, sdkVersion, receivedAt } = newest;
    return {
      origin: origin ?? "No Origin header",
      sdkVersion: sdkVersion ?? "unknown client",
      count: group.length,
      lastSeenAt: receivedAt,
    };
  });
}

function OutdatedInstalls({ sourceId }: { readonly sourceId: string }) {
  const query = useQuery({
    queryKey: ["health", sourceId, "old installs"],
    queryFn: ({ signal }) => api.getDebug({ params: { sourceId }, query: { limit: 200 }, signal }),
  });
  return (
    <QueryResult query={query} rows={1}>
      {({ bootstrapAttempts, eventAttempts }) => {
        const installs = findOutdatedInstalls(
          [...bootstrapAttempts, ...eventAttempts].sort((a, b) => (a.receivedAt < b.receivedAt ? 1 : -1)),
        );
        if (installs.length === 0) {
          return <Text size="sm">No recent request used an old key.</Text>;
        }
        return (
          <div>
            <Text size="sm" fw={600}>
              Sites and apps that still use an old key
            </Text>
            <ul className="text-sm old-keys">
              {installs.map(({ origin, sdkVersion, count, lastSeenAt }) => (
                <li key={`${origin} ${sdkVersion}`} className="wrap">
                  {origin}, {sdkVersion}: {pluralize(count, "request")}, last seen{" "}
                  <RelativeTime at={lastSeenAt} />
                </li>
              ))}
            </ul>
          </div>
        );
      }}
    </QueryResult>
  );
}
