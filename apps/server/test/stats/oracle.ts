/**
 * The oracle: docs/contract.md section 9 in plain TypeScript, independent of the code that it checks. It answers each query
 * by going through all events, and finds each bucket by walking through the time.
 */
import type { ExampleEvent } from "./examples.ts";

type Scalar = string | number | boolean | null;
export type OracleFilter =
  | { dimension: string; operator: string; value: Scalar | Scalar[] }
  | { and: OracleFilter[] }
  | { or: OracleFilter[] }
  | { not: OracleFilter }
  | { sessionHas: OracleFilter };

export interface OracleQuery {
  dateRange: [string, string];
  timezone: string;
  metrics: string[];
  dimensions: string[];
  filters: OracleFilter[];
  goal: { event?: string; page?: string };
  orderBy?: { field: string; direction: string }[];
  include: { bots: boolean; comparison: boolean };
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

/** The asked span and the one before. */
export function spansOf({ dateRange: [from, to], timezone }: OracleQuery): [Span, Span] {
  const instant = (text: string) => (isDay(text) ? firstInstant(timezone, text) : Date.parse(text));
  const span = { from: instant(from), to: instant(to) };
  if (!isDay(from) || !isDay(to)) return [span, { from: span.from - (span.to - span.from), to: span.from }];
  const days = (Date.parse(to) - Date.parse(from)) / DAY;
  return [span, { from: firstInstant(timezone, shifted(from, -days)), to: span.from }];
}

/** Where the bucket before begins. */
function earlier(asked: OracleQuery, start: number): number {
  const { dateRange, timezone } = asked;
  const [from, to] = dateRange;
  const [span] = spansOf(asked);
  if (!isDay(from) || !isDay(to)) return start - (span.to - span.from);
  const days = (Date.parse(to) - Date.parse(from)) / DAY;
  return firstInstant(timezone, shifted(wallAt(timezone, start).date, -days));
}

const timeOf = ({ at }: ExampleEvent) => Date.parse(at);
const isPage = ({ name }: ExampleEvent) => name === undefined;
const isBefore = (one: ExampleEvent, other: ExampleEvent) =>
  timeOf(one) - timeOf(other) || Buffer.compare(Buffer.from(one.id), Buffer.from(other.id));

interface OracleVisit {
  events: ExampleEvent[];
  first: ExampleEvent;
  exitPage: string | null;
}

function visitOf(events: ExampleEvent[]): OracleVisit {
  const inOrder = [...events].sort(isBefore);
  const last = inOrder.findLast(isPage) ?? inOrder.at(-1)!;
  return { events: inOrder, first: inOrder[0]!, exitPage: last.page ?? null };
}

function scalarOf(value: unknown): Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}
/** `a.b` is the b of a, or a member of that name. */
function propertyOf({ properties }: ExampleEvent, name: string): Scalar {
  const look = (value: unknown, path: string): unknown => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    for (const [key, member] of Object.entries(value)) {
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

function valueOfDimension(dimension: string, event: ExampleEvent, { first, exitPage }: OracleVisit): Scalar {
  if (dimension.startsWith("property:")) return propertyOf(event, dimension.slice("property:".length));
  switch (dimension) {
    case "page":
      return event.page ?? null;
    case "host":
      return event.page === undefined ? null : (event.host ?? "shop.example");
    case "event":
      return event.name ?? "page_view";
    case "sentBy":
      return event.sentBy ?? "browser";
    case "entryPage":
      return first.page ?? null;
    case "exitPage":
      return exitPage;
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
      return first[dimension] ?? null;
    default:
      throw new Error(dimension);
  }
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

function eventFits(filter: OracleFilter, event: ExampleEvent, visit: OracleVisit): boolean {
  if ("and" in filter) return filter.and.every((one) => eventFits(one, event, visit));
  if ("or" in filter) return filter.or.some((one) => eventFits(one, event, visit));
  if ("not" in filter) return !eventFits(filter.not, event, visit);
  if ("sessionHas" in filter) return visit.events.some((one) => eventFits(filter.sessionHas, one, visit));
  return leafFits(valueOfDimension(filter.dimension, event, visit), filter.operator, filter.value);
}

function isGoal(event: ExampleEvent, goal: OracleQuery["goal"]): boolean {
  if (goal.event !== undefined) return (event.name ?? "page_view") === goal.event;
  if (!isPage(event) || event.page === undefined) return false;
  const pieces = goal.page!.split("*").map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${pieces.join(".*")}$`, "su").test(event.page);
}

interface Counted {
  keys: Scalar[];
  events: ExampleEvent[];
  visits: OracleVisit[];
}

const distinct = (values: (string | undefined)[]) => new Set(values.filter((one) => one !== undefined)).size;
const ratio = (of: number, over: number) => (over === 0 ? null : of / over);

function metricOf(metric: string, { events, visits }: Counted, goal: OracleQuery["goal"]): number | null {
  if (metric.startsWith("sum:"))
    return events.reduce((sum, event) => {
      const value = propertyOf(event, metric.slice("sum:".length));
      return typeof value === "number" ? sum + value : sum;
    }, 0);
  const visitors = distinct(events.map(({ visitor }) => visitor));
  switch (metric) {
    case "visitors":
      return visitors;
    case "users":
      return distinct(events.map(({ user }) => user));
    case "sessions":
      return visits.length;
    case "pageviews":
      return events.filter(isPage).length;
    case "events":
      return events.length;
    case "viewsPerSession":
      return ratio(events.filter(isPage).length, visits.length);
    case "bounceRate":
      return ratio(
        visits.filter(({ events: all }) => all.filter(isPage).length === 1 && all.every(isPage)).length,
        visits.length,
      );
    case "sessionDuration": {
      const totalMs = visits.reduce((sum, { events: all }) => sum + timeOf(all.at(-1)!) - timeOf(all[0]!), 0);
      // in one division, so that means that are equal are so to the last digit, and tie
      return ratio(totalMs, 1_000 * visits.length);
    }
    case "conversionRate":
      return ratio(
        distinct(events.filter((one) => isGoal(one, goal)).map(({ visitor }) => visitor)),
        visitors,
      );
    default:
      throw new Error(metric);
  }
}

/** The events of a span and its sessions, each with what it fits. */
export function visitsOf(all: readonly ExampleEvent[], { from, to }: Span, bots: boolean): OracleVisit[] {
  const near = all.filter(
    (one) => timeOf(one) >= from - DAY && timeOf(one) < to + DAY && (bots || !one.isBot),
  );
  return [...Map.groupBy(near, ({ session }) => session).values()].map(visitOf);
}

function countedIn(all: readonly ExampleEvent[], asked: OracleQuery, span: Span, names: number[] | null) {
  const { dimensions, filters, timezone } = asked;
  const time = dimensions.find((one) => one.startsWith("time:"));
  const grain = time?.slice("time:".length);
  const isOfDays = grain === "day" || grain === "week" || grain === "month";
  const own = grain ? startsOf(timezone, grain, span) : [];
  const starts = names && isOfDays ? names.map((start) => earlier(asked, start)) : own;
  const called = names ?? starts;
  const bucketOf = (at: number) => called[starts.findLastIndex((start) => start <= at)] ?? null;
  const isIn = (at: number) => at >= span.from && at < span.to;
  const groups = new Map<string, Counted>();
  const groupOf = (keys: Scalar[]) => {
    const name = JSON.stringify(keys);
    const group = groups.get(name) ?? { keys, events: [], visits: [] };
    groups.set(name, group);
    return group;
  };
  if (dimensions.length === 0) groupOf([]);
  if (time && dimensions.length === 1) for (const start of called) groupOf([start]);
  for (const visit of visitsOf(all, span, asked.include.bots)) {
    const fitting = visit.events.filter((event) => filters.every((one) => eventFits(one, event, visit)));
    const keysOf = (event: ExampleEvent, at: number) =>
      dimensions.map((one) => (one === time ? bucketOf(at) : valueOfDimension(one, event, visit)));
    const started = timeOf(visit.first);
    for (const event of fitting) {
      if (isIn(timeOf(event))) groupOf(keysOf(event, timeOf(event))).events.push(event);
      if (!isIn(started)) continue;
      const { visits } = groupOf(keysOf(event, started));
      if (!visits.includes(visit)) visits.push(visit);
    }
  }
  return { groups, starts };
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
export function excludedBotsOf(all: readonly ExampleEvent[], asked: OracleQuery): number {
  if (asked.include.bots) return 0;
  const [span] = spansOf(asked);
  const left = visitsOf(all, span, true).flatMap((visit) =>
    visit.events.filter(
      (event) =>
        event.isBot &&
        timeOf(event) >= span.from &&
        timeOf(event) < span.to &&
        asked.filters.every((filter) => eventFits(filter, event, visit)),
    ),
  );
  return left.length;
}

/** @returns all rows in order, without regard to pagination */
export function answerOf(all: readonly ExampleEvent[], asked: OracleQuery): OracleRow[] {
  const { metrics, dimensions, goal, orderBy, include } = asked;
  const [span, before] = spansOf(asked);
  const now = countedIn(all, asked, span, null);
  const then = include.comparison ? countedIn(all, asked, before, now.starts).groups : null;
  const figures = (counted: Counted) => metrics.map((metric) => metricOf(metric, counted, goal));
  const isMade = ({ events, visits }: Counted) => {
    // a group is there when something of what was asked for was counted in it
    const ofSessions = ["sessions", "bounceRate", "sessionDuration"];
    const wantsSessions = metrics.some((one) => ofSessions.includes(one) || one === "viewsPerSession");
    const wantsEvents = metrics.some((one) => !ofSessions.includes(one));
    return (wantsEvents && events.length > 0) || (wantsSessions && visits.length > 0);
  };
  const isFilled = dimensions.length === 0 || (dimensions.length === 1 && dimensions[0]!.startsWith("time:"));
  const rows = [...now.groups]
    .filter(([, counted]) => isFilled || isMade(counted))
    .map(([name, counted]) => ({
      keys: counted.keys,
      metrics: figures(counted),
      comparison: then ? figures(then.get(name) ?? { keys: [], events: [], visits: [] }) : null,
    }));
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
      const rising = at < 0 || field === time ? (a as number) - (b as number) : compareScalars(a, b);
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
