/** The health of a source: status, counts of the last 24 hours, warnings, and the most frequent problems. */
import type { DebugAttempt, Source } from "@headwater/contract";
import { Alert, Paper, Text, Title } from "@mantine/core";
import { FactList } from "../../ui/fact-list.tsx";
import { formatCount, pluralize } from "../../ui/format-count.ts";
import { RelativeTime, useNow } from "../../ui/relative-time.tsx";
import { SourceStatusBadge } from "../../ui/source-status.tsx";
import { groupProblems } from "./attempt-summary.ts";
import type { DebugResult } from "./follow-attempts.ts";
import { OutcomeTimeline } from "./outcome-timeline.tsx";
import { PlanViolations } from "./plan-violations.tsx";
import { ProblemList } from "./problem-list.tsx";

/** The code of rejected events, and of the warning about accepted ones. Their entry in the list of problems says more. */
const PLAN_CODE = "plan_violation";

const DAY_MS = 86_400_000;

interface HealthPanelProps {
  readonly source: Source;
  readonly health: DebugResult["health"];
  readonly violations: DebugResult["planViolations"];
  readonly attempts: readonly DebugAttempt[];
  readonly onCode: (code: string) => void;
}

export function HealthPanel({ source, health, violations, attempts, onCode }: HealthPanelProps) {
  const now = useNow();
  const ofLast24h = attempts.filter(({ receivedAt }) => Date.parse(receivedAt) > now - DAY_MS);
  const { status, lastBootstrapAt, lastEventAt, last24h, topCodes, warnings } = health;
  const facts = [
    ["Accepted events", formatCount(last24h.accepted)],
    ["Duplicates", formatCount(last24h.duplicates)],
    ["Rejected", formatCount(last24h.rejected)],
    ["Refused requests", formatCount(last24h.failed)],
  ] as const;
  const otherWarnings = warnings.filter(({ code }) => code !== PLAN_CODE);
  const otherCodes = topCodes.filter(({ code }) => code !== PLAN_CODE);
  const isRejecting = otherCodes.length < topCodes.length;
  const hasViolations = isRejecting || violations.length > 0 || last24h.planViolations > 0;
  return (
    <Paper withBorder p="lg" component="section" aria-label="Health">
      <div className="health">
        <SourceStatusBadge status={status} />
        <Text size="sm" c="dimmed">
          Last event: <RelativeTime at={lastEventAt} />
          {lastEventAt === null && lastBootstrapAt !== null && (
            <>
              . Last bootstrap: <RelativeTime at={lastBootstrapAt} />
            </>
          )}
        </Text>
      </div>
      <div className="health-charts">
        <div>
          <Title order={2} size="h5">
            Last 24 hours
          </Title>
          <FactList facts={facts} className="health-facts" label="Last 24 hours" />
        </div>
        <OutcomeTimeline attempts={attempts} />
      </div>
      {last24h.notListed > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          The list is a sample: {pluralize(last24h.notListed, "request")} of the last 24 hours{" "}
          {last24h.notListed === 1 ? "is" : "are"} counted above but not listed, because more arrived in the
          same second.
        </Text>
      )}
      {otherWarnings.map(({ code, message, hint }) => (
        <Alert key={code} color="yellow" title={message} mt="sm">
          {hint}
        </Alert>
      ))}
      {(otherCodes.length > 0 || hasViolations) && (
        <ProblemList source={source} problems={groupProblems(otherCodes, ofLast24h)} onCode={onCode}>
          {hasViolations && (
            <PlanViolations
              sourceId={source.sourceId}
              violations={violations}
              events={last24h.planViolations}
              onShow={isRejecting ? () => onCode(PLAN_CODE) : null}
            />
          )}
        </ProblemList>
      )}
    </Paper>
  );
}
