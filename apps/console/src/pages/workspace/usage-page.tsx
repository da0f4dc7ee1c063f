/** The metered usage of the workspace by day and by month, its quotas, and the same as CSV. */
import { Button, Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiAnswer, api } from "../../api.ts";
import { toCsv } from "../../csv.ts";
import { downloadBlob } from "../../ui/download-blob.ts";
import { formatBytes, formatCount } from "../../ui/format-count.ts";
import { Page } from "../../ui/page.tsx";
import { EmptyState, Loading, QueryResult } from "../../ui/page-states.tsx";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { Switcher } from "../../ui/switcher.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { useSourceNames } from "./source-names.ts";
import { UsageChart } from "./usage-chart.tsx";
import { dayOf, dayRows, firstOfMonth, formatPeriod, monthRows, sumByDay, sumByMonth } from "./usage-rows.ts";
import { DayTable, MonthTable } from "./usage-tables.tsx";

const DAY_MS = 86_400_000;
const BY_MONTH = "months";
const RANGES = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: BY_MONTH, label: "12 months" },
];

/** @returns the first day of the range */
function firstDayOf(range: string, now: number): string {
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
        <Stack gap="lg">
          <BillingPeriod billing={answer} />
          <div>
            <Switcher label="Range" options={RANGES} value={range} onChange={setRange} />
          </div>
          <QueryResult query={usage}>
            {(metered) => (
              <MeteredUsage usage={metered} limits={answer.limits} isByMonth={metered.range === BY_MONTH} />
            )}
          </QueryResult>
        </Stack>
      )}
    </QueryResult>
  );
}

/** What the workspace can store in a day. */
function describeQuota({ eventsPerDay, bytesPerDay }: ApiAnswer<"getBilling">["limits"]): string {
  const parts = [
    eventsPerDay !== null && `${formatCount(eventsPerDay)} events`,
    bytesPerDay !== null && formatBytes(bytesPerDay),
  ].filter((part) => part !== false);
  return parts.length === 0 ? "No daily limit" : `Up to ${parts.join(" and ")} per day`;
}

function BillingPeriod({ billing }: { readonly billing: ApiAnswer<"getBilling"> }) {
  const { period, usage, limits } = billing;
  const facts = [
    ["Accepted events", formatCount(usage.accepted)],
    ["Bootstraps", formatCount(usage.bootstraps)],
    ["Received", formatBytes(usage.bytes)],
    ["Sources", `${formatCount(usage.sources)} of ${formatCount(limits.sources)}`],
  ] as const;
  return (
    <Paper withBorder p="lg" component="section" aria-label="Current period">
      <Text size="sm" c="dimmed" mb="sm">
        {formatPeriod(period.from.slice(0, 7))} · Self-hosted · {describeQuota(limits)}
      </Text>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <Text size="sm" c="dimmed">
              {name}
            </Text>
            <Text size="xl" fw={650}>
              {value}
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </Paper>
  );
}

interface TodaysQuotaProps {
  readonly usage: ApiAnswer<"getUsage">;
  readonly limits: ApiAnswer<"getBilling">["limits"];
}

/** How much of the daily quotas of the workspace is used up. */
function TodaysQuota({ usage, limits }: TodaysQuotaProps) {
  const today = usage.days.filter(({ day }) => day === usage.to);
  const total = (name: "accepted" | "bytes") => today.reduce((sum, row) => sum + row[name], 0);
  const shareOf = (used: number, quota: number) => `${Math.floor((used / quota) * 100)} %`;
  const { eventsPerDay, bytesPerDay } = limits;
  const parts = [
    eventsPerDay !== null &&
      `${formatCount(total("accepted"))} of ${formatCount(eventsPerDay)} events (${shareOf(total("accepted"), eventsPerDay)})`,
    bytesPerDay !== null &&
      `${formatBytes(total("bytes"))} of ${formatBytes(bytesPerDay)} (${shareOf(total("bytes"), bytesPerDay)})`,
  ].filter((part) => part !== false);
  if (parts.length === 0) return null;
  return (
    <Text size="sm" c="dimmed">
      Today’s quota: {parts.join(" · ")}
    </Text>
  );
}

interface MeteredUsageProps extends TodaysQuotaProps {
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
    <Stack>
      <Paper withBorder p="lg">
        <Group justify="space-between" mb="sm">
          <div>
            <Title order={2} size="h5">
              Accepted events: {formatCount(usage.accepted)}
            </Title>
            <TodaysQuota usage={usage} limits={limits} />
          </div>
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
      {isByMonth ? (
        <MonthTable usage={usage} eventsPerDay={eventsPerDay} />
      ) : (
        <DayTable usage={usage} names={names} />
      )}
    </Stack>
  );
}
