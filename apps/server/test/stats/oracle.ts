/**
 * The oracle: docs/stats.md in plain TypeScript, independent of the code that it checks. It answers each query
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

export type OracleComparison =
  | boolean
  | { mode: "previous" | "year" | "custom"; dateRange?: [string, string] };

/** A goal of the source. */
export interface OracleGoal {
  name: string;
  event?: string;
  path?: string;
  conditions?: { property: string; operator: string; value: Scalar }[];
  value?: { amount: number; currency: string };
}

export interface OracleQuery {
  dateRange: [string, string];
  timezone: string;
  metrics: string[];
  dimensions: string[];
  filters: OracleFilter[];
  goal?: { event?: string; page?: string; name?: string };
  attribution?: { model: "session" | "firstTouch"; windowDays?: number };
  orderBy?: { field: string; direction: string }[];
  include: { bots: boolean; comparison: OracleComparison };
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
const spanOf = ({ timezone }: OracleQuery, [from, to]: [string, string]): Span => ({
  from: instantOf(timezone, from),
  to: instantOf(timezone, to),
});
const daysIn = ([from, to]: [string, string]) =>
  isDay(from) && isDay(to) ? (Date.parse(to) - Date.parse(from)) / DAY : null;

const lastYear = (date: string) => {
  const [year = "", month = "", day = ""] = date.split("-");
  return new Date(Date.UTC(Number(year) - 1, Number(month) - 1, Number(day))).toISOString().slice(0, 10);
};

/** The span that the asked one is compared with, and what an instant of the asked one is compared with. */
function comparedOf(asked: OracleQuery): { span: Span; before: (at: number) => number } {
  const { dateRange, timezone, include } = asked;
  const { comparison } = include;
  const { mode, dateRange: other } =
    typeof comparison === "boolean" ? ({ mode: "previous" } as const) : comparison;
  const [span, days] = [spanOf(asked, dateRange), daysIn(dateRange)];
  const moved = (dayBefore: (date: string) => string) => (at: number) => {
    const { date } = wallAt(timezone, at);
    const sinceMidnight = at - firstInstant(timezone, date);
    const then = dayBefore(date);
    return Math.min(firstInstant(timezone, then) + sinceMidnight, firstInstant(timezone, shifted(then, 1)));
  };
  if (mode === "year") {
    const before = moved(days !== null && days % 7 === 0 ? (date) => shifted(date, -364) : lastYear);
    return { span: { from: before(span.from), to: before(span.to) }, before };
  }
  if (mode === "custom" && other) {
    const then = spanOf(asked, other);
    const apart =
      (Date.parse(wallAt(timezone, then.from).date) - Date.parse(wallAt(timezone, span.from).date)) / DAY;
    const isOfDays = days !== null && daysIn(other) !== null;
    const before = isOfDays
      ? moved((date) => shifted(date, apart))
      : (at: number) => at - span.from + then.from;
    return { span: then, before };
  }
  if (days === null) {
    const before = (at: number) => at - (span.to - span.from);
    return { span: { from: before(span.from), to: span.from }, before };
  }
  const before = moved((date) => shifted(date, -days));
  return { span: { from: before(span.from), to: span.from }, before };
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
}

function visitOf(events: ExampleEvent[]): OracleVisit {
  const inOrder = [...events].sort(isBefore);
  const last = inOrder.findLast(isPage) ?? inOrder.at(-1)!;
  const first = inOrder.find(({ passive }) => !passive) ?? inOrder[0]!;
  return { events: inOrder, first, exitPage: last.page ?? null };
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
    case "currency":
      return event.currency ?? null;
    case "entryPage":
      return first.page ?? null;
    case "exitPage":
      return exitPage;
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

type Rule = Omit<OracleGoal, "name">;

function ruleOf({ goal }: OracleQuery, goals: readonly OracleGoal[]): Rule | undefined {
  if (goal?.name !== undefined) return goals.find(({ name }) => name === goal.name)!;
  if (goal?.page !== undefined) return { path: goal.page };
  return goal?.event === undefined ? undefined : { event: goal.event };
}

function isGoal(event: ExampleEvent, goal: Rule | undefined): boolean {
  if (goal === undefined) return false;
  for (const { property, operator, value } of goal.conditions ?? [])
    if (!leafFits(propertyOf(event, property), operator, value)) return false;
  if (goal.event !== undefined) return (event.name ?? "page_view") === goal.event;
  if (!isPage(event) || event.page === undefined) return false;
  const pieces = goal.path!.split("*").map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${pieces.join(".*")}$`, "su").test(event.page);
}

interface Counted {
  keys: Scalar[];
  events: ExampleEvent[];
  visits: OracleVisit[];
}

const sumOf = (values: (number | undefined)[]) => values.reduce<number>((sum, one) => sum + (one ?? 0), 0);

/** With interpolation between the two nearest values, as a spreadsheet's PERCENTILE does. */
function percentile(values: number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low === undefined || high === undefined ? null : low + (high - low) * (at - Math.floor(at));
}

/** The mean of the greatest depth of each page in each session. */
function meanDepth(events: ExampleEvent[]): number | null {
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

function metricOf(metric: string, { events, visits }: Counted, goal: Rule | undefined): number | null {
  if (metric.startsWith("sum:"))
    return events.reduce((sum, event) => {
      const value = propertyOf(event, metric.slice("sum:".length));
      return typeof value === "number" ? sum + value : sum;
    }, 0);
  if (metric.startsWith("p75:")) {
    const vitals = events.filter(({ name }) => name === "web_vitals");
    const values = vitals.map((event) => propertyOf(event, metric.slice("p75:".length)));
    return percentile(
      values.filter((value) => typeof value === "number"),
      0.75,
    );
  }
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
    case "planViolations":
      return events.filter(({ planViolation }) => planViolation).length;
    case "viewsPerSession":
      return ratio(events.filter(isPage).length, visits.length);
    case "bounceRate":
      return ratio(
        visits.filter(
          ({ events: all }) =>
            all.filter(isPage).length === 1 && all.every((one) => isPage(one) || one.passive),
        ).length,
        visits.length,
      );
    case "sessionDuration": {
      const totalMs = visits.reduce(
        (sum, { events: all, first }) => sum + timeOf(all.at(-1)!) - timeOf(first),
        0,
      );
      // in one division, so that means that are equal are so to the last digit, and tie
      return ratio(totalMs, 1_000 * visits.length);
    }
    case "conversions":
      return events.filter((one) => isGoal(one, goal)).length;
    case "engagedSessions":
      return visits.filter(
        ({ events: all }) =>
          all.filter(isPage).length > 1 ||
          sumOf(all.map(({ engagedSeconds }) => engagedSeconds)) >= 10 ||
          all.some((event) => isGoal(event, goal)),
      ).length;
    case "timeOnPage": {
      const seconds = sumOf(events.map(({ engagedSeconds }) => engagedSeconds));
      return seconds === 0 ? null : ratio(seconds, events.filter(isPage).length);
    }
    case "scrollDepth":
      return meanDepth(events);
    case "revenue":
      return sumOf(
        events.filter((one) => goal === undefined || isGoal(one, goal)).map(({ revenue }) => revenue),
      );
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
function visitsOf(all: readonly ExampleEvent[], { from, to }: Span, bots: boolean): OracleVisit[] {
  const near = all.filter(
    (one) => timeOf(one) >= from - DAY && timeOf(one) < to + DAY && (bots || !one.isBot),
  );
  return [...Map.groupBy(near, ({ session }) => session).values()].map(visitOf);
}

const ATTRIBUTED = ["source", "channel", "utmSource", "utmMedium", "utmCampaign", "utmTerm", "utmContent"];

/** Finds the visit that an event's attributed dimensions are of. */
function touchFinder(
  all: readonly ExampleEvent[],
  { attribution, include }: OracleQuery,
  { from, to }: Span,
) {
  if (attribution?.model !== "firstTouch") return (_event: ExampleEvent, own: OracleVisit) => own;
  const windowMs = (attribution.windowDays ?? 30) * DAY;
  const visits = visitsOf(all, { from: from - windowMs, to }, include.bots)
    .filter(({ first }) => !first.passive)
    .sort((one, other) => isBefore(one.first, other.first));
  return ({ visitor, at }: ExampleEvent, own: OracleVisit) => {
    const now = Date.parse(at);
    const isTouch = ({ first, events }: OracleVisit) =>
      timeOf(first) >= now - windowMs &&
      timeOf(first) <= now &&
      events.some((event) => event.visitor === visitor);
    return visits.find(isTouch) ?? own;
  };
}

/** @param compared the buckets to compare, and what an instant of theirs is compared with; null: the asked span itself */
function countedIn(
  all: readonly ExampleEvent[],
  asked: OracleQuery,
  span: Span,
  compared: { names: number[]; before: (at: number) => number } | null,
) {
  const { dimensions, filters, timezone } = asked;
  const time = dimensions.find((one) => one.startsWith("time:"));
  const grain = time?.slice("time:".length);
  const isOfDays = grain === "day" || grain === "week" || grain === "month";
  const own = grain ? startsOf(timezone, grain, span) : [];
  const names = compared?.names ?? own;
  const begins = compared && isOfDays ? names.map(compared.before) : own;
  const pairs = names
    .map((name, index) => ({ name, start: begins[index] ?? Number.POSITIVE_INFINITY }))
    .filter(({ start }, index) => start < span.to && start !== begins[index + 1]);
  const called = pairs.map(({ name }) => name);
  const starts = pairs.map(({ start }) => start);
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
  const touchOf = touchFinder(all, asked, span);
  for (const visit of visitsOf(all, span, asked.include.bots)) {
    const fitting = visit.events.filter((event) => filters.every((one) => eventFits(one, event, visit)));
    const dimensionOf = (one: string, event: ExampleEvent) =>
      valueOfDimension(one, event, ATTRIBUTED.includes(one) ? touchOf(event, visit) : visit);
    const keysOf = (event: ExampleEvent, at: number) =>
      dimensions.map((one) => (one === time ? bucketOf(at) : dimensionOf(one, event)));
    const started = timeOf(visit.first);
    for (const event of fitting) {
      if (isIn(timeOf(event))) groupOf(keysOf(event, timeOf(event))).events.push(event);
      if (!isIn(started) || visit.first.passive) continue;
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
        asked.filters.every((filter) => eventFits(filter, event, visit)),
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

/**
 * A query by goal, alone or with currency: each goal counts on its own.
 * @returns all rows in order, without regard to pagination
 */
export function goalRowsOf(
  all: readonly ExampleEvent[],
  asked: OracleQuery,
  goals: readonly OracleGoal[],
): OracleRow[] {
  const { metrics, dimensions, include, dateRange } = asked;
  const isByCurrency = dimensions.includes("currency");
  const countOf = (goal: OracleGoal, span: Span) => {
    const fitting = visitsOf(valuedBy(goal, all), span, include.bots).flatMap((visit) =>
      visit.events.filter(
        (event) =>
          timeOf(event) >= span.from &&
          timeOf(event) < span.to &&
          asked.filters.every((one) => eventFits(one, event, visit)),
      ),
    );
    const visitors = distinct(fitting.map(({ visitor }) => visitor));
    const reached = fitting.filter((event) => isGoal(event, goal));
    const currencyOf = ({ currency }: ExampleEvent) => (isByCurrency ? (currency ?? null) : null);
    return { visitors, byCurrency: Map.groupBy(reached, currencyOf) };
  };
  const rows = goals.flatMap((goal) => {
    const now = countOf(goal, spanOf(asked, dateRange));
    const then = include.comparison ? countOf(goal, comparedOf(asked).span) : null;
    const currencies = now.byCurrency.size > 0 ? [...now.byCurrency.keys()] : [null];
    return currencies.map((currency) => {
      const figures = ({ visitors, byCurrency }: typeof now) => {
        const events = byCurrency.get(currency) ?? [];
        const converted = distinct(events.map(({ visitor }) => visitor));
        return metrics.map((metric) => {
          if (metric === "conversionRate") return ratio(converted, visitors);
          return metricOf(metric, { keys: [], events, visits: [] }, goal);
        });
      };
      return {
        keys: dimensions.map((one) => (one === "currency" ? currency : goal.name)),
        metrics: figures(now),
        comparison: then && figures(then),
      };
    });
  });
  return inOrder(rows, asked);
}

/** @returns all rows in order, without regard to pagination */
export function answerOf(
  unvalued: readonly ExampleEvent[],
  asked: OracleQuery,
  goals: readonly OracleGoal[] = [],
): OracleRow[] {
  const { metrics, dimensions, include } = asked;
  const goal = ruleOf(asked, goals);
  const all = valuedBy(goal, unvalued);
  const span = spanOf(asked, asked.dateRange);
  const now = countedIn(all, asked, span, null);
  const compared = comparedOf(asked);
  const then = include.comparison
    ? countedIn(all, asked, compared.span, { names: now.called, before: compared.before })
    : null;
  const timeAt = dimensions.findIndex((one) => one.startsWith("time:"));
  const hasCounterpart = (keys: Scalar[]) =>
    timeAt < 0 || then?.called.includes(keys[timeAt] as number) === true;
  const figures = (counted: Counted) => metrics.map((metric) => metricOf(metric, counted, goal));
  const isMade = ({ events, visits }: Counted) => {
    // a group is there when something of what was asked for was counted in it
    const ofSessions = ["sessions", "bounceRate", "sessionDuration", "engagedSessions"];
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
      comparison:
        then && hasCounterpart(counted.keys)
          ? figures(then.groups.get(name) ?? { keys: [], events: [], visits: [] })
          : null,
    }));
  return inOrder(rows, asked);
}
