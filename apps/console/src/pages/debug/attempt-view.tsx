/** One attempt, whole: what it was, why it was refused, what came and what was made of it. */

import type { Attempt, Source } from "@headwater/contract";
import { Badge, Button, Group, Paper, Stack, Table, Text, Title } from "@mantine/core";
import { useMemo } from "react";
import { count } from "../../ui/count.ts";
import { Scroll } from "../../ui/scroll.tsx";
import { Ago } from "../../ui/time.tsx";
import { Hint } from "./hint.tsx";
import { linesOf, normalizedMarks, rawMarks, withIssues } from "./json-lines.ts";
import { JsonView } from "./json-view.tsx";
import { Outcome } from "./outcome.tsx";

interface AttemptViewProps {
  readonly source: Source;
  readonly attempt: Attempt;
  readonly onClose: () => void;
}

export function AttemptView({ source, attempt, onClose }: AttemptViewProps) {
  const { raw, normalized, issues } = attempt;
  const came = useMemo(
    () => withIssues(linesOf(raw, rawMarks(normalized)), issues),
    [raw, normalized, issues],
  );
  const made = useMemo(() => linesOf(normalized, normalizedMarks(raw)), [raw, normalized]);
  return (
    <Paper withBorder p="md" component="section" aria-label="The attempt" className="attempt">
      <Stack>
        <Group justify="space-between">
          <Group gap="sm">
            <Title order={2} size="h4">
              {attempt.kind === "bootstrap" ? "Bootstrap" : "Events"}
            </Title>
            <Outcome attempt={attempt} />
          </Group>
          <Button size="xs" variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
        <Hint key={attempt.attemptId} source={source} attempt={attempt} />
        <Results attempt={attempt} />
        {attempt.truncated && (
          <Text size="sm" c="dimmed">
            It was larger than what is kept: parts of it are cut.
          </Text>
        )}
        <div className="json-pair">
          <JsonView title="As it came" lines={came} />
          {normalized !== null && <JsonView title="What was made of it" lines={made} />}
        </div>
        <Facts attempt={attempt} />
      </Stack>
    </Paper>
  );
}

function Facts({ attempt }: { readonly attempt: Attempt }) {
  const facts: readonly (readonly [string, React.ReactNode])[] = [
    ["Received", <Ago key="at" at={attempt.receivedAt} />],
    ["Answered", `${attempt.httpStatus} after ${attempt.durationMs.toFixed(1)} ms`],
    ["Origin", attempt.origin],
    ["Session", attempt.sessionId],
    ["Visitor", attempt.anonymousId],
    ["User", attempt.userId],
    ["Client", attempt.sdkVersion],
    ["Key", attempt.publicKey ? `${attempt.keyState}: ${attempt.publicKey}` : attempt.keyState],
    ["Route", attempt.legacy ? "deprecated, without a version" : null],
    ["Clock", attempt.clockSkewMs === null ? null : `${count(attempt.clockSkewMs)} ms behind the service's`],
    ["Size", `${count(attempt.payloadBytes)} bytes`],
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

function Results({ attempt: { results } }: { readonly attempt: Attempt }) {
  if (results.length === 0) return null;
  return (
    <Scroll label="Result of each event">
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
    </Scroll>
  );
}
