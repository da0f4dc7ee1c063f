/** The details of one attempt: outcome, what to do, facts, results per event, and the JSON before and after normalization. */

import type { DebugAttempt, Source } from "@headwater/contract";
import { describeViolation, WARNING_MESSAGES } from "@headwater/contract/event-codes";
import { useEffect, useMemo, useRef } from "react";
import { API_BASE } from "../../api.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { type Fact, FactList } from "../../ui/fact-list.tsx";
import { formatCount } from "../../ui/format-count.ts";
import { Icon } from "../../ui/icon.tsx";
import { ColumnHeads, toColumnVariables } from "../../ui/paged-table.tsx";
import { Badge, Button, Group, Paper, Stack, Table, Text, Title } from "../../ui/primitives/elements.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { TextWithCode } from "../../ui/text-with-code.tsx";
import { PHONE, useMediaQuery } from "../../ui/use-media-query.ts";
import { useWorkspace } from "../../workspace-context.tsx";
import { VisitorLink } from "../visitor/visitor-link.tsx";
import { pathOf, shortName, titleOf, toCurl } from "./attempt-summary.ts";
import { attachIssues, normalizedMarks, rawMarks, toJsonLines, toTextLines } from "./json-lines.ts";
import { JsonView } from "./json-view.tsx";
import { OutcomeBadge } from "./outcome-badge.tsx";
import { RefusalAlert } from "./refusal-alert.tsx";

/** The `anonymousId` of clients whose browser stores nothing: the id of no single visitor. */
const NO_ID = "$none";

interface AttemptDetailsProps {
  readonly source: Source;
  readonly attempt: DebugAttempt;
  readonly onClose: () => void;
}

export function AttemptDetails({ source, attempt, onClose }: AttemptDetailsProps) {
  const { raw, normalized, issues } = attempt;
  const isPhone = useMediaQuery(PHONE);
  const back = useRef<HTMLButtonElement>(null);
  // the list, which had the focus, is out of sight
  useEffect(() => back.current?.focus({ preventScroll: true }), []);
  const rawLines = useMemo(
    () =>
      attachIssues(
        typeof raw === "string" && issues.some(({ code }) => code === "invalid_json")
          ? toTextLines(raw)
          : toJsonLines(raw, rawMarks(normalized)),
        issues,
      ),
    [raw, normalized, issues],
  );
  const normalizedLines = useMemo(() => toJsonLines(normalized, normalizedMarks(raw)), [raw, normalized]);
  return (
    <Paper p="lg" component="section" aria-label="Request" className="attempt">
      <Stack>
        {isPhone && (
          <div>
            <Button ref={back} size="xs" variant="default" onClick={onClose}>
              <Icon name="arrowLeft" size={14} /> Back
            </Button>
          </div>
        )}
        <Group justify="space-between" align="flex-start">
          <Group gap="sm">
            <Title order={2} size="h4" className="wrap">
              {titleOf(attempt)}
            </Title>
            <OutcomeBadge attempt={attempt} />
          </Group>
          <Group gap="xs">
            <CopyButton text={toCurl(attempt, API_BASE)} label="Copy as curl" />
            {!isPhone && (
              <Button size="xs" variant="default" onClick={onClose}>
                Close
              </Button>
            )}
          </Group>
        </Group>
        <RefusalAlert key={attempt.attemptId} source={source} attempt={attempt} />
        <MainFacts attempt={attempt} sourceId={source.sourceId} />
        <EventResults attempt={attempt} sourceId={source.sourceId} />
        {attempt.truncated && (
          <Text size="sm" c="dimmed">
            This request was too large to store in full. Parts of it are cut off.
          </Text>
        )}
        <div className="json-pair">
          <JsonView title="Received" lines={rawLines} />
          {normalized !== null && <JsonView title="Normalized" lines={normalizedLines} />}
        </div>
        <AttemptFacts facts={technicalFacts(attempt)} />
      </Stack>
    </Paper>
  );
}

const describeSkew = (skewMs: number): string =>
  `The client’s clock is ${formatCount(Math.abs(skewMs))} ms ${skewMs < 0 ? "ahead" : "behind"}`;

interface AttemptPartProps {
  readonly attempt: DebugAttempt;
  readonly sourceId: string;
}

/** Shows the facts that are known. */
const AttemptFacts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <FactList facts={facts.filter(([, value]) => value !== null)} className="facts" />
);

function MainFacts({ attempt, sourceId }: AttemptPartProps) {
  const { can } = useWorkspace();
  const linkTo = (kind: "sessionId" | "anonymousId" | "userId") => {
    const id = attempt[kind];
    if (id === null || id === NO_ID || !can("export:read")) return id;
    return (
      <VisitorLink key={kind} search={{ sourceId, [kind]: id }}>
        {id}
      </VisitorLink>
    );
  };
  const facts: readonly Fact[] = [
    ["Received", <RelativeTime key="at" at={attempt.receivedAt} />],
    ["Page", pathOf(attempt)],
    ["Origin", attempt.origin],
    ["Client version", attempt.sdkVersion],
    ["Request", attempt.kind === "bootstrap" ? "Bootstrap" : "Events"],
    ["Response", `${attempt.httpStatus} in ${attempt.durationMs.toFixed(1)} ms`],
    ["Visitor", linkTo("anonymousId")],
    ["User", linkTo("userId")],
    ["Session", linkTo("sessionId")],
  ];
  return <AttemptFacts facts={facts} />;
}

const technicalFacts = (attempt: DebugAttempt): readonly Fact[] => [
  ["Key", attempt.publicKey ? `${attempt.keyState}: ${attempt.publicKey}` : attempt.keyState],
  ["Route", attempt.legacy ? "deprecated (no version in the path)" : null],
  ["Endpoint", attempt.endpoint ? `${attempt.endpoint} (compatible)` : null],
  ["Clock skew", attempt.clockSkewMs === null ? null : describeSkew(attempt.clockSkewMs)],
  ["Size", `${formatCount(attempt.payloadBytes)} bytes`],
  ["User agent", attempt.userAgent],
  ["Trace ID", attempt.traceId],
  ["Attempt ID", attempt.attemptId],
];

const STATUS_COLORS = { accepted: "green", duplicate: "gray", rejected: "red" } as const;

const reasonOf = ({ message, warnings, planViolation }: DebugAttempt["results"][number]): string =>
  [
    message,
    ...warnings.map((code) =>
      code === "plan_violation" && planViolation ? describeViolation(planViolation) : WARNING_MESSAGES[code],
    ),
  ]
    .filter(Boolean)
    .join(" ");

const EVENT_COLUMNS = ["Name", "Result", "Reason", "Event ID"];

function EventResults({ attempt: { results, sessionId }, sourceId }: AttemptPartProps) {
  const { can } = useWorkspace();
  const hasStored = sessionId !== null && can("export:read");
  if (results.length === 0) return null;
  return (
    <ScrollRegion label="Result per event">
      <Table className="attempt-events stacked" style={toColumnVariables(EVENT_COLUMNS)}>
        <ColumnHeads columns={EVENT_COLUMNS} />
        <tbody>
          {results.map((result) => (
            <tr key={result.index}>
              <td className="wrap" title={result.name ?? undefined}>
                {result.name !== null && shortName(result.name)}
              </td>
              <td>
                <Badge color={STATUS_COLORS[result.status]}>{result.status}</Badge>
              </td>
              <td className="wrap">
                <TextWithCode text={reasonOf(result)} />
              </td>
              <td className="event-id" title={result.eventId ?? undefined}>
                {hasStored && result.eventId !== null && result.status === "accepted" ? (
                  <VisitorLink search={{ sourceId, sessionId, event: result.eventId }}>
                    {result.eventId}
                  </VisitorLink>
                ) : (
                  result.eventId
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </ScrollRegion>
  );
}
