/** One attempt, whole: what it was, why it was refused, what came and what was made of it. */

import type { Attempt, Source } from "@headwater/contract";
import { Badge, Button, Group, Paper, Stack, Table, Text, Title } from "@mantine/core";
import { useMemo } from "react";
import { formatCount } from "../../ui/format-count.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { attachIssues, normalizedMarks, rawMarks, toJsonLines } from "./json-lines.ts";
import { JsonView } from "./json-view.tsx";
import { OutcomeBadge } from "./outcome-badge.tsx";
import { RefusalAlert } from "./refusal-alert.tsx";

interface AttemptDetailsProps {
  readonly source: Source;
  readonly attempt: Attempt;
  readonly onClose: () => void;
}

export function AttemptDetails({ source, attempt, onClose }: AttemptDetailsProps) {
  const { raw, normalized, issues } = attempt;
  const came = useMemo(
    () => attachIssues(toJsonLines(raw, rawMarks(normalized)), issues),
    [raw, normalized, issues],
  );
  const made = useMemo(() => toJsonLines(normalized, normalizedMarks(raw)), [raw, normalized]);
  return (
    <Paper withBorder p="md" component="section" aria-label="The attempt" className="attempt">
      <Stack>
        <Group justify="space-between">
          <Group gap="sm">
            <Title order={2} size="h4">
              {attempt.kind === "bootstrap" ? "Bootstrap" : "Events"}
            </Title>
            <OutcomeBadge attempt={attempt} />
          </Group>
          <Button size="xs" variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
        <RefusalAlert key={attempt.attemptId} source={source} attempt={attempt} />
        <EventResults attempt={attempt} />
        {attempt.truncated && (
          <Text size="sm" c="dimmed">
            It was larger than what is kept: parts of it are cut.
          </Text>
        )}
        <div className="json-pair">
          <JsonView title="As it came" lines={came} />
          {normalized !== null && <JsonView title="What was made of it" lines={made} />}
        </div>
        <AttemptFacts attempt={attempt} />
      </Stack>
    </Paper>
  );
}

function AttemptFacts({ attempt }: { readonly attempt: Attempt }) {
  const facts: readonly (readonly [string, React.ReactNode])[] = [
    ["Received", <RelativeTime key="at" at={attempt.receivedAt} />],
    ["Answered", `${attempt.httpStatus} after ${attempt.durationMs.toFixed(1)} ms`],
    ["Origin", attempt.origin],
    ["Session", attempt.sessionId],
    ["Visitor", attempt.anonymousId],
    ["User", attempt.userId],
    ["Client", attempt.sdkVersion],
    ["Key", attempt.publicKey ? `${attempt.keyState}: ${attempt.publicKey}` : attempt.keyState],
    ["Route", attempt.legacy ? "deprecated, without a version" : null],
    [
      "Clock",
      attempt.clockSkewMs === null ? null : `${formatCount(attempt.clockSkewMs)} ms behind the service's`,
    ],
    ["Size", `${formatCount(attempt.payloadBytes)} bytes`],
    ["Browser", attempt.userAgent],
    ["Attempt", attempt.attemptId],
  ];
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

const COLOURS = { accepted: "green", duplicate: "gray", rejected: "red" } as const;

function EventResults({ attempt: { results } }: { readonly attempt: Attempt }) {
  if (results.length === 0) return null;
  return (
    <ScrollRegion label="Result of each event">
      <Table miw={640}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Event</Table.Th>
            <Table.Th>Name</Table.Th>
            <Table.Th>Result</Table.Th>
            <Table.Th>Why</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {results.map((result) => (
            <Table.Tr key={result.index}>
              <Table.Td className="wrap">{result.eventId}</Table.Td>
              <Table.Td className="wrap">{result.name}</Table.Td>
              <Table.Td>
                <Badge variant="light" tt="none" color={COLOURS[result.status]}>
                  {result.status}
                </Badge>
              </Table.Td>
              <Table.Td className="wrap">
                {[result.message, ...result.warnings].filter((word) => word !== null).join(", ")}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}
