/** The retention view: of the visitors first seen in a period, the share that returned in later periods. */
import type { CSSProperties } from "react";
import { type ApiAnswer, api } from "../../../api.ts";
import { DAY_MS } from "../../../time.ts";
import { formatCount } from "../../../ui/format-count.ts";
import { Group, Paper, Stack, Table, Text } from "../../../ui/primitives/elements.tsx";
import { ScrollRegion } from "../../../ui/scroll-region.tsx";
import { Switcher } from "../../../ui/switcher.tsx";
import { EstimateMark } from "../estimate-mark.tsx";
import { formatRate } from "../format.ts";
import { NoData } from "../no-data.tsx";
import "./retention.css";
import "../fading.css";
import { StatsResult } from "../stats-result.tsx";
import { useFastThenExact } from "../use-fast-then-exact.ts";
import type { StatsView } from "../use-stats-view.ts";
import { countDays, shiftDay, todayIn } from "../view-range.ts";
import {
  type RetentionGoalSteps,
  RetentionGoals,
  readRetentionGoals,
  toGoalMembers,
} from "./retention-goals.tsx";
import { formatPeriod, type RetentionPeriod } from "./retention-period.ts";

/** `maxDays`: the API answers at most 120 periods. */
const PERIODS = [
  { value: "day", label: "By day", maxDays: 120 },
  { value: "week", label: "By week", maxDays: 119 * 7 },
  { value: "month", label: "By month", maxDays: 119 * 30 },
] as const;
/** The two kinds of visit that a cohort may begin with. `text` follows "Visitors are grouped by the week of their". */
const COHORTS = [
  {
    value: "firstVisit",
    label: "New visitors",
    text: "first visit. Visitors who came before this range are left out.",
    empty: "No first visits in this range",
  },
  {
    value: "firstInRange",
    label: "All visitors",
    text: "first visit in this range.",
    empty: "No visitors in this range",
  },
] as const;
type CohortStart = (typeof COHORTS)[number];
const PERIOD_MS: Readonly<Record<RetentionPeriod, number>> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 31 * DAY_MS,
};

export function RetentionView({ view }: { readonly view: StatsView }) {
  const length = countDays(view.range.days);
  const options = PERIODS.filter(({ maxDays }) => length <= maxDays);
  const fallback = options.find(({ value }) => value === "week")?.value ?? "month";
  const period: RetentionPeriod = options.find(({ value }) => value === view.params.by)?.value ?? fallback;
  const cohort = COHORTS.find(({ value }) => value === view.params.cohort) ?? COHORTS[0];
  const goals = readRetentionGoals(view.params);
  return (
    <Stack gap="md" className="stats">
      <Group gap="xs">
        <Switcher
          label="Period"
          options={options}
          value={period}
          onChange={(by) => view.update({ by: by === "week" ? undefined : by })}
        />
        <Switcher
          label="Cohorts by"
          options={COHORTS}
          value={cohort.value}
          onChange={(value) => view.update({ cohort: value === "firstVisit" ? undefined : value })}
        />
        <RetentionGoals view={view} />
      </Group>
      {/* cohorts of days are not kept under the headings of weeks */}
      <Cohorts
        key={JSON.stringify([period, cohort.value, goals])}
        view={view}
        period={period}
        cohort={cohort}
        goals={goals}
      />
    </Stack>
  );
}

interface CohortsProps {
  readonly view: StatsView;
  readonly period: RetentionPeriod;
  readonly cohort: CohortStart;
  readonly goals: RetentionGoalSteps;
}

function Cohorts({ view, period, cohort, goals }: CohortsProps) {
  const body = { ...view.scope, period, cohort: cohort.value, ...toGoalMembers(goals) };
  const query = useFastThenExact({
    queryKey: ["stats", "retention", body],
    ask: (accuracy, signal) => api.queryRetention({ body: { ...body, accuracy }, signal }),
  });
  return (
    <StatsResult query={query}>
      {(answer) => <CohortTable answer={answer} period={period} cohort={cohort} goals={goals} view={view} />}
    </StatsResult>
  );
}

interface CohortTableProps {
  readonly answer: ApiAnswer<"queryRetention">;
  readonly period: RetentionPeriod;
  readonly cohort: CohortStart;
  readonly goals: RetentionGoalSteps;
  readonly view: StatsView;
}

type Cohort = ApiAnswer<"queryRetention">["cohorts"][number];

/**
 * The share of all visitors who came back so many periods later. A cohort counts as far as its periods are over.
 * @returns null when no cohort has got so far
 */
function averageAfter(
  cohorts: readonly Cohort[],
  later: number,
  isOver: (at: number) => boolean,
): number | null {
  const counted = cohorts.filter(({ visitors }, at) => visitors > 0 && isOver(at + later));
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  const visitors = sum(counted.map((one) => one.visitors));
  return visitors === 0 ? null : sum(counted.map(({ returned }) => returned[later] ?? 0)) / visitors;
}

/** The visitors of a cohort on average, of the periods that are over. @returns null when none is over */
function averageSize(cohorts: readonly Cohort[], isOver: (at: number) => boolean): number | null {
  const counted = cohorts.filter(({ visitors }, at) => visitors > 0 && isOver(at));
  return counted.length === 0
    ? null
    : counted.reduce((sum, { visitors }) => sum + visitors, 0) / counted.length;
}

/** A background that grows with the share, up to the table's largest, and stays weak enough for the text on it. */
const shade = (share: number, largest: number) => ({
  background: share === 0 ? "none" : `rgb(37 146 176 / ${(0.06 + (0.44 * share) / largest).toFixed(3)})`,
});

function CohortTable({
  answer: { cohorts, timezone, accuracy },
  period,
  cohort,
  goals,
  view,
}: CohortTableProps) {
  const [, lastDay] = view.range.days;
  const now = Date.now();
  const nonEmpty = cohorts.filter(({ visitors }) => visitors > 0);
  if (nonEmpty.length === 0)
    return (
      <NoData
        title={
          goals.first
            ? `No ${cohort.value === "firstVisit" ? "first " : ""}“${goals.first.text}” in this range`
            : cohort.empty
        }
        view={view}
      >
        {`The table shows how many of each ${period}’s visitors came back ${period === "day" ? "on" : "in"} later ${period}s.`}
      </NoData>
    );
  const largest = Math.max(
    ...nonEmpty.flatMap(({ visitors, returned }) => returned.slice(1).map((again) => again / visitors)),
  );
  const starts = cohorts.map(({ start }) => Date.parse(start));
  /** The index of the period that is not over; -1: the range ends earlier. */
  const current = starts.findLastIndex((start) => start <= now && start + PERIOD_MS[period] > now);
  const isOver = (at: number) => at < starts.length && at !== current && (starts[at] ?? now) <= now;
  const size = averageSize(cohorts, isOver);
  const longest = Math.max(...nonEmpty.map(({ returned }) => returned.length - 1));
  const averages = Array.from({ length: longest }, (_, at) => averageAfter(cohorts, at + 1, isOver));
  // a column of unfinished periods says nothing yet, unless it is the only one
  const columns = Math.max(averages.findLastIndex((share) => share !== null) + 1, Math.min(longest, 1));
  const firstDays = starts.map((start) => todayIn(timezone, start));
  const nameOf = (at: number) => {
    const next = firstDays[at + 1];
    const days = [firstDays[at] ?? lastDay, next ? shiftDay(next, -1) : lastDay] as const;
    return formatPeriod(period, days, todayIn(timezone, now).slice(0, 4));
  };
  return (
    <Paper style={{ "--columns": columns } as CSSProperties}>
      <ScrollRegion label="Retention by cohort" className="scroll fading retention-scroll">
        <Table className="retention">
          <thead>
            <tr>
              <th>{goals.first ? <bdi>{goals.first.text}</bdi> : "First visit"}</th>
              <th className="end">
                Visitors
                <EstimateMark accuracy={accuracy} />
              </th>
              {Array.from({ length: columns }, (_, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: periods have no other identity than their position
                <th className="end" key={at}>
                  <span className="retention-after">
                    {period} {at + 1}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr className="retention-average">
              <th scope="row">Average</th>
              <td className="end">{size === null ? "—" : formatCount(Math.round(size))}</td>
              {averages.slice(0, columns).map((share, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: periods have no other identity than their position
                <td className="end" key={at} style={shade(share ?? 0, largest)}>
                  {share === null ? "—" : formatRate(share)}
                </td>
              ))}
            </tr>
            {nonEmpty.map(({ start, visitors, returned }) => {
              const first = starts.indexOf(Date.parse(start));
              return (
                <tr key={start}>
                  <th scope="row" className={first === current ? "retention-open" : undefined}>
                    {nameOf(first)}
                  </th>
                  <td className={first === current ? "end retention-open" : "end"}>
                    {formatCount(visitors)}
                  </td>
                  {returned.slice(1, columns + 1).map((again, at) => {
                    const isAhead = (starts[first + at + 1] ?? 0) > now;
                    const isPartial = first + at + 1 === current;
                    return (
                      <td
                        className={isPartial ? "end retention-open" : "end"}
                        key={starts[first + at + 1]}
                        title={`${formatCount(again)} of ${formatCount(visitors)}`}
                        style={isPartial ? undefined : shade(again / visitors, largest)}
                      >
                        {!isAhead && !(isPartial && again === 0) && formatRate(again / visitors)}
                      </td>
                    );
                  })}
                </tr>
              );
            })}
          </tbody>
        </Table>
      </ScrollRegion>
      <Text size="sm" c="dimmed" p="sm">
        Visitors are grouped by the {period} of their {goals.first ? "first " : ""}
        {goals.first ? <bdi>“{goals.first.text}”</bdi> : cohort.text}
        {goals.first && (cohort.value === "firstInRange" ? " in this range." : ".")}
        {goals.again && (
          <>
            {" "}
            A later <bdi>“{goals.again.text}”</bdi> counts as a return.
          </>
        )}{" "}
        Averages leave out unfinished {period}s.
        {current !== -1 && ` Grey figures are for the unfinished ${period}.`}
      </Text>
    </Paper>
  );
}
