/** The metered usage of the workspace by day and by month, its quotas, and the same as CSV. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiAnswer, api } from "../../api.ts";
import { toCsv } from "../../csv.ts";
import { DAY_MS } from "../../time.ts";
import { downloadBlob } from "../../ui/download-blob.ts";
import { formatBytes, formatCount, formatWholePercent, pluralize } from "../../ui/format-count.ts";
import { Page } from "../../ui/page.tsx";
import { EmptyState, Loading, QueryResult } from "../../ui/page-states.tsx";
import { Button, Group, Paper, Stack, Text, Title } from "../../ui/primitives/elements.tsx";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { Switcher } from "../../ui/switcher.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { useSourceNames } from "./source-names.ts";
import { UsageChart } from "./usage-chart.tsx";
import { dayOf, dayRows, firstOfMonth, monthRows, sumByDay, sumByMonth } from "./usage-rows.ts";
import { DayTable, MonthTable, SourceTable } from "./usage-tables.tsx";
import "./usage.css";

const BY_MONTH = "months";
const THIS_MONTH = "month";
const RANGES = [
  { value: THIS_MONTH, label: "This month" },
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: BY_MONTH, label: "12 months" },
];

/** @returns the first day of the range */
function firstDayOf(range: string, now: number): string {
  if (range === THIS_MONTH) return firstOfMonth(dayOf(now), 0);
  return range === BY_MONTH ? firstOfMonth(dayOf(now), 11) : dayOf(now - (Number(range) - 1) * DAY_MS);
}

export const UsagePage = () => (
  <Page title="Usage" lead="What this workspace has stored, by UTC day and month, and its quotas.">
    <RequirePermission permission="usage:read">
      <Usage />
    </RequirePermission>
  </Page>
);

function Usage() {
  const { organizationId } = useWorkspace();
  const [range, setRange] = useState("30");
  const usage = useQuery({
    queryKey: ["usage", organizationId, range],
    queryFn: async ({ signal }) => {
      const now = Date.now();
      const query = { organizationId, from: firstDayOf(range, now), to: dayOf(now) };
      return { range, ...(await api.getUsage({ query, signal })) };
    },
    placeholderData: (before) => before,
  });
  const billing = useQuery({
    queryKey: ["billing", organizationId],
    queryFn: ({ signal }) => api.getBilling({ query: { organizationId }, signal }),
  });
  return (
    <QueryResult query={billing}>
      {(answer) => (
        <Stack>
          <QueryResult query={usage}>
            {(metered) => <TodaysUsage usage={metered} limits={answer.limits} />}
          </QueryResult>
          <div>
            <Switcher label="Range" options={RANGES} value={range} onChange={setRange} />
          </div>
          {usage.data && (
            <>
              <UsageFacts usage={usage.data} billing={answer} />
              <MeteredUsage
                usage={usage.data}
                limits={answer.limits}
                isByMonth={usage.data.range === BY_MONTH}
              />
            </>
          )}
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
    {
      name: "Bootstraps",
      value: formatCount(usage.bootstraps),
      hint: "First requests of clients: each opens or resumes a session",
    },
    { name: "Data received", value: formatBytes(usage.bytes) },
    {
      name: "Sources",
      value: `${formatCount(billing.usage.sources)} of ${formatCount(billing.limits.sources)}`,
    },
  ];
  return (
    <Paper p="lg" component="section" aria-label="Totals">
      <div className="usage-sums">
        {facts.map(({ name, value, hint }) => (
          <div key={name}>
            <Text size="sm" c="dimmed">
              {name}
            </Text>
            <Text size="xl" fw={650}>
              {value}
            </Text>
            {hint && (
              <Text size="sm" c="dimmed">
                {hint}
              </Text>
            )}
          </div>
        ))}
      </div>
    </Paper>
  );
}

interface TodaysUsageProps {
  readonly usage: ApiAnswer<"getUsage">;
  readonly limits: ApiAnswer<"getBilling">["limits"];
}

/** How much of the daily quotas is used up. */
function TodaysUsage({ usage, limits: { eventsPerDay, bytesPerDay } }: TodaysUsageProps) {
  const today = usage.days.filter(({ day }) => day === usage.to);
  const total = (name: "accepted" | "bytes") => today.reduce((sum, row) => sum + row[name], 0);
  const events = total("accepted");
  return (
    <Paper p="lg" component="section" aria-label="Today">
      <Stack>
        {eventsPerDay === null && bytesPerDay === null && (
          <Group justify="space-between">
            <Text fw={600}>Today (UTC): {pluralize(events, "event")}</Text>
            <Text c="dimmed">No daily limit</Text>
          </Group>
        )}
        {eventsPerDay !== null && (
          <QuotaBar used={events} quota={eventsPerDay} format={formatCount} unit=" events" />
        )}
        {bytesPerDay !== null && (
          <QuotaBar used={total("bytes")} quota={bytesPerDay} format={formatBytes} unit="" />
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
    <div className="bar usage-bar">
      {used > 0 && (
        <span
          style={{ width: `${Math.min(used / quota, 1) * 100}%` }}
          data-full={used >= quota || undefined}
        />
      )}
    </div>
  </div>
);

interface MeteredUsageProps extends TodaysUsageProps {
  readonly isByMonth: boolean;
}

function MeteredUsage({ usage, limits, isByMonth }: MeteredUsageProps) {
  const names = useSourceNames();
  const { eventsPerDay } = limits;
  // the rows would change their height when the names arrive
  if (names === null) return <Loading />;
  if (usage.days.length === 0) return <EmptyState title="No usage in this period" />;
  const save = () => {
    const rows = isByMonth ? monthRows(usage, eventsPerDay) : dayRows(usage, names);
    downloadBlob(new Blob([toCsv(rows)], { type: "text/csv" }), `usage-${usage.from}-${usage.to}.csv`);
  };
  return (
    <>
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
          label={`${formatCount(usage.accepted)} accepted events from ${usage.from} to ${usage.to}. The table below lists the numbers.`}
          sums={isByMonth ? sumByMonth(usage) : sumByDay(usage)}
          quota={isByMonth ? null : eventsPerDay}
        />
      </Paper>
      <SourceTable usage={usage} names={names} />
      {isByMonth ? (
        <MonthTable usage={usage} eventsPerDay={eventsPerDay} />
      ) : (
        <DayTable usage={usage} names={names} />
      )}
    </>
  );
}
