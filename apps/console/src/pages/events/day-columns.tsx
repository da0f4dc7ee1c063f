/** A small chart with a column for each day. */
import { Group, Text } from "../../ui/primitives/elements.tsx";

interface DayColumnsProps {
  /** The text of the chart for people who do not see it. */
  readonly label: string;
  /** The first day first. */
  readonly days: readonly { readonly day: string; readonly count: number }[];
  /** Says what a column counts. */
  readonly describe: (count: number) => string;
}

export function DayColumns({ label, days, describe }: DayColumnsProps) {
  const highest = Math.max(1, ...days.map(({ count }) => count));
  return (
    <>
      <div className="columns day-columns" role="img" aria-label={label}>
        {days.map(({ day, count }) => (
          <span key={day} title={`${day}: ${describe(count)}`}>
            <span style={{ height: `${(count / highest) * 100}%` }} />
          </span>
        ))}
      </div>
      <Group justify="space-between" aria-hidden>
        <Text size="sm" c="dimmed">
          {days[0]?.day}
        </Text>
        <Text size="sm" c="dimmed">
          {days.at(-1)?.day}
        </Text>
      </Group>
    </>
  );
}
