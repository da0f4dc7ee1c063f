/**
 * Which event names have stopped. A day is compared with the same weekday of the weeks before, so that a quiet night or weekend is
 * no stop. Pure.
 */
import { DAY_MS } from "../core/time.ts";
import { OTHER_EVENTS } from "../ledger/merge-events.ts";
import type { CatalogEventRecord } from "../ledger/records.ts";

/** Events that each of these weekdays must have had: the absence of fewer says nothing. */
const MIN_EVENTS = 10;
const WEEKS = [1, 2, 3];
/** A name that stays away longer has become usual. */
const FORGOTTEN_AFTER_MS = WEEKS.length * 7 * DAY_MS;

export type EventDays = Pick<CatalogEventRecord, "name" | "days" | "lastSeenAt">;

const countOn = ({ days }: EventDays, day: number) => days[day] ?? 0;
const usualOn = (event: EventDays, day: number) => WEEKS.map((week) => countOn(event, day - 7 * week));
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** On a holiday, or when the whole source is quiet, also the events that did come are fewer than half as many as usual. */
function isOrdinaryDay(events: readonly EventDays[], day: number): boolean {
  const came = events.filter((event) => countOn(event, day) > 0);
  const received = sum(came.map((event) => countOn(event, day)));
  const usual = sum(came.flatMap((event) => usualOn(event, day))) / WEEKS.length;
  return received > 0 && received >= usual / 2;
}

/** The names that had no event on the whole day and none since, though they had on that weekday of each week before. */
export function findStoppedEvents(events: readonly EventDays[], day: number): string[] {
  if (!isOrdinaryDay(events, day)) return [];
  const isAbsent = ({ days }: EventDays) => Object.keys(days).every((seen) => Number(seen) < day);
  return events
    .filter((event) => event.name !== OTHER_EVENTS && isAbsent(event))
    .filter((event) => usualOn(event, day).every((count) => count >= MIN_EVENTS))
    .map(({ name }) => name);
}

/** What has become of the names that had stopped `since` then. */
export function followStoppedEvents(
  events: readonly EventDays[],
  { stopped, since, now }: { stopped: readonly string[]; since: number; now: number },
): { resumed: string[]; absent: string[] } {
  const lastSeen = new Map(events.map(({ name, lastSeenAt }) => [name, lastSeenAt]));
  const seenAt = (name: string) => lastSeen.get(name) ?? 0;
  return {
    resumed: stopped.filter((name) => seenAt(name) > since),
    absent: stopped.filter((name) => seenAt(name) <= since && seenAt(name) > now - FORGOTTEN_AFTER_MS),
  };
}
