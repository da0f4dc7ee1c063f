/** The days of the attempt list: where each begins, and which row of the list is an attempt or the heading of a day. Pure. */
import type { DebugAttempt } from "@headwater/contract";
import { dateFormat } from "../../own-format.ts";

const dayName = dateFormat({ weekday: "long", month: "long", day: "numeric" });

type ReceivedAttempt = Pick<DebugAttempt, "receivedAt">;

interface DayStart {
  /** For example `Wednesday, September 30`. */
  readonly name: string;
  /** The index of the day's newest attempt. */
  readonly from: number;
}

/** @param attempts newest first, up to thousands: each day costs one binary search */
export function daysOf(attempts: readonly ReceivedAttempt[]): DayStart[] {
  const days: DayStart[] = [];
  for (let from = 0; from < attempts.length; ) {
    const received = new Date(attempts[from]?.receivedAt ?? "");
    days.push({ name: dayName().format(received), from });
    received.setHours(0, 0, 0, 0);
    from = firstBefore(attempts, received.toISOString(), from + 1);
  }
  return days;
}

/** @returns the index of the first attempt before that time, not below `low` */
function firstBefore(attempts: readonly ReceivedAttempt[], time: string, low: number): number {
  let start = low;
  let end = attempts.length;
  while (start < end) {
    const middle = (start + end) >> 1;
    if ((attempts[middle]?.receivedAt ?? "") < time) end = middle;
    else start = middle + 1;
  }
  return start;
}

/** @returns the row of an attempt; each day has a heading before its attempts */
export const rowOfAttempt = (days: readonly DayStart[], index: number): number =>
  index + days.filter(({ from }) => from <= index).length;

/** @returns what stands in a row: the heading of a day, or the index of an attempt */
export function entryAt(days: readonly DayStart[], row: number): DayStart | number {
  const headings = days.findLastIndex(({ from }, before) => from + before <= row) + 1;
  const day = days[headings - 1];
  return day && day.from + headings - 1 === row ? day : row - headings;
}
