/** Sums of the usage of a workspace by day and by month, and the usage as CSV. */
import type { ApiAnswer } from "../../api.ts";
import { dateFormat } from "../../own-format.ts";
import { shiftDay } from "../stats/view-range.ts";

export type WorkspaceUsage = ApiAnswer<"getUsage">;
type Counts = Pick<WorkspaceUsage["days"][number], "accepted" | "bootstraps" | "bytes">;

/** The usage of a day, or of a month: `2026-09-30` or `2026-09`. */
export interface PeriodUsage extends Counts {
  readonly period: string;
  /** How many days the period has. */
  readonly days: number;
}

const dayFormat = dateFormat({ dateStyle: "medium", timeZone: "UTC" });
const dayOfYearFormat = dateFormat({ month: "short", day: "numeric", timeZone: "UTC" });
const monthFormat = dateFormat({ month: "long", year: "numeric", timeZone: "UTC" });
/** @returns for example `Sep 30` in the current year, `Sep 30, 2026` in others, or `September 2026` */
export function formatPeriod(period: string): string {
  const isOfThisYear = period.startsWith(`${new Date().getUTCFullYear()}-`);
  const format =
    period.length === "2026-09".length ? monthFormat : isOfThisYear ? dayOfYearFormat : dayFormat;
  return format().format(Date.parse(period));
}

const monthOf = (day: string) => day.slice(0, 7);

function daysOf({ from, to }: WorkspaceUsage): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = shiftDay(day, 1)) days.push(day);
  return days;
}

/** The usage of every day or month of the range, with 0 for those without any. */
function sumBy(usage: WorkspaceUsage, periodOf: (day: string) => string): PeriodUsage[] {
  const sums = new Map<string, PeriodUsage>();
  const none = { days: 0, accepted: 0, bootstraps: 0, bytes: 0 };
  for (const day of daysOf(usage)) {
    const period = periodOf(day);
    const sum = sums.get(period) ?? { period, ...none };
    sums.set(period, { ...sum, days: sum.days + 1 });
  }
  for (const { day, accepted, bootstraps, bytes } of usage.days) {
    const sum = sums.get(periodOf(day));
    if (sum === undefined) continue;
    sums.set(sum.period, {
      ...sum,
      accepted: sum.accepted + accepted,
      bootstraps: sum.bootstraps + bootstraps,
      bytes: sum.bytes + bytes,
    });
  }
  return [...sums.values()];
}

export const sumByDay = (usage: WorkspaceUsage): PeriodUsage[] => sumBy(usage, (day) => day);
export const sumByMonth = (usage: WorkspaceUsage): PeriodUsage[] => sumBy(usage, monthOf);

/** The usage of the sources whose name or id contains the text, in any case. */
export function searchUsage(
  usage: WorkspaceUsage,
  names: ReadonlyMap<string, string>,
  text: string,
): WorkspaceUsage {
  const searched = text.trim().toLowerCase();
  const days = usage.days.filter(({ sourceId }) =>
    [names.get(sourceId) ?? "", sourceId].some((one) => one.toLowerCase().includes(searched)),
  );
  const total = (name: keyof Counts) => days.reduce((sum, row) => sum + row[name], 0);
  return {
    ...usage,
    days,
    accepted: total("accepted"),
    bootstraps: total("bootstraps"),
    bytes: total("bytes"),
  };
}

interface SourceUsage extends Counts {
  readonly sourceId: string;
}

/** The usage of each source in the range, the largest first. */
export function sumBySource({ days }: WorkspaceUsage): SourceUsage[] {
  const sums = new Map<string, SourceUsage>();
  for (const { sourceId, accepted, bootstraps, bytes } of days) {
    const sum = sums.get(sourceId) ?? { sourceId, accepted: 0, bootstraps: 0, bytes: 0 };
    sums.set(sourceId, {
      sourceId,
      accepted: sum.accepted + accepted,
      bootstraps: sum.bootstraps + bootstraps,
      bytes: sum.bytes + bytes,
    });
  }
  return [...sums.values()].sort((a, b) => b.accepted - a.accepted);
}

/** The ends of a chart's axis, but for the power of ten. */
const ROUND = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** @returns the next round number: 1,200 for 1,181 */
export function roundUp(number: number): number {
  const power = 10 ** Math.floor(Math.log10(number));
  return Math.round((ROUND.find((one) => one * power >= number) ?? 10) * power);
}

type CsvRows = (string | number)[][];

/** A row for each source and day. */
export const dayRows = ({ days }: WorkspaceUsage, names: ReadonlyMap<string, string>): CsvRows => [
  ["Day", "Source ID", "Source", "Accepted events", "Bootstraps", "Bytes received"],
  ...days.map(({ day, sourceId, accepted, bootstraps, bytes }) => [
    day,
    sourceId,
    names.get(sourceId) ?? "",
    accepted,
    bootstraps,
    bytes,
  ]),
];

/** A row for each month. @param eventsPerDay the quota of the workspace; null: none */
export const monthRows = (usage: WorkspaceUsage, eventsPerDay: number | null): CsvRows => [
  ["Month", "Accepted events", "Quota", "Bootstraps", "Bytes received"],
  ...sumByMonth(usage).map(({ period, days, accepted, bootstraps, bytes }) => [
    period,
    accepted,
    eventsPerDay === null ? "" : eventsPerDay * days,
    bootstraps,
    bytes,
  ]),
];
