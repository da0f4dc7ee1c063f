/**
 * The oracle: docs/stats.md in plain TypeScript, independent of the code that it checks. It answers each query
 * by going through all events, and finds each bucket by walking through the time.
 */
import type { STATS_METRICS } from "@headwater/contract";
import type { ExampleEvent } from "./examples.ts";

type Scalar = string | number | boolean | null;
export type OracleFilter =
  | { dimension: string; operator: string; value: Scalar | Scalar[] }
  | { and: OracleFilter[] }
  | { or: OracleFilter[] }
  | { not: OracleFilter }
  | { sessionHas: OracleFilter };

export type OracleComparison =
  | boolean
  | { mode: "previous" | "year" | "custom"; dateRange?: [string, string]; sameWeekdays?: boolean };

/** A goal of the source. */
export interface OracleGoal {
  name: string;
  event?: string;
  path?: string;
  conditions?: { property: string; operator: string; value: Scalar }[];
  value?: { amount: number; currency: string };
}

/** The content groups of the sources. */
export const CONTENT_GROUPS = [
  { name: "A's", paths: ["/a*", "/ü"] },
  { name: "Deep", paths: ["/*/b*", "/item/*"] },
];

export interface OracleQuery {
  dateRange: [string, string];
  timezone: string;
  metrics: string[];
  dimensions: string[];
  filters: OracleFilter[];
  goal?: { event?: string; page?: string; name?: string };
  currency?: string;
  attribution?: { model: "session" | "firstTouch" | "lastNonDirect"; windowDays?: number };
  orderBy?: { field: string; direction: string }[];
  include: { bots: boolean; comparison: OracleComparison; total?: boolean };
  pagination?: { limit: number; offset: number };
}

export interface OracleRow {
  dimensions: Scalar[];
  metrics: (number | null)[];
  comparison: (number | null)[] | null;
}

const MINUTE = 60_000;
/** Zones change their clocks at quarters of hours. */
const QUARTER = 15 * MINUTE;
const DAY = 86_400_000;

interface Wall {
  date: string;
  hour: string;
  minute: string;
  offset: string;
}
const walls = new Map<string, Wall>();
const clocks = new Map<string, Intl.DateTimeFormat>();

/** What a wall clock in the zone shows. */
function wallAt(zone: string, at: number): Wall {
  const key = `${zone} ${at}`;
  const known = walls.get(key);
  if (known) return known;
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat("sv-SE", {
      timeZone: zone,
      dateStyle: "short",
      timeStyle: "medium",
    });
  clocks.set(zone, clock);
  const [date = "", time = ""] = clock.format(at).split(" ");
  const [hour = "", minute = ""] = time.split(":");
  const offset = String(Math.round((Date.parse(`${date}T${time}Z`) - at) / MINUTE));
  const wall = { date, hour, minute, offset };
  walls.set(key, wall);
  return wall;
}

function mondayOf(date: string): string {
  let at = Date.parse(`${date}T00:00:00Z`);
  while (new Date(at).getUTCDay() !== 1) at -= DAY;
  return new Date(at).toISOString().slice(0, 10);
}

function labelOf(zone: string, grain: string, at: number): string {
  const { date, hour, minute, offset } = wallAt(zone, at);
  switch (grain) {
    case "minute":
      return `${date} ${hour}:${minute} ${offset}`;
    case "hour":
      return `${date} ${hour} ${offset}`;
    case "day":
      return date;
    case "week":
      return mondayOf(date);
    default:
      return date.slice(0, 7);
  }
}

interface Span {
  from: number;
  to: number;
}

/** First instants of the buckets: a new one begins where what the clock shows is another. */
function startsOf(zone: string, grain: string, { from, to }: Span): number[] {
  const step = grain === "minute" ? MINUTE : QUARTER;
  const starts = [from];
  let label = labelOf(zone, grain, from);
  for (let at = Math.floor(from / step) * step + step; at < to; at += step) {
    const now = labelOf(zone, grain, at);
    if (now !== label) starts.push(at);
    label = now;
  }
  return starts;
}

function firstInstant(zone: string, date: string): number {
  let at = Date.parse(`${date}T00:00:00Z`) - 2 * DAY;
  while (wallAt(zone, at).date < date) at += QUARTER;
  return at;
}

const isDay = (text: string) => text.length === 10;
const shifted = (date: string, days: number) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);

const instantOf = (zone: string, text: string) => (isDay(text) ? firstInstant(zone, text) : Date.parse(text));
const spanOf = ({ timezone }: Pick<OracleQuery, "timezone">, [from, to]: [string, string]): Span => ({
  from: instantOf(timezone, from),
  to: instantOf(timezone, to),
});
const daysIn = ([from, to]: [string, string]) =>
  isDay(from) && isDay(to) ? (Date.parse(to) - Date.parse(from)) / DAY : null;

/** The same date some months earlier; null when that month is too short. */
function monthsEarlier(date: string, months: number): string | null {
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  const then = new Date(Date.UTC(year, month - 1 - months, 1));
  const text = `${then.toISOString().slice(0, 7)}-${String(day).padStart(2, "0")}`;
  return shifted(text.slice(0, 8).concat("01"), day - 1) === text ? text : null;
}

/** What a clock shows in each minute of a day, with how often it has shown it: `02:15 1` is shown after `02:15 0`. */
function minutesOf(zone: string, date: string): { label: string; at: number }[] {
  const seen = new Map<string, number>();
  const minutes = [];
  for (let at = firstInstant(zone, date); wallAt(zone, at).date === date; at += MINUTE) {
    const { hour, minute } = wallAt(zone, at);
    const time = `${hour}:${minute}`;
    const times = seen.get(time) ?? 0;
    seen.set(time, times + 1);
    minutes.push({ label: `${time} ${times}`, at });
  }
  return minutes;
}

/** What a query's range is compared with. */
interface OracleCompared {
  span: Span;
  /** The instant that one is compared with. */
  before: (at: number) => number;
  /** The day that one is compared with; undefined when durations are compared. */
  dayBefore?: (date: string) => string | null;
}

/** Compares days with days, and times with the same times of day. */
function byDay(timezone: string, span: Span, dayBefore: (date: string) => string | null): OracleCompared {
  const before = (at: number) => {
    const { date } = wallAt(timezone, at);
    const then = dayBefore(date);
    if (then === null) {
      let next = date;
      while (dayBefore(next) === null) next = shifted(next, 1);
      return firstInstant(timezone, dayBefore(next)!);
    }
    if (at === firstInstant(timezone, date)) return firstInstant(timezone, then);
    const rest = at % MINUTE;
    const { label } = minutesOf(timezone, date).find((one) => one.at === at - rest)!;
    const minutes = minutesOf(timezone, then);
    const same = minutes.find((one) => one.label === label);
    if (same) return same.at + rest;
    // skipped, or not repeated: the first later time that both days have
    const own = minutesOf(timezone, date).map((one) => one.label);
    const later = own.slice(own.indexOf(label)).find((one) => minutes.some((other) => other.label === one));
    const next = minutes.find((one) => one.label === later);
    return next?.at ?? firstInstant(timezone, shifted(then, 1));
  };
  return { span: { from: before(span.from), to: before(span.to) }, before, dayBefore };
}

/** The span that the asked one is compared with, and what an instant of the asked one is compared with; null: with none. */
export function comparedOf(
  asked: Pick<OracleQuery, "dateRange" | "timezone" | "include">,
): OracleCompared | null {
  const { dateRange, timezone, include } = asked;
  const { comparison } = include;
  if (comparison === false) return null;
  const {
    mode,
    dateRange: other,
    sameWeekdays,
  } = comparison === true ? ({ mode: "previous" } as Exclude<OracleComparison, boolean>) : comparison;
  const [span, days] = [spanOf(asked, dateRange), daysIn(dateRange)];
  const back = (count: number) => byDay(timezone, span, (date) => shifted(date, -count));
  const byTime = ({ from, to }: Span): OracleCompared => ({
    span: { from, to },
    before: (at) => at - span.from + from,
  });
  const compared = () => {
    if (mode === "year")
      return sameWeekdays ? back(364) : byDay(timezone, span, (date) => monthsEarlier(date, 12));
    if (mode === "custom" && other) return customOf(asked, span, other, byTime);
    if (sameWeekdays) return back(7 * Math.ceil((days ?? (span.to - span.from) / DAY) / 7));
    return days === null ? byTime({ from: 2 * span.from - span.to, to: span.from }) : back(days);
  };
  const found = compared();
  return found.span.from < found.span.to ? found : null;
}

function customOf(
  { dateRange, timezone }: Pick<OracleQuery, "dateRange" | "timezone">,
  span: Span,
  other: [string, string],
  byTime: (span: Span) => OracleCompared,
): OracleCompared {
  const then: Span = { from: instantOf(timezone, other[0]), to: instantOf(timezone, other[1]) };
  const [date, dateThen] = [wallAt(timezone, span.from).date, wallAt(timezone, then.from).date];
  const monthsOf = (text: string) => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7));
  const areMonths = [...dateRange, ...other].every((one) => isDay(one) && one.endsWith("-01"));
  const apart = (Date.parse(date) - Date.parse(dateThen)) / DAY;
  const months = monthsOf(date) - monthsOf(dateThen);
  const compared = byDay(timezone, span, (one) =>
    areMonths ? monthsEarlier(one, months) : shifted(one, -apart),
  );
  return compared.span.from === then.from ? { ...compared, span: then } : byTime(then);
}

/** The bucket of the asked span that each bucket of the compared one is the counterpart of. */
export function pairsOf(
  asked: Pick<OracleQuery, "dateRange" | "timezone">,
  grain: string,
  { span, before, dayBefore }: OracleCompared,
): { name: number | null; start: number }[] {
  const { timezone } = asked;
  const own = spanOf(asked, asked.dateRange);
  const names = startsOf(timezone, grain, own);
  if (dayBefore !== undefined && grain === "week") {
    const weekOf = (at: number | null) =>
      at === null ? null : (names.findLast((name) => name <= at) ?? null);
    return pairsOf(asked, "day", { span, before, dayBefore })
      .map(({ name, start }) => ({ name: weekOf(name), start }))
      .filter(({ name }, index, all) => name !== all[index - 1]?.name);
  }
  if (dayBefore === undefined || grain === "month") {
    const ends = [...names.slice(1), own.to].map(before);
    const pairs = names
      .map((name, index) => ({ name, start: before(name), end: ends[index]! }))
      .filter(({ start, end }) => start < end && start < span.to);
    return [...pairs, { name: null, start: pairs.at(-1)?.end ?? span.from }];
  }
  // minutes, hours and days: those on which the clock and the calendar show the same
  const bucketsOf = new Map<string, { start: number; label: string }[]>();
  const labelAt = (at: number, dayOf: (date: string) => string | null) => {
    const { date } = wallAt(timezone, at);
    const day = { from: firstInstant(timezone, date), to: firstInstant(timezone, shifted(date, 1)) };
    const seen = new Map<string, number>();
    const buckets =
      bucketsOf.get(date) ??
      startsOf(timezone, grain, day).map((start) => {
        const { hour, minute } = wallAt(timezone, start);
        const time = grain === "day" ? "" : grain === "hour" ? hour : `${hour}:${minute}`;
        const times = seen.get(time) ?? 0;
        seen.set(time, times + 1);
        return { start, label: `${time} ${times}` };
      });
    bucketsOf.set(date, buckets);
    return `${dayOf(date)} ${buckets.findLast(({ start }) => start <= at)?.label}`;
  };
  const labels = names.map((name) => labelAt(name, dayBefore));
  return startsOf(timezone, grain, span).map((start) => ({
    name: names[labels.indexOf(labelAt(start, (date) => date))] ?? null,
    start,
  }));
}

const timeOf = ({ at }: ExampleEvent) => Date.parse(at);
const isPage = ({ name }: ExampleEvent) => name === undefined;
const isBefore = (one: ExampleEvent, other: ExampleEvent) =>
  timeOf(one) - timeOf(other) || Buffer.compare(Buffer.from(one.id), Buffer.from(other.id));

interface OracleVisit {
  events: ExampleEvent[];
  /** The event that opens the session: no passive one, unless there is no other. */
  first: ExampleEvent;
  exitPage: string | null;
  visitorType: "new" | "returning" | null;
  /** The first events ever of each of its visitors. */
  firstEver: ExampleEvent[][];
}

/** The first event ever of each visitor, without passive ones, and those of the same millisecond. */
type FirstEvents = ReadonlyMap<string, ExampleEvent[]>;

/** The smallest value of the first events of a visitor, and the greatest one of several visitors. */
function firstVisitValue({ firstEver }: OracleVisit, read: (event: ExampleEvent) => Scalar): Scalar {
  const sorted = (values: Scalar[]) => values.filter((one) => one !== null).sort(compareScalars);
  const ofVisitors = firstEver.map((events) => sorted(events.map(read))[0] ?? null);
  return sorted(ofVisitors).at(-1) ?? null;
}

function visitOf(events: ExampleEvent[], firstEvents: FirstEvents): OracleVisit {
  const inOrder = [...events].sort(isBefore);
  const last = inOrder.findLast(isPage);
  const first = inOrder.find(({ passive }) => !passive) ?? inOrder[0]!;
  const active = inOrder.filter(({ passive }) => !passive);
  const isFirst = (one: ExampleEvent) => timeOf(one) === timeOf(firstEvents.get(one.visitor)![0]!);
  const type = active.some(isFirst) ? "new" : "returning";
  return {
    events: inOrder,
    first,
    exitPage: last?.page ?? null,
    visitorType: active.length === 0 ? null : type,
    firstEver: inOrder.map(({ visitor }) => firstEvents.get(visitor) ?? []),
  };
}

function scalarOf(value: unknown): Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}
/** `a.b` is the member of that name, or else the b of a. */
function propertyOf({ properties }: ExampleEvent, name: string): Scalar {
  const look = (value: unknown, path: string): unknown => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const longestFirst = Object.entries(value).sort(([one], [other]) => other.length - one.length);
    for (const [key, member] of longestFirst) {
      if (key === path) return member;
      if (path.startsWith(`${key}.`)) {
        const found = look(member, path.slice(key.length + 1));
        if (found !== undefined) return found;
      }
    }
    return undefined;
  };
  return scalarOf(look(properties, name));
}

const foldersOf = (page: string, count: number) =>
  `/${page
    .split("/")
    .slice(1, -1)
    .slice(0, count)
    .map((folder) => `${folder}/`)
    .join("")}`;

/** `*` is any text. */
function matchesPath(page: string, pattern: string): boolean {
  const pieces = pattern.split("*").map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${pieces.join(".*")}$`, "su").test(page);
}

function contentGroupOf(page: string | undefined): string | null {
  if (page === undefined) return null;
  const group = CONTENT_GROUPS.find(({ paths }) =>
    paths.some((path) => matchesPath(page, String(stored(path)))),
  );
  return group?.name ?? null;
}

function valueOfDimension(dimension: string, event: ExampleEvent, visit: OracleVisit): Scalar {
  const { first, exitPage, visitorType } = visit;
  if (dimension.startsWith("property:")) return propertyOf(event, dimension.slice("property:".length));
  switch (dimension) {
    case "page":
      return event.page ?? null;
    case "folder:1":
    case "folder:2":
    case "folder:3":
      return event.page === undefined ? null : foldersOf(event.page, Number(dimension.slice(-1)));
    case "contentGroup":
      return contentGroupOf(event.page);
    case "host":
      return event.page === undefined ? null : (event.host ?? "shop.example");
    case "event":
      return event.name ?? "page_view";
    case "sentBy":
      return event.sentBy ?? "browser";
    case "currency":
      return event.currency ?? null;
    case "entryPage":
      return first.page ?? null;
    case "exitPage":
      return exitPage;
    case "visitorType":
      return visitorType;
    case "firstSource":
      return firstVisitValue(visit, ({ source = null }) => source);
    case "firstChannel":
      return firstVisitValue(visit, ({ channel = "Direct" }) => channel);
    case "firstUtmCampaign":
      return firstVisitValue(visit, ({ page, utmCampaign = null }) =>
        page === undefined ? null : utmCampaign,
      );
    case "firstEntryPage":
      return firstVisitValue(visit, ({ page = null }) => page);
    case "source":
      return first.source ?? null;
    case "channel":
      return first.channel ?? "Direct";
    case "referrer":
      return first.page === undefined ? null : (first.referrer ?? null);
    case "utmSource":
    case "utmCampaign":
    case "utmMedium":
    case "utmTerm":
    case "utmContent":
      return first.page === undefined ? null : (first[dimension] ?? null);
    case "clickId":
      return first.page === undefined ? null : (Object.keys(first.clickIds ?? {}).sort()[0] ?? null);
    case "device":
    case "browser":
    case "browserVersion":
    case "os":
    case "osVersion":
    case "screen":
    case "locale":
    case "country":
    case "region":
    case "city":
      return first[dimension] ?? null;
    default:
      throw new Error(dimension);
  }
}

/** What the wall clock shows; null: the dimension is another. */
function clockValue(dimension: string, zone: string, at: number): number | null {
  const { date, hour } = wallAt(zone, at);
  if (dimension === "hourOfDay") return Number(hour);
  // Sunday is 0 of JavaScript
  return dimension === "dayOfWeek" ? new Date(`${date}T00:00:00Z`).getUTCDay() || 7 : null;
}

function leafFits(value: Scalar, operator: string, wanted: Scalar | Scalar[]): boolean {
  switch (operator) {
    case "is":
      return value === wanted;
    case "is_not":
      return value !== wanted;
    case "in":
      return (wanted as Scalar[]).includes(value);
    case "contains":
      return typeof value === "string" && value.includes(wanted as string);
    case "matches":
      return typeof value === "string" && new RegExp(wanted as string, "u").test(value);
    case "gt":
      return typeof value === "number" && value > (wanted as number);
    case "lt":
      return typeof value === "number" && value < (wanted as number);
    default:
      throw new Error(operator);
  }
}

function eventFits(filter: OracleFilter, event: ExampleEvent, visit: OracleVisit, zone: string): boolean {
  if ("and" in filter) return filter.and.every((one) => eventFits(one, event, visit, zone));
  if ("or" in filter) return filter.or.some((one) => eventFits(one, event, visit, zone));
  if ("not" in filter) return !eventFits(filter.not, event, visit, zone);
  if ("sessionHas" in filter)
    return visit.events.some((one) => eventFits(filter.sessionHas, one, visit, zone));
  const { dimension, operator } = filter;
  const value = clockValue(dimension, zone, timeOf(event)) ?? valueOfDimension(dimension, event, visit);
  if (!/page$|^folder/i.test(dimension)) return leafFits(value, operator, filter.value);
  // a regular expression with letters is about the path as people read it
  if (operator === "matches")
    return leafFits(/ü/.test(String(filter.value)) ? readable(value) : value, operator, filter.value);
  const wanted = Array.isArray(filter.value) ? filter.value.map(stored) : stored(filter.value);
  return leafFits(value, operator, wanted);
}

/** The other forms of the generated paths. */
const stored = (path: Scalar): Scalar =>
  typeof path === "string"
    ? path.replaceAll("ü", "%C3%BC").replaceAll("%c3%bc", "%C3%BC").replaceAll("%61", "a")
    : path;
const readable = (path: Scalar): Scalar => (typeof path === "string" ? path.replaceAll("%C3%BC", "ü") : path);

type Rule = Omit<OracleGoal, "name">;

function ruleOf({ goal }: Pick<OracleQuery, "goal">, goals: readonly OracleGoal[]): Rule | undefined {
  if (goal?.name !== undefined) return goals.find(({ name }) => name === goal.name)!;
  if (goal?.page !== undefined) return { path: String(stored(goal.page)) };
  return goal?.event === undefined ? undefined : { event: goal.event };
}

function isGoal(event: ExampleEvent, goal: Rule | undefined): boolean {
  if (goal === undefined) return false;
  for (const { property, operator, value } of goal.conditions ?? [])
    if (!leafFits(propertyOf(event, property), operator, value)) return false;
  if (goal.event !== undefined) return (event.name ?? "page_view") === goal.event;
  if (!isPage(event) || event.page === undefined) return false;
  return matchesPath(event.page, goal.path!);
}

interface Counted {
  keys: Scalar[];
  events: ExampleEvent[];
  visits: OracleVisit[];
  /** The visitors with an event in a session of each visitor type. */
  visitorsOfType: Map<OracleVisit["visitorType"], Set<string>>;
  /** By a number of days: the visitors of the days that end with the bucket. */
  visitorsOfDays: Map<number, Set<string>>;
}
const emptyGroup = (keys: Scalar[]): Counted => ({
  keys,
  events: [],
  visits: [],
  visitorsOfType: new Map(),
  visitorsOfDays: new Map(),
});
function addTo<Key>(sets: Map<Key, Set<string>>, key: Key, values: Iterable<string>): void {
  sets.set(key, new Set([...(sets.get(key) ?? []), ...values]));
}

/** The numbers of days of the metrics that count days before a bucket. */
const DAYS_OF: Readonly<Record<string, number[]>> = {
  visitors7Days: [7],
  visitors28Days: [28],
  dauPerWau: [7],
  dauPerMau: [28],
  wauPerMau: [7, 28],
};
const isOfOneDay = (metric: string) => /Per[WM]au$/.test(metric);

const sumOf = (values: (number | undefined)[]) => values.reduce<number>((sum, one) => sum + (one ?? 0), 0);

/** With interpolation between the two nearest values, as a spreadsheet's PERCENTILE does. */
function percentile(values: number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low === undefined || high === undefined ? null : low + (high - low) * (at - Math.floor(at));
}

/** The mean of the greatest depth of each page in each session. */
function meanDepth(events: readonly ExampleEvent[]): number | null {
  const reports = events.filter(({ scrollDepth }) => scrollDepth !== undefined);
  const views = Map.groupBy(reports, ({ session, visitor, page }) =>
    JSON.stringify([session, visitor, page]),
  );
  const depths = [...views.values()].map((all) => Math.max(...all.map(({ scrollDepth }) => scrollDepth!)));
  return ratio(sumOf(depths), depths.length);
}

const distinct = (values: (string | undefined)[]) => new Set(values.filter((one) => one !== undefined)).size;
const ratio = (of: number, over: number) => (over === 0 ? null : of / over);

/** Events that reach a goal with a value have it as their revenue, unless they have one. */
function valuedBy(goal: Rule | undefined, all: readonly ExampleEvent[]): readonly ExampleEvent[] {
  if (goal?.value === undefined) return all;
  const { amount: revenue, currency } = goal.value;
  return all.map((event) =>
    event.revenue === undefined && isGoal(event, goal) ? { ...event, revenue, currency } : event,
  );
}

/** The last event that is not passive, and the engaged time that was reported after it, half an hour at most. */
function endOf(events: ExampleEvent[]): number {
  const last = Math.max(...events.filter(({ passive }) => !passive).map(timeOf));
  const reported = events.filter((one) => timeOf(one) > last).map(({ engagedSeconds }) => engagedSeconds);
  return last + Math.min(30 * MINUTE, Math.round(1_000 * sumOf(reported)));
}

const VITALS = ["lcp", "inp", "cls", "fcp", "ttfb"];
const PERCENTILES: Record<string, number> = { median: 0.5, p75: 0.75, p90: 0.9, p95: 0.95 };

function propertyMetric(kind: string, property: string, events: ExampleEvent[]): number | null {
  const asked = VITALS.includes(property) ? events.filter(({ name }) => name === "web_vitals") : events;
  const numbers = asked.map((event) => propertyOf(event, property)).filter((one) => typeof one === "number");
  if (kind === "sum") return sumOf(numbers);
  return kind === "avg" ? ratio(sumOf(numbers), numbers.length) : percentile(numbers, PERCENTILES[kind]!);
}

type OracleMetricName = (typeof STATS_METRICS)[number];

/** The figures of a group, from which its metrics are computed. */
interface Figures {
  readonly events: readonly ExampleEvent[];
  readonly visits: readonly OracleVisit[];
  /** The events with an amount that counts. */
  readonly paid: readonly ExampleEvent[];
  readonly revenue: number;
  readonly visitors: number;
  readonly pageviews: number;
  readonly engaged: number;
  readonly bounced: number;
  readonly exits: number;
  readonly visitorsOfType: Counted["visitorsOfType"];
  readonly ofDays: (days: number) => number;
  readonly reachesGoal: (event: ExampleEvent) => boolean;
  readonly page: Scalar | undefined;
}

/** @param page that of the group, if pages are asked for */
function figuresOf(
  { events, visits, visitorsOfType, visitorsOfDays }: Counted,
  goal: Rule | undefined,
  { page, currency }: { page?: Scalar; currency?: string | undefined },
): Figures {
  const reachesGoal = (event: ExampleEvent) => isGoal(event, goal);
  const paid = events.filter(
    (one) =>
      one.revenue !== undefined &&
      (goal === undefined || reachesGoal(one)) &&
      (currency === undefined || one.currency === currency),
  );
  const engaged = visits.filter(
    ({ events: all }) =>
      all.filter(isPage).length > 1 ||
      sumOf(all.map(({ engagedSeconds }) => engagedSeconds)) >= 10 ||
      all.some(reachesGoal),
  );
  const bounced = visits.filter(
    ({ events: all }) => all.filter(isPage).length === 1 && all.every((one) => isPage(one) || one.passive),
  );
  return {
    events,
    visits,
    paid,
    // amounts have four digits, and their sum is exact
    revenue: Number(sumOf(paid.map((one) => one.revenue)).toFixed(4)),
    visitors: distinct(events.map(({ visitor }) => visitor)),
    pageviews: events.filter(isPage).length,
    engaged: engaged.length,
    bounced: bounced.length,
    exits: visits.filter(({ exitPage }) => exitPage === page).length,
    visitorsOfType,
    ofDays: (days) => visitorsOfDays.get(days)?.size ?? 0,
    reachesGoal,
    page,
  };
}

interface OracleMetric {
  /** A group has a row when it holds one of these. `days`: a visitor of an earlier day. */
  readonly counts: "events" | "sessions" | "both" | "days";
  readonly value: (figures: Figures) => number | null;
}
const ofEvents = (value: OracleMetric["value"]): OracleMetric => ({ counts: "events", value });
const ofSessions = (value: OracleMetric["value"]): OracleMetric => ({ counts: "sessions", value });
const ofBoth = (value: OracleMetric["value"]): OracleMetric => ({ counts: "both", value });
const ofDaysBefore = (value: OracleMetric["value"]): OracleMetric => ({ counts: "days", value });

const METRICS: Readonly<Record<OracleMetricName, OracleMetric>> = {
  visitors: ofEvents(({ visitors }) => visitors),
  visitors7Days: ofDaysBefore(({ ofDays }) => ofDays(7)),
  visitors28Days: ofDaysBefore(({ ofDays }) => ofDays(28)),
  dauPerWau: ofEvents(({ visitors, ofDays }) => ratio(visitors, ofDays(7))),
  dauPerMau: ofEvents(({ visitors, ofDays }) => ratio(visitors, ofDays(28))),
  wauPerMau: ofDaysBefore(({ ofDays }) => ratio(ofDays(7), ofDays(28))),
  newVisitors: ofEvents(({ visitorsOfType }) => visitorsOfType.get("new")?.size ?? 0),
  returningVisitors: ofEvents(({ visitorsOfType }) => visitorsOfType.get("returning")?.size ?? 0),
  users: ofEvents(({ events }) => distinct(events.map(({ user }) => user))),
  sessions: ofSessions(({ visits }) => visits.length),
  pageviews: ofEvents(({ pageviews }) => pageviews),
  events: ofEvents(({ events }) => events.filter(({ passive }) => !passive).length),
  passiveEvents: ofEvents(({ events }) => events.filter(({ passive }) => passive).length),
  planViolations: ofEvents(({ events }) => events.filter(({ planViolation }) => planViolation).length),
  viewsPerSession: ofBoth(({ pageviews, visits }) => ratio(pageviews, visits.length)),
  bounceRate: ofSessions(({ bounced, visits }) => ratio(bounced, visits.length)),
  sessionDuration: ofSessions(({ visits }) => {
    const totalMs = visits.reduce((sum, { events: all, first }) => sum + endOf(all) - timeOf(first), 0);
    // in one division, so that means that are equal are so to the last digit, and tie
    return ratio(totalMs, 1_000 * visits.length);
  }),
  conversions: ofEvents(({ events, reachesGoal }) => events.filter(reachesGoal).length),
  conversionRate: ofEvents(({ events, reachesGoal, visitors }) =>
    ratio(distinct(events.filter(reachesGoal).map(({ visitor }) => visitor)), visitors),
  ),
  sessionConversionRate: ofSessions(({ visits, reachesGoal }) =>
    ratio(visits.filter((visit) => visit.events.some(reachesGoal)).length, visits.length),
  ),
  engagedSessions: ofSessions(({ engaged }) => engaged),
  engagementRate: ofSessions(({ engaged, visits }) => ratio(engaged, visits.length)),
  timeOnPage: ofEvents(({ events, pageviews }) => {
    const seconds = sumOf(events.map(({ engagedSeconds }) => engagedSeconds));
    return seconds === 0 ? null : ratio(seconds, pageviews);
  }),
  scrollDepth: ofEvents(({ events }) => meanDepth(events)),
  conversionsPerSession: ofBoth(({ events, reachesGoal, visits }) =>
    ratio(events.filter(reachesGoal).length, visits.length),
  ),
  entrances: ofSessions(
    ({ visits, page }) => visits.filter(({ first }) => (first.page ?? null) === page).length,
  ),
  exits: ofSessions(({ exits }) => exits),
  exitRate: ofBoth(({ exits, pageviews }) => ratio(exits, pageviews)),
  revenue: ofEvents(({ revenue }) => revenue),
  averageOrderValue: ofEvents(({ revenue, paid }) => ratio(revenue, paid.length)),
  revenuePerVisitor: ofEvents(({ revenue, visitors }) => ratio(revenue, visitors)),
  revenuePerSession: ofBoth(({ revenue, visits }) => ratio(revenue, visits.length)),
};
const isNamed = (metric: string): metric is OracleMetricName => Object.hasOwn(METRICS, metric);
/** Metrics of a property are of events. */
const countsOf = (metric: string) => (isNamed(metric) ? METRICS[metric].counts : "events");
const areOfSessions = (metrics: readonly string[]) =>
  metrics.some((one) => ["sessions", "both"].includes(countsOf(one)));
const areOfEvents = (metrics: readonly string[]) =>
  metrics.some((one) => ["events", "both"].includes(countsOf(one)));

function metricsOf(
  metrics: readonly string[],
  counted: Counted,
  goal: Rule | undefined,
  over: { page?: Scalar; currency?: string | undefined },
): (number | null)[] {
  const figures = figuresOf(counted, goal, over);
  return metrics.map((metric) => {
    if (isNamed(metric)) return METRICS[metric].value(figures);
    const [kind = "", property = ""] = metric.split(/:(.*)/s);
    return propertyMetric(kind, property, counted.events);
  });
}

/** The events of a span and its sessions, each with what it fits. */
function visitsOf(all: readonly ExampleEvent[], { from, to }: Span, bots: boolean): OracleVisit[] {
  const near = all.filter(
    (one) => timeOf(one) >= from - DAY && timeOf(one) < to + DAY && (bots || !one.isBot),
  );
  const firstEvents = new Map<string, ExampleEvent[]>();
  for (const one of all) {
    if (one.passive || timeOf(one) >= to + DAY || (one.isBot && !bots)) continue;
    const known = firstEvents.get(one.visitor) ?? [];
    const since = known[0] === undefined ? 0 : timeOf(one) - timeOf(known[0]);
    if (since <= 0) firstEvents.set(one.visitor, since < 0 ? [one] : [...known, one]);
  }
  const sessions = [...Map.groupBy(near, ({ session }) => session).values()];
  return sessions.map((events) => visitOf(events, firstEvents));
}

const ATTRIBUTED = ["source", "channel", "utmSource", "utmMedium", "utmCampaign", "utmTerm", "utmContent"];

/** Finds the visit that an event's attributed dimensions are of. */
function touchFinder(
  all: readonly ExampleEvent[],
  { attribution, include }: OracleQuery,
  { from, to }: Span,
) {
  const { model = "session" } = attribution ?? {};
  if (model === "session") return (_event: ExampleEvent, own: OracleVisit) => own;
  const windowMs = (attribution?.windowDays ?? 30) * DAY;
  const visits = visitsOf(all, { from: from - windowMs, to }, include.bots)
    .filter(({ first }) => !first.passive)
    .sort((one, other) => isBefore(one.first, other.first));
  return ({ visitor, at }: ExampleEvent, own: OracleVisit) => {
    const now = Date.parse(at);
    const isTouch = ({ first, events }: OracleVisit) =>
      timeOf(first) >= now - windowMs &&
      timeOf(first) <= now &&
      events.some((event) => event.visitor === visitor);
    const isDirect = ({ first }: OracleVisit) => (first.channel ?? "Direct") === "Direct";
    const isOther = (visit: OracleVisit) => isTouch(visit) && !isDirect(visit);
    return (model === "firstTouch" ? visits.find(isTouch) : visits.findLast(isOther)) ?? own;
  };
}

/** @param compared what the asked span is compared with, whose events are counted; null: those of the asked span itself */
function countedIn(all: readonly ExampleEvent[], asked: OracleQuery, compared: OracleCompared | null) {
  const { dimensions, filters, timezone } = asked;
  const span = compared?.span ?? spanOf(asked, asked.dateRange);
  const time = dimensions.find((one) => one.startsWith("time:"));
  const grain = time?.slice("time:".length);
  const pairs = !grain
    ? []
    : compared
      ? pairsOf(asked, grain, compared)
      : startsOf(timezone, grain, span).map((start) => ({ name: start, start }));
  const called = pairs.flatMap(({ name }) => (name === null ? [] : [name]));
  const bucketOf = (at: number) => pairs.findLast(({ start }) => start <= at)?.name ?? null;
  const isIn = (at: number) => at >= span.from && at < span.to;
  const groups = new Map<string, Counted>();
  const groupOf = (keys: Scalar[]) => {
    const name = JSON.stringify(keys);
    const group = groups.get(name) ?? emptyGroup(keys);
    groups.set(name, group);
    return group;
  };
  if (dimensions.length === 0) groupOf([]);
  if (time && dimensions.length === 1) for (const start of called) groupOf([start]);
  // each bucket counts the days that end with its last day
  const buckets = time ? pairs : [{ name: null, start: span.from }];
  // the range that is compared with may end in the middle of a bucket
  const ends = buckets.map((_, index) => Math.min(buckets[index + 1]?.start ?? span.to, span.to));
  const startOf = (end: number, days: number) =>
    firstInstant(timezone, shifted(wallAt(timezone, end - 1).date, 1 - days));
  const wanted = new Set(asked.metrics.flatMap((metric) => DAYS_OF[metric] ?? []));
  for (const days of wanted) {
    const windows = buckets
      .map(({ name }, index) => {
        const end = ends[index]!;
        return { name, from: startOf(end, days), end };
      })
      // a week that is compared with two parts of a month ends with the last one
      .filter(({ name }, index) => !buckets.slice(index + 1).some((other) => other.name === name));
    // with a time dimension, the sessions of the most days are those of all
    const from = startOf(ends[0]!, time ? Math.max(...wanted) : days);
    for (const visit of visitsOf(all, { from, to: span.to }, asked.include.bots))
      for (const event of visit.events) {
        if (!filters.every((one) => eventFits(one, event, visit, timezone))) continue;
        for (const { name, from, end } of windows)
          if (timeOf(event) >= from && timeOf(event) < end) {
            const keys = dimensions.map((one) => (one === time ? name : valueOfDimension(one, event, visit)));
            addTo(groupOf(keys).visitorsOfDays, days, [event.visitor]);
          }
      }
  }
  const touchOf = touchFinder(all, asked, span);
  for (const visit of visitsOf(all, span, asked.include.bots)) {
    const fitting = visit.events.filter((event) =>
      filters.every((one) => eventFits(one, event, visit, timezone)),
    );
    const dimensionOf = (one: string, event: ExampleEvent) =>
      valueOfDimension(one, event, ATTRIBUTED.includes(one) ? touchOf(event, visit) : visit);
    const keysOf = (event: ExampleEvent, at: number) =>
      dimensions.map((one) =>
        one === time ? bucketOf(at) : (clockValue(one, timezone, at) ?? dimensionOf(one, event)),
      );
    const started = timeOf(visit.first);
    for (const event of fitting) {
      if (isIn(timeOf(event))) {
        const { events, visitorsOfType: types } = groupOf(keysOf(event, timeOf(event)));
        events.push(event);
        addTo(types, visit.visitorType, [event.visitor]);
      }
      // a session counts where it has an event of the range
      if (!isIn(started) || visit.first.passive || !isIn(timeOf(event))) continue;
      const { visits } = groupOf(keysOf(event, started));
      if (!visits.includes(visit)) visits.push(visit);
    }
  }
  return { groups, called };
}

const KINDS = ["boolean", "number", "string"];
function compareScalars(one: Scalar, other: Scalar): number {
  if (one === other) return 0;
  if (one === null) return 1;
  if (other === null) return -1;
  const kinds = KINDS.indexOf(typeof one) - KINDS.indexOf(typeof other);
  return kinds || Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}

/** How many events of bots the answer leaves out. */
export function excludedBotsOf(
  all: readonly ExampleEvent[],
  asked: OracleQuery,
  goals: readonly OracleGoal[] = [],
): number {
  if (asked.include.bots) return 0;
  const span = spanOf(asked, asked.dateRange);
  const left = visitsOf(valuedBy(ruleOf(asked, goals), all), span, true).flatMap((visit) =>
    visit.events.filter(
      (event) =>
        event.isBot &&
        timeOf(event) >= span.from &&
        timeOf(event) < span.to &&
        asked.filters.every((filter) => eventFits(filter, event, visit, asked.timezone)),
    ),
  );
  return left.length;
}

type Row = { keys: Scalar[]; metrics: (number | null)[]; comparison: (number | null)[] | null };

/** Sorts rows as the query says; without a word by time, or else by the first metric. */
function inOrder(rows: Row[], { metrics, dimensions, orderBy }: OracleQuery): OracleRow[] {
  const time = dimensions.find((one) => one.startsWith("time:"));
  const order =
    orderBy && orderBy.length > 0
      ? orderBy
      : [...(time ? [{ field: time, direction: "asc" }] : []), { field: metrics[0]!, direction: "desc" }];
  const byDimensions = dimensions.map((field) => ({ field, direction: "asc" }));
  rows.sort((one, other) => {
    for (const { field, direction } of [...order, ...byDimensions]) {
      const at = dimensions.indexOf(field);
      const pick = (row: typeof one) => (at >= 0 ? row.keys[at]! : row.metrics[metrics.indexOf(field)]!);
      const [a, b] = [pick(one), pick(other)];
      if (a === b) continue;
      if (a === null) return 1;
      if (b === null) return -1;
      const isNumber = at < 0 || field === time || field === "hourOfDay" || field === "dayOfWeek";
      const rising = isNumber ? (a as number) - (b as number) : compareScalars(a, b);
      return direction === "desc" ? -rising : rising;
    }
    return 0;
  });
  return rows.map(({ keys, metrics: found, comparison }) => ({
    dimensions: keys.map((key, at) =>
      dimensions[at] === time && key !== null ? new Date(key as number).toISOString() : key,
    ),
    metrics: found,
    comparison,
  }));
}

/** What a query by goal counts in a span: the events of each group of the other dimensions that reach a goal, and all of them. */
function countedByGoal(
  all: readonly ExampleEvent[],
  asked: OracleQuery,
  goals: readonly OracleGoal[],
  compared: OracleCompared | null,
) {
  const dimensions = asked.dimensions.filter((one) => one !== "goal" && one !== "currency");
  const isByCurrency = asked.dimensions.includes("currency");
  const countedFor = (goal?: OracleGoal) =>
    countedIn(valuedBy(goal, all), { ...asked, dimensions }, compared);
  const [unvalued, ...valued] = [countedFor(), ...goals.map(countedFor)];
  // an event has the currency of its revenue, or of each goal that it reaches
  const everyone = [unvalued, ...valued].flatMap(({ groups }) => [...groups]);
  const eventsOf = (index: number, name: string) =>
    (valued[index]!.groups.get(name)?.events ?? []).filter((event) => isGoal(event, goals[index]));
  const currencyOf = ({ currency }: ExampleEvent) => (isByCurrency ? (currency ?? null) : null);
  const visitsOfGroup = (name: string) => unvalued.groups.get(name)?.visits ?? [];
  return {
    called: unvalued.called,
    groups: new Map(everyone.map(([name, { keys }]) => [name, keys])),
    currenciesOf: (index: number, name: string) => [...new Set(eventsOf(index, name).map(currencyOf))],
    hasReachedSessions: (index: number, name: string) =>
      visitsOfGroup(name).some((visit) => visit.events.some((event) => isGoal(event, goals[index]))),
    metricOf: (metric: string, index: number, name: string, currency: Scalar) => {
      const events = eventsOf(index, name).filter((event) => currencyOf(event) === currency);
      const ofGroup = everyone.filter(([other]) => other === name).flatMap(([, group]) => group.events);
      const visitors = distinct(ofGroup.map(({ visitor }) => visitor));
      if (metric === "conversionRate") return ratio(distinct(events.map(({ visitor }) => visitor)), visitors);
      const isPerVisitor = metric === "revenuePerVisitor";
      const counted = { ...emptyGroup([]), events, visits: visitsOfGroup(name) };
      const asks = { currency: asked.currency };
      const [figure = null] = metricsOf([isPerVisitor ? "revenue" : metric], counted, goals[index], asks);
      return isPerVisitor ? ratio(figure ?? 0, visitors) : figure;
    },
  };
}

/** @returns all rows of a query by goal in order, without regard to pagination */
export function goalRowsOf(
  all: readonly ExampleEvent[],
  asked: OracleQuery,
  goals: readonly OracleGoal[],
): OracleRow[] {
  const { metrics, dimensions } = asked;
  const now = countedByGoal(all, asked, goals, null);
  const compared = comparedOf(asked);
  const then = compared && countedByGoal(all, asked, goals, compared);
  const others = dimensions.filter((one) => one !== "goal" && one !== "currency");
  const timeAt = others.findIndex((one) => one.startsWith("time:"));
  const [wantsSessions, wantsEvents] = [areOfSessions(metrics), areOfEvents(metrics)];
  const rows = goals.flatMap(({ name: goal }, index) =>
    [...now.groups].flatMap(([name, keys]) => {
      const currencies = wantsEvents ? now.currenciesOf(index, name) : [];
      const isThere = dimensions.length === 1 || (wantsSessions && now.hasReachedSessions(index, name));
      const all = currencies.length === 0 && isThere ? [null] : currencies;
      return all.map((currency) => {
        const figures = ({ metricOf: figureOf }: typeof now) =>
          metrics.map((metric) => figureOf(metric, index, name, currency));
        const isComparable = timeAt < 0 || then?.called.includes(keys[timeAt] as number);
        return {
          keys: dimensions.map((one) =>
            one === "goal" ? goal : one === "currency" ? currency : keys[others.indexOf(one)]!,
          ),
          metrics: figures(now),
          comparison: then && isComparable ? figures(then) : null,
        };
      });
    }),
  );
  return inOrder(rows, asked);
}

/** @returns all rows in order, without regard to pagination */
export function answerOf(
  unvalued: readonly ExampleEvent[],
  asked: OracleQuery,
  goals: readonly OracleGoal[] = [],
): OracleRow[] {
  const { metrics, dimensions } = asked;
  const goal = ruleOf(asked, goals);
  const all = valuedBy(goal, unvalued);
  const now = countedIn(all, asked, null);
  const compared = comparedOf(asked);
  const then = compared && countedIn(all, asked, compared);
  const timeAt = dimensions.findIndex((one) => one.startsWith("time:"));
  const hasCounterpart = (keys: Scalar[]) =>
    timeAt < 0 || then?.called.includes(keys[timeAt] as number) === true;
  const figures = (counted: Counted) => {
    const page = counted.keys[dimensions.indexOf("page")] ?? null;
    return metricsOf(metrics, counted, goal, { page, currency: asked.currency });
  };
  // a group is there when something of what was asked for was counted in it
  const isMade = ({ events, visits, visitorsOfDays }: Counted) =>
    visitorsOfDays.size > 0 ||
    (areOfEvents(metrics) && events.length > 0) ||
    (areOfSessions(metrics) && visits.length > 0);
  const isFilled = dimensions.length === 0 || (dimensions.length === 1 && dimensions[0]!.startsWith("time:"));
  const rows = [...now.groups]
    .filter(([, counted]) => isFilled || isMade(counted))
    .map(([name, counted]) => ({
      keys: counted.keys,
      metrics: figures(counted),
      comparison:
        then && hasCounterpart(counted.keys)
          ? figures(then.groups.get(name) ?? emptyGroup(counted.keys))
          : null,
    }));
  return inOrder(rows, asked);
}

export type OracleFigures = Pick<OracleRow, "metrics" | "comparison">;

/** Stickiness is of one day. */
const withoutDays = (metrics: string[], figures: (number | null)[]) =>
  figures.map((figure, index) => (isOfOneDay(metrics[index]!) ? null : figure));

/** The figures of all groups together. */
export function totalOf(
  all: readonly ExampleEvent[],
  { orderBy: _order, attribution: _attribution, ...asked }: OracleQuery,
  goals: readonly OracleGoal[] = [],
): OracleFigures {
  const [{ metrics, comparison }] = answerOf(all, { ...asked, dimensions: [] }, goals) as [OracleRow];
  return {
    metrics: withoutDays(asked.metrics, metrics),
    comparison: comparison && withoutDays(asked.metrics, comparison),
  };
}

/** The figures of all groups that are not on a page together. By time they are compared with none. */
export function otherOf(
  unvalued: readonly ExampleEvent[],
  asked: OracleQuery,
  goals: readonly OracleGoal[],
  page: readonly OracleRow[],
): OracleFigures {
  const { metrics, dimensions } = asked;
  const goal = ruleOf(asked, goals);
  const all = valuedBy(goal, unvalued);
  const listed = new Set(page.map((row) => JSON.stringify(row.dimensions)));
  const timeAt = dimensions.findIndex((one) => one.startsWith("time:"));
  const isListed = ({ keys }: Counted) =>
    listed.has(
      JSON.stringify(
        keys.map((key, at) => (at === timeAt && key !== null ? new Date(key as number).toISOString() : key)),
      ),
    );
  const figures = (compared: OracleCompared | null) => {
    const others = [...countedIn(all, asked, compared).groups.values()].filter((one) => !isListed(one));
    const events = others.flatMap((one) => one.events);
    const visits = [...new Set(others.flatMap((one) => one.visits))];
    const visitorsOfType: Counted["visitorsOfType"] = new Map();
    for (const [type, visitors] of others.flatMap((one) => [...one.visitorsOfType]))
      addTo(visitorsOfType, type, visitors);
    const visitorsOfDays: Counted["visitorsOfDays"] = new Map();
    for (const [days, visitors] of others.flatMap((one) => [...one.visitorsOfDays]))
      addTo(visitorsOfDays, days, visitors);
    const counted = { keys: [], events, visits, visitorsOfType, visitorsOfDays };
    const values = metricsOf(metrics, counted, goal, { currency: asked.currency });
    // each bucket has days of its own
    return values.map((value, at) => (timeAt >= 0 && metrics[at]! in DAYS_OF ? null : value));
  };
  const compared = comparedOf(asked);
  return { metrics: figures(null), comparison: compared && timeAt < 0 ? figures(compared) : null };
}

export interface OracleFunnel extends Pick<OracleQuery, "dateRange" | "timezone" | "filters"> {
  steps: NonNullable<OracleQuery["goal"]>[];
  windowSeconds?: number;
  within?: "visitor" | "session";
  dimension?: string;
  limit?: number;
  include: { bots: boolean; times: boolean };
}

interface OracleRun {
  times: number[];
  segment: Scalar;
}

/** Longer runs come first, then earlier ones. */
function compareRuns(one: OracleRun, other: OracleRun): number {
  if (one.times.length !== other.times.length) return other.times.length - one.times.length;
  const at = one.times.findIndex((time, index) => time !== other.times[index]);
  return at < 0 ? compareScalars(one.segment, other.segment) : one.times[at]! - other.times[at]!;
}

/** The run from each event that takes the first step: the first event of each further step from there, as far as the time allows. */
function runsFrom(
  events: { event: ExampleEvent; segment: Scalar }[],
  rules: (Rule | undefined)[],
  windowSeconds: number,
): OracleRun[] {
  const timesOf = (rule: Rule | undefined) =>
    events.filter(({ event }) => isGoal(event, rule)).map(({ event }) => timeOf(event));
  return events
    .filter(({ event }) => isGoal(event, rules[0]))
    .map(({ event, segment }) => {
      const times = [timeOf(event)];
      for (const rule of rules.slice(1)) {
        const next = Math.min(...timesOf(rule).filter((time) => time >= times.at(-1)!));
        if (next > times[0]! + windowSeconds * 1_000) break;
        times.push(next);
      }
      return { times, segment };
    });
}

function stepsOf(runs: readonly OracleRun[], count: number, hasTimes: boolean) {
  const reached = Array.from({ length: count }, (_, at) => runs.filter(({ times }) => times.length > at));
  return reached.map((here, at) => {
    const seconds = (from: number) => {
      const all = here.map(({ times }) => (times[at]! - times[from]!) / 1_000);
      return { median: percentile(all, 0.5), p90: percentile(all, 0.9) };
    };
    return {
      visitors: here.length,
      shareOfFirst: ratio(here.length, reached[0]!.length),
      shareOfPrevious: ratio(here.length, reached[Math.max(at - 1, 0)]!.length),
      seconds:
        hasTimes && at > 0 && here.length > 0
          ? { sincePrevious: seconds(at - 1), sinceFirst: seconds(0) }
          : null,
    };
  });
}

/** The steps of a funnel, and its segments. */
export function funnelOf(
  all: readonly ExampleEvent[],
  asked: OracleFunnel,
  goals: readonly OracleGoal[],
): { steps: unknown[]; segments: { value: Scalar; steps: unknown[] }[] | null } {
  const { steps, windowSeconds = 86_400, within, dimension, limit = 5, include } = asked;
  const span = spanOf(asked, asked.dateRange);
  const rules = steps.map((goal) => ruleOf({ goal }, goals));
  const events = visitsOf(all, span, include.bots).flatMap((visit) =>
    visit.events
      .filter((event) => timeOf(event) >= span.from && timeOf(event) < span.to)
      .filter((event) => asked.filters.every((one) => eventFits(one, event, visit, asked.timezone)))
      .map((event) => ({ event, segment: dimension ? valueOfDimension(dimension, event, visit) : null })),
  );
  const byVisitor = Map.groupBy(events, ({ event }) => event.visitor);
  const runs = [...byVisitor.values()].flatMap((own) => {
    const apart = Map.groupBy(own, ({ event }) => (within === "session" ? event.session : ""));
    const found = [...apart.values()].flatMap((some) => runsFrom(some, rules, windowSeconds));
    return found.sort(compareRuns).slice(0, 1);
  });
  const toSteps = (some: readonly OracleRun[]) => stepsOf(some, steps.length, include.times);
  const segments = [...Map.groupBy(runs, ({ segment }) => segment)].sort(
    ([value, some], [other, others]) => others.length - some.length || compareScalars(value, other),
  );
  return {
    steps: toSteps(runs),
    segments: dimension
      ? segments.slice(0, limit).map(([value, some]) => ({ value, steps: toSteps(some) }))
      : null,
  };
}
