/** A small chart with a column for each day. */
import { Group, Text } from "../../ui/primitives/elements.tsx";
import { formatDays } from "../stats/format.ts";

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
  return (
    <>
      <div className="columns day-columns" role="img" aria-label={label}>
        {days.map(({ day, count }) => (
          <span key={day} title={`${formatDays([day, day], "short")}: ${describe(count)}`}>
            <span style={{ height: `${(count / highest) * 100}%` }} />
          </span>
        ))}
      </div>
      <Group justify="space-between" aria-hidden>
        <Text size="sm" c="dimmed">
          {first && formatDays([first.day, first.day], "short")}
        </Text>
        <Text size="sm" c="dimmed">
          {last && formatDays([last.day, last.day], "short")}
        </Text>
      </Group>
    </>
  );
}
