/** A small chart with a column for each day. */
import { Group, Text } from "../../ui/primitives/elements.tsx";
import { formatDays, formatShort } from "../stats/format.ts";

/** So many columns have room for their value and their day, on a phone too. */
const MAX_NAMED = 7;
const nameOf = (day: string) => formatDays([day, day], "short");

interface DayColumnsProps {
  /** The text of the chart for people who do not see it. */
  readonly label: string;
  /** The first day first. */
  readonly days: readonly { readonly day: string; readonly count: number }[];
  /** Says what a column counts. */
  readonly describe: (count: number) => string;
}

export function DayColumns({ label, days, describe }: DayColumnsProps) {
  const [first, last] = [days[0], days.at(-1)];
  const highest = Math.max(1, ...days.map(({ count }) => count));
  const peak = days.find(({ count }) => count === highest);
  const isNamed = days.length <= MAX_NAMED;
  return (
    <>
      <div className="columns day-columns" role="img" aria-label={label}>
        {days.map(({ day, count }) => (
          <div key={day} title={`${nameOf(day)}: ${describe(count)}`}>
            {isNamed && <b>{formatShort("events", count)}</b>}
            <i style={{ height: `${(count / highest) * 100}%` }} />
          </div>
        ))}
      </div>
      {isNamed ? (
        <div className="day-names" aria-hidden>
          {days.map(({ day }) => (
            <span key={day}>{nameOf(day)}</span>
          ))}
        </div>
      ) : (
        <Group justify="space-between" gap="xs" aria-hidden>
          {[
            first && nameOf(first.day),
            peak && `Most: ${describe(peak.count)} on ${nameOf(peak.day)}`,
            last && nameOf(last.day),
          ].map((text) => (
            <Text key={text} size="sm" c="dimmed">
              {text}
            </Text>
          ))}
        </Group>
      )}
    </>
  );
}
