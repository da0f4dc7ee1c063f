/** The names of a chart's points: of hours that clocks show twice, and of what stands beside a point in the compared period. */
import type { StatsAnswer } from "@headwater/contract";
import { DAY_MS } from "../../../time.ts";
import { timeFormatter } from "../format.ts";
import { monthStart, shiftDay, type ViewInterval } from "../view-range.ts";

/** @returns a function that formats an instant as the date and time that clocks in the zone show: `2026-10-25T02:30` */
function wallClock(timeZone: string): (instant: string) => string {
  // made once: making it takes a hundred times as long as using it
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  return (instant) => format.format(new Date(instant)).replace(" ", "T");
}

/** The day that stands beside a day, when these two do: the same day of a month, else as many days away. */
function dayBeside(day: string, from: string, compared: string): string {
  const monthsOf = (one: string) => Number(one.slice(0, 4)) * 12 + Number(one.slice(5, 7));
  if (from.slice(8) === compared.slice(8))
    return shiftDay(monthStart(day, monthsOf(compared) - monthsOf(from)), Number(day.slice(8)) - 1);
  return shiftDay(day, Math.round((Date.parse(compared) - Date.parse(from)) / DAY_MS));
}

/** @returns a function that names the bucket of the compared period that stands beside the bucket with a start */
export function comparedNames(
  { from, comparison, timezone }: Pick<StatsAnswer, "from" | "comparison" | "timezone">,
  interval: ViewInterval,
) {
  if (comparison === null) return () => null;
  const wallTime = wallClock(timezone);
  const [own, compared] = [wallTime(from), wallTime(comparison.from)];
  const isOfTime = interval === "minute" || interval === "hour";
  if (isOfTime && own.slice(10) !== compared.slice(10)) {
    // a range of times that a clock change moves
    const distance = Date.parse(from) - Date.parse(comparison.from);
    const format = timeFormatter(timezone, interval);
    return (start: string) => format(new Date(Date.parse(start) - distance).toISOString());
  }
  const format = timeFormatter("UTC", interval);
  return (start: string) => {
    const [day = "", time = ""] = wallTime(start).split("T");
    return format(`${dayBeside(day, own.slice(0, 10), compared.slice(0, 10))}T${time}Z`);
  };
}

/** Names of hours that clocks show twice say their distance from UTC. */
export function withOffsets(names: readonly string[], starts: readonly string[], timeZone: string): string[] {
  const format = new Intl.DateTimeFormat("en", { timeZone, hour: "numeric", timeZoneName: "shortOffset" });
  const offset = (start = "") =>
    format.formatToParts(new Date(start)).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const counts = Map.groupBy(names, (name) => name);
  return names.map((name, index) =>
    (counts.get(name)?.length ?? 0) > 1 ? `${name} (${offset(starts[index])})` : name,
  );
}
