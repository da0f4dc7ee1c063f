/** The metered usage of the workspace by day and by month, its quotas, and the same as CSV. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ApiAnswer, api } from "../../api.ts";
import { toCsv } from "../../csv.ts";
import { downloadBlob } from "../../ui/download-blob.ts";
import { formatBytes, formatCount, formatWholePercent, pluralize } from "../../ui/format-count.ts";
import { Page } from "../../ui/page.tsx";
import { EmptyState, Loading, QueryResult } from "../../ui/page-states.tsx";
import { Button, Group, Paper, Stack, Text, Title } from "../../ui/primitives/elements.tsx";
import { useNow } from "../../ui/relative-time.tsx";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { formatDays } from "../stats/format.ts";
import { monthStart, todayIn } from "../stats/view-range.ts";
import { SearchField, useListFilters } from "./list-filters.tsx";
import { lastDays, type NamedRange, RangeDropdown, readRange } from "./range-dropdown.tsx";
import { useSourceNames } from "./source-names.ts";
import { UsageChart } from "./usage-chart.tsx";
import { dayRows, monthRows, searchUsage, sumByDay, sumByMonth, type WorkspaceUsage } from "./usage-rows.ts";
import { DayTable, MonthTable, SourceTable } from "./usage-tables.tsx";
import "./usage.css";

const DEFAULT_DAYS = 30;
const BY_MONTH = "12m";
const presetsOf = (today: string): NamedRange[] => [
  lastDays(today, 7),
  lastDays(today, DEFAULT_DAYS),
  lastDays(today, 90),
  { value: "month", label: "Month to date", days: [monthStart(today, 0), today] },
  { value: BY_MONTH, label: "Last 12 months", days: [monthStart(today, -11), today] },
];

export const UsagePage = () => (
  <Page title="Usage" lead="What this workspace has stored, by UTC day and month.">
    <RequirePermission permission="usage:read">
      <Usage />
    </RequirePermission>
  </Page>
);

/** The usage of the days, as it was before while that of other days is loading. */
function useUsage([from, to]: readonly [string, string], isByMonth: boolean) {
  const { organizationId } = useWorkspace();
  return useQuery({
    queryKey: ["usage", organizationId, from, to, isByMonth],
    queryFn: async ({ signal }) => ({
      isByMonth,
      ...(await api.getUsage({ query: { organizationId, from, to }, signal })),
    }),
    placeholderData: keepPreviousData,
  });
}

function Usage() {
  const { organizationId } = useWorkspace();
  const [{ search = "", range: given }, change] = useListFilters("/usage");
  const today = todayIn("UTC", useNow());
  const presets = presetsOf(today);
  const range = readRange(presets, given, lastDays(today, DEFAULT_DAYS));
  const usage = useUsage(range.days, range.preset?.value === BY_MONTH);
  const todays = useUsage([today, today], false);
  const billing = useQuery({
    queryKey: ["billing", organizationId],
    queryFn: ({ signal }) => api.getBilling({ query: { organizationId }, signal }),
  });
  return (
    <QueryResult query={billing}>
      {(answer) => (
        <Stack>
          <QueryResult query={todays} rows={1}>
            {(metered) => <TodaysUsage usage={metered} limits={answer.limits} />}
          </QueryResult>
          <div className="list-tools">
            <SearchField
              label="Search sources"
              placeholder="Search by source name or ID"
              value={search}
              onChange={(text) => change({ search: text })}
            />
            <RangeDropdown
              presets={presets}
              range={range}
              today={today}
              onChoose={(text) => change({ range: text })}
            />
          </div>
          <QueryResult query={usage}>
            {(metered) => <MeteredUsage {...{ search, today }} usage={metered} billing={answer} />}
          </QueryResult>
        </Stack>
      )}
    </QueryResult>
  );
}

interface UsageFactsProps {
  readonly usage: ApiAnswer<"getUsage">;
  readonly billing: ApiAnswer<"getBilling">;
}

/** The sums of the range. */
function UsageFacts({ usage, billing }: UsageFactsProps) {
  const facts = [
    { name: "Accepted events", value: formatCount(usage.accepted) },
    { name: "Data received", value: formatBytes(usage.bytes) },
    {
      name: "Sources",
      value: `${formatCount(billing.usage.sources)} of ${formatCount(billing.limits.sources)}`,
    },
  ];
  return (
    <Paper p="lg" component="section" aria-label="Totals">
      <div className="usage-sums">
        {facts.map(({ name, value }) => (
          <div key={name}>
            <Text size="sm" c="dimmed">
              {name}
            </Text>
            <Text size="xl" fw={650}>
              {value}
            </Text>
          </div>
        ))}
      </div>
      <Text size="sm" c="dimmed" mt="sm">
        Accepted events include non-interaction events, such as engagement and web vitals, which Stats does
        not count as events.
      </Text>
    </Paper>
  );
}

interface TodaysUsageProps {
  readonly usage: ApiAnswer<"getUsage">;
  readonly limits: ApiAnswer<"getBilling">["limits"];
}

/** How much of the daily quotas is used up; nothing without a quota. */
function TodaysUsage({ usage, limits: { eventsPerDay, bytesPerDay } }: TodaysUsageProps) {
  if (eventsPerDay === null && bytesPerDay === null) return null;
  return (
    <Paper p="lg" component="section" aria-label="Today">
      <Stack>
        {eventsPerDay !== null && (
          <QuotaBar used={usage.accepted} quota={eventsPerDay} format={formatCount} unit=" accepted events" />
        )}
        {bytesPerDay !== null && (
          <QuotaBar used={usage.bytes} quota={bytesPerDay} format={formatBytes} unit=" received" />
        )}
      </Stack>
    </Paper>
  );
}

interface QuotaBarProps {
  readonly used: number;
  readonly quota: number;
  readonly format: (amount: number) => string;
  readonly unit: string;
}

const QuotaBar = ({ used, quota, format, unit }: QuotaBarProps) => (
  <div>
    <Group justify="space-between" wrap="nowrap">
      <Text fw={600}>{`Today (UTC): ${format(used)} of ${format(quota)}${unit}`}</Text>
      <Text className="number">{formatWholePercent(used / quota)}</Text>
    </Group>
    <div className="usage-bar">
      {used > 0 && (
        <span
          style={{ width: `${Math.min(used / quota, 1) * 100}%` }}
          data-full={used >= quota || undefined}
        />
      )}
    </div>
  </div>
);

interface MeteredUsageProps {
  readonly usage: WorkspaceUsage & { readonly isByMonth: boolean };
  readonly billing: ApiAnswer<"getBilling">;
  /** Text that the name or the id of a source contains. */
  readonly search: string;
  readonly today: string;
}

function MeteredUsage({ usage: { isByMonth, ...whole }, billing, search, today }: MeteredUsageProps) {
  const names = useSourceNames();
  const { eventsPerDay } = billing.limits;
  // the rows would change their height when the names arrive
  if (names === null) return <Loading />;
  if (whole.days.length === 0)
    return (
      <EmptyState title="No usage in this range">
        No source received events on these days. Choose another range.
      </EmptyState>
    );
  const usage = searchUsage(whole, names, search);
  if (usage.days.length === 0)
    return (
      <EmptyState title={`No source with usage in this range matches “${search}”`}>
        Change the search or the range.
      </EmptyState>
    );
  // quotas are those of the workspace, not of the sources that were searched for
  const quota = search === "" ? eventsPerDay : null;
  const save = () => {
    const rows = isByMonth ? monthRows(usage, quota) : dayRows(usage, names);
    downloadBlob(new Blob([toCsv(rows)], { type: "text/csv" }), `usage-${usage.from}-${usage.to}.csv`);
  };
  return (
    <>
      <UsageFacts usage={usage} billing={billing} />
      <Paper p="lg">
        <Group justify="space-between" gap="xs" wrap="nowrap" mb="sm">
          <Title order={2} size="h5">
            Accepted events by {isByMonth ? "month" : "day"}
          </Title>
          <Button variant="default" size="xs" onClick={save}>
            Download CSV
          </Button>
        </Group>
        <UsageChart
          label={`${pluralize(usage.accepted, "accepted event")}, ${formatDays([usage.from, usage.to])}. The table below lists the numbers.`}
          sums={isByMonth ? sumByMonth(usage) : sumByDay(usage)}
          today={today}
          quota={isByMonth ? null : quota}
        />
      </Paper>
      <SourceTable usage={usage} names={names} />
      {isByMonth ? (
        <MonthTable usage={usage} eventsPerDay={quota} />
      ) : (
        // a single row is that of the sources
        usage.days.length > 1 && <DayTable usage={usage} names={names} />
      )}
    </>
  );
}
