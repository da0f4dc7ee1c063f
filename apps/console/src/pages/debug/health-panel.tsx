/** The health of a source: status, counts of the last 24 hours, warnings, and the most frequent error codes. */
import { Alert, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { formatCount } from "../../ui/format-count.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SourceStatusBadge } from "../../ui/source-status.tsx";
import type { DebugResult } from "./follow-attempts.ts";

interface HealthPanelProps {
  readonly health: DebugResult["health"];
  readonly onCode: (code: string) => void;
}

export function HealthPanel({ health, onCode }: HealthPanelProps) {
  const { status, lastBootstrapAt, lastEventAt, last24h, topCodes, warnings } = health;
  const facts = [
    ["Accepted events", last24h.accepted],
    ["Duplicates", last24h.duplicates],
    ["Rejected", last24h.rejected],
    ["Refused requests", last24h.failed],
  ] as const;
  return (
    <Paper withBorder p="md" component="section" aria-label="Health">
      <Stack gap="sm">
        <Group gap="md">
          <SourceStatusBadge status={status} />
          <Text size="sm">
            <span className="fact-name">Last bootstrap</span> <RelativeTime at={lastBootstrapAt} />
          </Text>
          <Text size="sm">
            <span className="fact-name">Last event</span> <RelativeTime at={lastEventAt} />
          </Text>
          <Group gap="lg" aria-label="Last 24 hours" role="group">
            {facts.map(([name, number]) => (
              <Text key={name} size="sm">
                <span className="fact-name">{name}</span> <strong>{formatCount(number)}</strong>
              </Text>
            ))}
            <Text size="sm" c="dimmed">
              in the last 24 hours
            </Text>
          </Group>
        </Group>
        {warnings.map(({ code, message, hint }) => (
          <Alert key={code} color="yellow" title={message}>
            {hint}
          </Alert>
        ))}
        {topCodes.length > 0 && (
          <Group gap="xs" aria-label="Most frequent error codes" role="group">
            {topCodes.map(({ code, count: times, hint }) => (
              <Button
                key={code}
                size="xs"
                variant="default"
                title={hint}
                onClick={() => onCode(code)}
                ff="monospace"
              >
                {code} × {formatCount(times)}
              </Button>
            ))}
          </Group>
        )}
      </Stack>
    </Paper>
  );
}
