/** A month of a calendar, as a grid of its days. */
import type { KeyboardEvent } from "react";
import { dateFormat, firstWeekday } from "../../../own-format.ts";
import { weeksOf } from "./calendar-days.ts";

/** The days of a week, as this person orders them. January 1, 2024 was a Monday. */
const daysOfWeek = () =>
  Array.from({ length: 7 }, (_, at) => new Date(Date.UTC(2024, 0, firstWeekday() + at)));

const formatter = (options: Intl.DateTimeFormatOptions) => {
  const format = dateFormat({ ...options, timeZone: "UTC" });
  return (day: string | Date) => format().format(new Date(day));
};
const formatMonth = formatter({ month: "long", year: "numeric" });
const formatFullDay = formatter({ dateStyle: "full" });
const formatWeekday = formatter({ weekday: "long" });
const formatInitial = formatter({ weekday: "narrow" });

interface CalendarMonthProps {
  /** Its first day. */
  readonly month: string;
  /** The chosen days. */
  readonly days: readonly [first: string, last: string];
  /** The day that the Tab key reaches. */
  readonly focused: string;
  /** The last day that can be chosen. */
  readonly today: string;
  readonly onChoose: (day: string) => void;
  readonly onPoint: (day: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

export const CalendarMonth = ({ month, days, onKeyDown, ...others }: CalendarMonthProps) => (
  // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its days are chosen
  <table role="grid" aria-label={formatMonth(month)} onKeyDown={onKeyDown}>
    <caption>{formatMonth(month)}</caption>
    <thead>
      <tr>
        {daysOfWeek().map((day) => (
          <th key={day.getTime()} scope="col" abbr={formatWeekday(day)}>
            {formatInitial(day)}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {weeksOf(month).map((week, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the weeks of a month have fixed places
        <tr key={row}>
          {week.map((day, column) => (
            // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a cell of a grid can be selected
            <td
              // biome-ignore lint/suspicious/noArrayIndexKey: the days of a week have fixed places
              key={column}
              aria-selected={day === null ? undefined : day >= days[0] && day <= days[1]}
              data-end={(day !== null && days.includes(day)) || undefined}
            >
              {day !== null && <Day day={day} {...others} />}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

type DayProps = Pick<CalendarMonthProps, "focused" | "today" | "onChoose" | "onPoint"> & {
  readonly day: string;
};

const Day = ({ day, focused, today, onChoose, onPoint }: DayProps) => (
  <button
    type="button"
    data-day={day}
    tabIndex={day === focused ? 0 : -1}
    aria-label={formatFullDay(day)}
    aria-current={day === today ? "date" : undefined}
    aria-disabled={day > today}
    onClick={() => onChoose(day)}
    onPointerEnter={() => day <= today && onPoint(day)}
  >
    {Number(day.slice(8))}
  </button>
);
