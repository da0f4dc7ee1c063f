/** The calendar of a menu that chooses the first and the last day of a period. */
import { type KeyboardEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Icon } from "../../../ui/icon.tsx";
import { useMediaQuery } from "../../../ui/use-media-query.ts";
import { formatDays } from "../format.ts";
import { EARLIEST_DAY, monthStart } from "../view-range.ts";
import { dayForKey, monthsUntil } from "./calendar-days.ts";
import { CalendarMonth } from "./calendar-month.tsx";
import "./calendar.css";

/** From here on two months have room. */
const WIDE = "(min-width: 60em)";
interface DaysCalendarProps {
  readonly title: string;
  /** The chosen days. */
  readonly days: readonly [first: string, last: string];
  /** The last day that can be chosen. */
  readonly today: string;
  /** Receives `first..last`. */
  readonly onChoose: (text: string) => void;
}

/** The first press chooses one end of the period and the second the other, in any order. */
export function DaysCalendar({ title, days, today, onChoose }: DaysCalendarProps) {
  const isWide = useMediaQuery(WIDE);
  const count = isWide ? 2 : 1;
  const [focused, setFocused] = useState(days[1] < today ? days[1] : today);
  const [lastMonth, setLastMonth] = useState(monthStart(focused, 0));
  const [begun, setBegun] = useState<string | null>(null);
  const [pointed, setPointed] = useState<string | null>(null);
  const root = useRef<HTMLElement>(null);
  const months = monthsUntil(lastMonth, count);
  const hasEarlier = monthStart(lastMonth, 1 - count) > EARLIEST_DAY;
  const hasLater = monthStart(lastMonth, 1) <= today;
  const shown = begun === null ? days : order(begun, pointed ?? focused);

  const show = (month: string) => {
    setLastMonth(month);
    const first = monthStart(month, 1 - count);
    // the day that the Tab key reaches is one of those that are shown
    if (focused < first || focused >= monthStart(month, 1)) setFocused(month);
  };
  const choose = (day: string) => {
    if (day > today) return;
    setFocused(day);
    setPointed(null);
    if (begun === null) return setBegun(day);
    onChoose(order(begun, day).join(".."));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = dayForKey(event, focused, EARLIEST_DAY, today);
    if (next === null) return;
    event.preventDefault();
    // the arrow keys of the menu around it
    event.stopPropagation();
    flushSync(() => {
      setFocused(next);
      setPointed(null);
      const month = monthStart(next, 0);
      if (month > lastMonth) setLastMonth(month);
      if (month < monthStart(lastMonth, 1 - count)) setLastMonth(monthStart(month, count - 1));
    });
    root.current?.querySelector<HTMLElement>("[tabindex='0'][data-day]")?.focus();
  };
  return (
    <section ref={root} className="calendar" aria-label={title}>
      <div className="menu-title">{title}</div>
      <button
        type="button"
        className="icon-button calendar-before"
        aria-label="Previous month"
        aria-disabled={!hasEarlier}
        onClick={() => hasEarlier && show(monthStart(lastMonth, -1))}
      >
        <Icon name="chevronLeft" />
      </button>
      <button
        type="button"
        className="icon-button calendar-after"
        aria-label="Next month"
        aria-disabled={!hasLater}
        onClick={() => hasLater && show(monthStart(lastMonth, 1))}
      >
        <Icon name="chevronRight" />
      </button>
      <div className="calendar-months" onPointerLeave={() => setPointed(null)}>
        {months.map((month) => (
          <CalendarMonth
            key={month}
            month={month}
            days={shown}
            focused={focused}
            today={today}
            onChoose={choose}
            onPoint={setPointed}
            onKeyDown={onKeyDown}
          />
        ))}
      </div>
      <p className="menu-title" role="status">
        {begun === null
          ? `${formatDays(days)}. Select the first day.`
          : `From ${formatDays([begun, begun])}. Select the last day.`}
      </p>
    </section>
  );
}

const order = (one: string, other: string): readonly [first: string, last: string] =>
  one < other ? [one, other] : [other, one];
