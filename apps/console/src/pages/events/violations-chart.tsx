/** The accepted events of the last 30 days that violated the plan, by day. Renders nothing without a warehouse or violations. */
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { browserTimeZone } from "../../time.ts";
import { formatCount, pluralize } from "../../ui/format-count.ts";
import { Stack, Text } from "../../ui/primitives/elements.tsx";
import { DayColumns } from "./day-columns.tsx";

export function ViolationsChart({ sourceId }: { readonly sourceId: string }) {
  const { data } = useQuery({
    queryKey: ["stats", "violations", sourceId],
    queryFn: ({ signal }) =>
      api.queryStats({
        body: {
          sourceId,
          dateRange: "30d",
          timezone: browserTimeZone(),
          metrics: ["planViolations"],
          dimensions: ["time:day"],
          include: { bots: true, excluded: false },
        },
        signal,
      }),
  });
  const days = (data?.results ?? []).map(({ dimensions: [start], metrics: [count] }) => ({
    // of the answer's own zone
    day: String(start).slice(0, 10),
    count: count ?? 0,
  }));
  const total = days.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return null;
  const label = `In the last 30 days, ${pluralize(total, "accepted event")} violated the plan`;
  return (
    <Stack gap="xs">
      <Text size="sm">{label}.</Text>
      <DayColumns label={`${label}, by day`} days={days} describe={formatCount} />
    </Stack>
  );
}
