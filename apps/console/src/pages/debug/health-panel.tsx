/** The health of a source: status, counts of the last 24 hours, warnings, and the most frequent problems. */
import type { DebugAttempt, DebugData, Source } from "@headwater/contract";
import { useState } from "react";
import { FactList } from "../../ui/fact-list.tsx";
import { formatCount, pluralize } from "../../ui/format-count.ts";
import { Icon } from "../../ui/icon.tsx";
import { Alert, Button, Paper, Text } from "../../ui/primitives/elements.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SourceStatusBadge } from "../../ui/source-status.tsx";
import { groupFilteredProblems, groupProblems, sumRequests } from "./attempt-summary.ts";
import type { DebugResult } from "./follow-attempts.ts";
import { KeptEvents } from "./kept-events.tsx";
import { partitionProblems } from "./mended-problems.ts";
import { OutcomeTimeline } from "./outcome-timeline.tsx";
import { OUTCOMES } from "./outcomes.ts";
import { PlanViolations } from "./plan-violations.tsx";
import { ProblemList, type ProblemListProps } from "./problem-list.tsx";

/** The code of rejected events, and of the warning about accepted ones. Their entry in the list of problems says more. */
const PLAN_CODE = "plan_violation";

interface HealthPanelProps {
  readonly source: Source;
  readonly health: DebugResult["health"];
  readonly violations: DebugResult["planViolations"];
  readonly attempts: readonly DebugAttempt[];
  readonly allGroups: DebugData["requestGroups"];
  /** The requests of the last 24 hours that the filters select. undefined: not known yet, or reading them failed. */
  readonly groups: DebugData["requestGroups"] | undefined;
  readonly isFiltered: boolean;
  /** An opened request is below: the panel is one line, and its problems are behind a button. */
  readonly isFolded: boolean;
  readonly chosenCode: ProblemListProps["chosenCode"];
  readonly onFilter: ProblemListProps["onFilter"];
  readonly onAllow: ProblemListProps["onAllow"];
}

const countFacts = ({ accepted, duplicates, rejected, failed }: DebugData["health"]["last24h"]) =>
  [
    ["Accepted events", formatCount(accepted)],
    ["Duplicates", formatCount(duplicates)],
    ["Rejected events", formatCount(rejected)],
    ["Refused requests", formatCount(failed)],
  ] as const;

/** Counts the requests that match the filters. The counters of `last24h` cannot be filtered. */
function filteredFacts(groups: HealthPanelProps["groups"]) {
  const countOf = (isCounted: (group: DebugData["requestGroups"][number]) => boolean) =>
    groups ? formatCount(sumRequests(groups.filter(isCounted))) : "—";
  return [
    ["Requests", countOf(() => true)] as const,
    ...Object.entries(OUTCOMES).map(
      ([name, { label }]) => [label, countOf(({ outcome }) => outcome === name)] as const,
    ),
  ];
}

export function HealthPanel(props: HealthPanelProps) {
  const { source, health, violations, attempts, allGroups, groups, isFiltered, isFolded } = props;
  const { chosenCode, onFilter, onAllow } = props;
  const { last24h, topCodes, warnings } = health;
  const [isUnfolded, setUnfolded] = useState(false);
  const otherWarnings = warnings.filter(({ code }) => code !== PLAN_CODE);
  const otherCodes = topCodes.filter(({ code }) => code !== PLAN_CODE);
  const rejectedByPlan = topCodes.find(({ code }) => code === PLAN_CODE);
  const problems = isFiltered
    ? groupFilteredProblems(topCodes, groups ?? [])
    : groupProblems(otherCodes, groups ?? []);
  const { current, mended } = partitionProblems(problems, { source, attempts, groups: allGroups });
  const violated = isFiltered ? 0 : Math.max(last24h.planViolations, rejectedByPlan?.count ?? 0);
  const count = otherWarnings.length + current.length + (violated > 0 ? 1 : 0);
  return (
    <Paper p="md" component="section" aria-label="Health" data-folded={isFolded ? "yes" : undefined}>
      <div className="health" data-chosen={chosenCode && "yes"}>
        <HealthFigures {...props} />
        {!isFolded && <OutcomeTimeline attempts={attempts} />}
        {isFolded && count > 0 && (
          <Button
            size="xs"
            variant="default"
            aria-expanded={isUnfolded}
            onClick={() => setUnfolded(!isUnfolded)}
          >
            {pluralize(count, "problem")} <Icon name="chevronDown" size={14} />
          </Button>
        )}
      </div>
      <div hidden={isFolded && !isUnfolded}>
        <NotListed requests={last24h.notListed} isFiltered={isFiltered} />
        {otherWarnings.map(({ code, message, hint }) => (
          <Alert key={code} color="yellow" title={message} mt="sm">
            {hint}
          </Alert>
        ))}
        <ProblemList {...{ source, mended, chosenCode, onFilter, onAllow }} problems={current}>
          {violated > 0 && (
            <PlanViolations
              sourceId={source.sourceId}
              violations={violations}
              events={violated}
              onShow={rejectedByPlan ? () => onFilter({ code: PLAN_CODE }) : null}
            />
          )}
          <KeptEvents source={source} />
        </ProblemList>
      </div>
    </Paper>
  );
}

/** The status, and the counts of the last 24 hours. */
function HealthFigures({ health, groups, isFiltered }: HealthPanelProps) {
  const { status, lastBootstrapAt, lastEventAt, last24h } = health;
  const period = isFiltered ? "Matching requests, last 24 hours" : "Last 24 hours";
  return (
    <>
      <div className="health-state">
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
      <div className="health-figures">
        <h2 className="health-title">{period}</h2>
        <FactList
          facts={isFiltered ? filteredFacts(groups) : countFacts(last24h)}
          className="health-facts"
          label={period}
        />
      </div>
    </>
  );
}

interface NotListedProps extends Pick<HealthPanelProps, "isFiltered"> {
  readonly requests: number;
}

const NotListed = ({ requests, isFiltered }: NotListedProps) =>
  requests > 0 && (
    <Text size="sm" c="dimmed" mt="sm">
      At busy times, the list shows only a sample of requests. In the last 24 hours,{" "}
      {pluralize(requests, "request")} {requests === 1 ? "was" : "were"}{" "}
      {isFiltered ? "" : "counted above but "}not listed.
    </Text>
  );
