/** The retention view: of the visitors first seen in a period, the share that returned in later periods. */
import { Group, Paper, Stack, Table, Text } from "@mantine/core";
import { type ApiAnswer, api } from "../../../api.ts";
import { formatCount } from "../../../ui/format-count.ts";
import { ScrollRegion } from "../../../ui/scroll-region.tsx";
import { Switcher } from "../../../ui/switcher.tsx";
import { EstimateMark } from "../estimate-mark.tsx";
import { formatRate } from "../format.ts";
import { NoData } from "../no-data.tsx";
import "./retention.css";
import { StatsResult } from "../stats-result.tsx";
import { useFastThenExact } from "../use-fast-then-exact.ts";
import type { StatsView } from "../use-stats-view.ts";
import { countDays, shiftDay, todayIn } from "../view-range.ts";
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
    label: "First visit",
    text: "first visit. Those who came before this range are left out.",
    empty: "No first visits in this period",
  },
  {
    value: "firstInRange",
    label: "First visit in the range",
    text: "first visit in this range.",
    empty: "No visitors in this period",
  },
] as const;
type CohortStart = (typeof COHORTS)[number];
const DAY_MS = 86_400_000;
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
      </Group>
      {/* cohorts of days are not kept under the headings of weeks */}
      <Cohorts key={`${period} ${cohort.value}`} view={view} period={period} cohort={cohort} />
    </Stack>
  );
}

interface CohortsProps {
  readonly view: StatsView;
  readonly period: RetentionPeriod;
  readonly cohort: CohortStart;
}

function Cohorts({ view, period, cohort }: CohortsProps) {
  const body = { ...view.scope, period, cohort: cohort.value };
  const query = useFastThenExact({
    queryKey: ["stats", "retention", body],
    ask: (accuracy, signal) => api.queryRetention({ body: { ...body, accuracy }, signal }),
  });
  return (
    <StatsResult query={query}>
      {(answer) => <CohortTable answer={answer} period={period} cohort={cohort} view={view} />}
    </StatsResult>
  );
}

interface CohortTableProps {
  readonly answer: ApiAnswer<"queryRetention">;
  readonly period: RetentionPeriod;
  readonly cohort: CohortStart;
  readonly view: StatsView;
}

/** A background that grows with the share, up to the table's largest, and stays weak enough for the text on it. */
const shade = (share: number, largest: number) => ({
  background: share === 0 ? "none" : `rgb(37 146 176 / ${(0.06 + (0.44 * share) / largest).toFixed(3)})`,
});

/** A table with as many columns may be wider than the window. */
const LONG = 7;
const classOf = (columns: number) => (columns > LONG ? "scroll fading fading-wide" : "scroll fading");

/** Marks a period that is not over. It takes no width, so that decimal points stand below each other. */
const OpenMark = () => <span className="retention-mark">*</span>;

function CohortTable({ answer: { cohorts, timezone, accuracy }, period, cohort, view }: CohortTableProps) {
  const [, lastDay] = view.range.days;
  const now = Date.now();
  const nonEmpty = cohorts.filter(({ visitors }) => visitors > 0);
  if (nonEmpty.length === 0)
    return (
      <NoData title={cohort.empty} view={view}>
        {`The table shows how many visitors of each ${period} came back in later ${period}s.`}
      </NoData>
    );
  const longest = Math.max(...nonEmpty.map(({ returned }) => returned.length));
  const largest = Math.max(
    ...nonEmpty.flatMap(({ visitors, returned }) => returned.slice(1).map((again) => again / visitors)),
  );
  const starts = cohorts.map(({ start }) => Date.parse(start));
  /** The index of the period that is not over; -1: the range ends earlier. */
  const current = starts.findLastIndex((start) => start <= now && start + PERIOD_MS[period] > now);
  const firstDays = starts.map((start) => todayIn(timezone, start));
  const nameOf = (at: number) => {
    const next = firstDays[at + 1];
    const days = [firstDays[at] ?? lastDay, next ? shiftDay(next, -1) : lastDay] as const;
    return formatPeriod(period, days, todayIn(timezone, now).slice(0, 4));
  };
  return (
    <Paper withBorder radius="lg">
      <ScrollRegion label="Retention by cohort" className={classOf(longest)}>
        <Table className="retention" horizontalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{cohort.label}</Table.Th>
              <Table.Th ta="right">
                Visitors
                <EstimateMark accuracy={accuracy} />
              </Table.Th>
              {Array.from({ length: longest - 1 }, (_, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: periods have no other identity than their position
                <Table.Th key={at} ta="right">
                  <span className="retention-after">
                    {period} {at + 1}
                  </span>
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {nonEmpty.map(({ start, visitors, returned }) => {
              const first = starts.indexOf(Date.parse(start));
              return (
                <Table.Tr key={start}>
                  <Table.Th scope="row">
                    {nameOf(first)}
                    {first === current && <OpenMark />}
                  </Table.Th>
                  <Table.Td ta="right">{formatCount(visitors)}</Table.Td>
                  {returned.slice(1).map((again, at) => {
                    const isAhead = (starts[first + at + 1] ?? 0) > now;
                    const isPartial = first + at + 1 === current;
                    return (
                      <Table.Td
                        key={starts[first + at + 1]}
                        ta="right"
                        title={`${formatCount(again)} of ${formatCount(visitors)}`}
                        style={shade(again / visitors, largest)}
                      >
                        {!isAhead && formatRate(again / visitors)}
                        {!isAhead && isPartial && <OpenMark />}
                      </Table.Td>
                    );
                  })}
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
      <Text size="sm" c="dimmed" p="sm">
        Visitors are grouped by the {period} of their {cohort.text}
        {current !== -1 && ` * The ${period} is not over.`}
      </Text>
    </Paper>
  );
}
