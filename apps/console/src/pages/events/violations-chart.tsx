/** The accepted events of the last 30 days that violated the plan, by day. Renders nothing without a warehouse or violations. */
import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { formatCount, pluralize } from "../../ui/format-count.ts";

const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const formatDay = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: timezone });

export function ViolationsChart({ sourceId }: { readonly sourceId: string }) {
  const { data } = useQuery({
    queryKey: ["stats", "violations", sourceId],
    queryFn: ({ signal }) =>
      api.queryStats({
        body: {
          sourceId,
          dateRange: "30d",
          timezone,
          metrics: ["planViolations"],
          dimensions: ["time:day"],
          include: { bots: true, excluded: false },
        },
        signal,
      }),
  });
  const days = (data?.results ?? []).map(({ dimensions: [start], metrics: [violations] }) => ({
    day: formatDay.format(new Date(String(start))),
    violations: violations ?? 0,
  }));
  const total = days.reduce((sum, { violations }) => sum + violations, 0);
  if (total === 0) return null;
  const highest = Math.max(...days.map(({ violations }) => violations));
  const label = `${pluralize(total, "accepted event")} violated the plan in the last 30 days`;
  return (
    <Stack gap="xs">
      <Text size="sm">{label}.</Text>
      <div className="columns violations" role="img" aria-label={`${label}, by day`}>
        {days.map(({ day, violations }) => (
          <span key={day} title={`${day}: ${formatCount(violations)}`}>
            <span style={{ height: `${(violations / highest) * 100}%` }} />
          </span>
        ))}
      </div>
      <Group justify="space-between" aria-hidden>
        <Text size="xs" c="dimmed">
          {days[0]?.day}
        </Text>
        <Text size="xs" c="dimmed">
          {days.at(-1)?.day}
        </Text>
      </Group>
    </Stack>
  );
}
