/** Accepted events and bootstraps by source and day. */

import { Button, Group, Paper, SegmentedControl, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiAnswer, api } from "../../api.ts";
import { toCsv } from "../../csv.ts";
import { downloadBlob } from "../../ui/download-blob.ts";
import { formatBytes, formatCount } from "../../ui/format-count.ts";
import { Page } from "../../ui/page.tsx";
import { EmptyState, QueryResult } from "../../ui/page-states.tsx";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

const DAY_MS = 86_400_000;
const RANGES = [
  { value: "7", label: "Last 7 days" },
  { value: "30", label: "Last 30 days" },
  { value: "90", label: "Last 90 days" },
];

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

export const UsagePage = () => (
  <Page title="Usage" lead="Accepted events and bootstraps per day, in UTC.">
    <RequirePermission permission="usage:read">
      <Usage />
    </RequirePermission>
  </Page>
);

function Usage() {
  const { organizationId } = useWorkspace();
  const [days, setDays] = useState("30");
  const usage = useQuery({
    queryKey: ["usage", organizationId, days],
    queryFn: ({ signal }) => {
      const now = Date.now();
      const from = dayOf(now - (Number(days) - 1) * DAY_MS);
      return api.getUsage({ query: { organizationId, from, to: dayOf(now) }, signal });
    },
    placeholderData: (before) => before,
  });
  const billing = useQuery({
    queryKey: ["billing", organizationId],
    queryFn: ({ signal }) => api.getBilling({ query: { organizationId }, signal }),
  });
  const sources = useQuery({
    queryKey: ["sources", organizationId, "names"],
    queryFn: ({ signal }) => api.listSources({ query: { organizationId }, signal }),
  });
  const names = new Map(sources.data?.sources.map(({ sourceId, name }) => [sourceId, name]));
  return (
    <Stack gap="lg">
      <QueryResult query={billing} rows={1}>
        {(answer) => <BillingPeriod billing={answer} />}
      </QueryResult>
      <Group>
        <SegmentedControl aria-label="Range" data={RANGES} value={days} onChange={setDays} />
      </Group>
      <QueryResult query={usage}>
        {(answer) => (
          <>
            {billing.data && <TodaysQuota usage={answer} limits={billing.data.limits} />}
            <DailyUsage usage={answer} names={names} />
          </>
        )}
      </QueryResult>
    </Stack>
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
        {period.from} to {period.to} · Self-hosted · {describeQuota(limits)}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, sm: 4 }}>
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
  return <Text size="sm">Today’s quota: {parts.join(" · ")}</Text>;
}

/** The metered usage as a file, a row for each source and day. */
function saveUsage({ from, to, days }: ApiAnswer<"getUsage">, names: ReadonlyMap<string, string>): void {
  const rows = days.map(({ day, sourceId, accepted, bootstraps, bytes }) => [
    day,
    sourceId,
    names.get(sourceId) ?? "",
    accepted,
    bootstraps,
    bytes,
  ]);
  const heading = ["Day", "Source id", "Source", "Accepted events", "Bootstraps", "Bytes"];
  downloadBlob(new Blob([toCsv([heading, ...rows])], { type: "text/csv" }), `usage-${from}-${to}.csv`);
}

/** The accepted events of every day of the range, with 0 for days without any. */
function dailyTotals({ from, to, days }: ApiAnswer<"getUsage">): { day: string; accepted: number }[] {
  const byDay = new Map<string, number>();
  for (const { day, accepted } of days) byDay.set(day, (byDay.get(day) ?? 0) + accepted);
  const length = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length }, (_, index) => {
    const day = dayOf(Date.parse(from) + index * DAY_MS);
    return { day, accepted: byDay.get(day) ?? 0 };
  });
}

interface DailyUsageProps {
  readonly usage: ApiAnswer<"getUsage">;
  /** Names by source id; deleted sources are missing. */
  readonly names: ReadonlyMap<string, string>;
}

function DailyUsage({ usage, names }: DailyUsageProps) {
  if (usage.days.length === 0) return <EmptyState title="No usage in this period" />;
  const totals = dailyTotals(usage);
  const highest = Math.max(...totals.map(({ accepted }) => accepted), 1);
  return (
    <Stack>
      <Paper withBorder p="lg">
        <Group justify="space-between" mb="sm">
          <Title order={2} size="h5">
            Accepted events: {formatCount(usage.accepted)}
          </Title>
          <Button variant="default" size="xs" onClick={() => saveUsage(usage, names)}>
            Download CSV
          </Button>
        </Group>
        <div
          className="columns"
          role="img"
          aria-label={`${formatCount(usage.accepted)} accepted events from ${usage.from} to ${usage.to}. The table below lists the numbers.`}
        >
          {totals.map(({ day, accepted }) => (
            <span key={day} title={`${day}: ${formatCount(accepted)}`}>
              <span style={{ height: `${(accepted / highest) * 100}%` }} />
            </span>
          ))}
        </div>
        <Group justify="space-between">
          <Text size="xs" c="dimmed">
            {usage.from}
          </Text>
          <Text size="xs" c="dimmed">
            {usage.to}
          </Text>
        </Group>
      </Paper>
      <Paper withBorder>
        <ScrollRegion label="Usage by source and day">
          <Table horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Day</Table.Th>
                <Table.Th>Source</Table.Th>
                <Table.Th ta="right">Accepted</Table.Th>
                <Table.Th ta="right">Bootstraps</Table.Th>
                <Table.Th ta="right">Received</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {usage.days.map(({ day, sourceId, accepted, bootstraps, bytes }) => (
                <Table.Tr key={`${day} ${sourceId}`}>
                  <Table.Td>{day}</Table.Td>
                  <Table.Td className="wrap">{names.get(sourceId) ?? <code>{sourceId}</code>}</Table.Td>
                  <Table.Td ta="right">{formatCount(accepted)}</Table.Td>
                  <Table.Td ta="right">{formatCount(bootstraps)}</Table.Td>
                  <Table.Td ta="right">{formatBytes(bytes)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollRegion>
      </Paper>
    </Stack>
  );
}
