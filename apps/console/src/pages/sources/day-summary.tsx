/** What became of the last day's events and attempts, as one bar; above it, when. */
import type { DebugData } from "@headwater/contract";
import { Text } from "@mantine/core";
import type { Static } from "typebox";
import { formatCount, pluralize } from "../../ui/format-count.ts";
import { HourChart } from "./hour-chart.tsx";

type Day = Static<typeof DebugData>["health"]["last24h"];

const PARTS = [
  { name: "accepted", word: "accepted", className: "part-accepted" },
  { name: "duplicates", word: "duplicate", className: "part-duplicates" },
  { name: "rejected", word: "rejected", className: "part-rejected" },
  { name: "failed", word: "refused", className: "part-failed" },
] as const satisfies readonly { name: keyof Day; word: string; className: string }[];

export function DaySummary({ day, sourceId }: { readonly day: Day; readonly sourceId: string }) {
  const total = PARTS.reduce((sum, { name }) => sum + day[name], 0);
  const shown = PARTS.filter(({ name }) => day[name] > 0);
  const told = shown.map(({ name, word }) => `${formatCount(day[name])} ${word}`).join(", ");
  return (
    <div className="day-bar">
      <Text size="sm" c="dimmed">
        Last 24 hours
      </Text>
      {day.accepted > 0 && <HourChart sourceId={sourceId} />}
      <div className="bar" role="img" aria-label={total === 0 ? "nothing came" : told} title={told}>
        {shown.map(({ name, className }) => (
          <span key={name} className={className} style={{ flexGrow: day[name] }} />
        ))}
      </div>
      <Text size="xs">
        {total === 0
          ? "nothing came"
          : `${pluralize(day.accepted, "event")}${day.failed > 0 ? `, ${formatCount(day.failed)} refused` : ""}`}
      </Text>
    </div>
  );
}
