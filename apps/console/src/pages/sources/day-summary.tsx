/**
 * The last 24 hours of a source: events by hour, and a bar of the accepted, duplicate and rejected events and the refused
 * requests.
 */
import type { DebugData } from "@headwater/contract";
import { Text } from "@mantine/core";
import type { Static } from "typebox";
import { formatCount, pluralize } from "../../ui/format-count.ts";
import { HourChart } from "./hour-chart.tsx";

type Last24Hours = Static<typeof DebugData>["health"]["last24h"];

const SEGMENTS = [
  { name: "accepted", word: "accepted events", className: "part-accepted" },
  { name: "duplicates", word: "duplicate events", className: "part-duplicates" },
  { name: "rejected", word: "rejected events", className: "part-rejected" },
  { name: "failed", word: "refused requests", className: "part-failed" },
] as const satisfies readonly { name: keyof Last24Hours; word: string; className: string }[];

/** The legend of the bars. */
export const DayLegend = () => (
  <ul className="legend" aria-label="Legend">
    <li>In the last 24 hours:</li>
    {SEGMENTS.map(({ name, word, className }) => (
      <li key={name}>
        <span className={className} />
        {word}
      </li>
    ))}
  </ul>
);

export function DaySummary({ day, sourceId }: { readonly day: Last24Hours; readonly sourceId: string }) {
  const total = SEGMENTS.reduce((sum, { name }) => sum + day[name], 0);
  const shown = SEGMENTS.filter(({ name }) => day[name] > 0);
  const summary = shown.map(({ name, word }) => `${formatCount(day[name])} ${word}`).join(", ");
  if (total === 0)
    return (
      <Text size="sm" c="dimmed">
        No events
      </Text>
    );
  return (
    <div className="day">
      <div className="day-chart">
        {day.accepted > 0 && <HourChart sourceId={sourceId} />}
        <div className="bar" role="img" aria-label={summary} title={summary}>
          {shown.map(({ name, className }) => (
            <span key={name} className={className} style={{ flexGrow: day[name] }} />
          ))}
        </div>
      </div>
      <div>
        <Text size="sm">{pluralize(day.accepted, "event")}</Text>
        {day.failed > 0 && (
          <Text size="sm" c="dimmed">
            {formatCount(day.failed)} refused
          </Text>
        )}
      </div>
    </div>
  );
}
