/** The events of the last 24 hours by hour, from the warehouse. Renders nothing without a warehouse or without events. */
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { formatCount, pluralize } from "../../ui/format-count.ts";
import { ALL_EVENTS, sumOfEvents } from "../stats/sum-of-events.ts";

const HOUR_MS = 3_600_000;
const HOURS = 24;

/** The current hour and the 23 before it. */
function lastHours(): [from: string, to: string] {
  const end = (Math.floor(Date.now() / HOUR_MS) + 1) * HOUR_MS;
  return [new Date(end - HOURS * HOUR_MS).toISOString(), new Date(end).toISOString()];
}

export function HourChart({ sourceId }: { readonly sourceId: string }) {
  const dateRange = lastHours();
  const { data, isPending } = useQuery({
    queryKey: ["stats", "hours", sourceId, dateRange],
    queryFn: ({ signal }) =>
      api.queryStats({
        body: { sourceId, dateRange, metrics: [...ALL_EVENTS], dimensions: ["time:hour"] },
        signal,
      }),
  });
  const hours = data?.results.map((row) => ({
    start: String(row.dimensions[0]),
    events: sumOfEvents(row),
  }));
  const highest = Math.max(...(hours?.map(({ events }) => events) ?? []), 0);
  // the space of the chart while it loads, so that the bar below it does not move
  if (isPending) return <div className="hours" />;
  if (!hours || highest === 0) return null;
  const total = hours.reduce((sum, { events }) => sum + events, 0);
  return (
    <div className="columns hours" role="img" aria-label={`${pluralize(total, "event")} by hour`}>
      {hours.map(({ start, events }) => (
        <span key={start} title={`${new Date(start).toLocaleTimeString("en")}: ${formatCount(events)}`}>
          <span style={{ height: `${(events / highest) * 100}%` }} />
        </span>
      ))}
    </div>
  );
}
