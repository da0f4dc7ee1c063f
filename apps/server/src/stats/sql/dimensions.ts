/** The dimensions of queries: each is one entry of TEXT_DIMENSIONS with its SQL over a row of `events`. */
import {
  STATS_CLOCK_DIMENSIONS,
  STATS_GOAL_DIMENSION,
  STATS_GRAINS,
  type STATS_TEXT_DIMENSIONS,
  type StatsDimension,
  type StatsValueDimension,
} from "@headwater/contract";
import { IS_PAGE_VIEW, OPENS_SESSION } from "../../clickhouse/schema/event-types.ts";
import type { ClockChange, Grain } from "../calendar.ts";
import { propertySql } from "./properties.ts";
import type { Bind } from "./statement.ts";

type TextDimensionName = (typeof STATS_TEXT_DIMENSIONS)[number];

interface TextDimension {
  /**
   * The holder of the value: the event itself, the first event of its session, the session's last page view, the first visit of its
   * visitor, or the session itself.
   */
  readonly from: "event" | "entry" | "exit" | "firstVisit" | "session";
  /** The value in a row of `events`, or NULL when it is missing; of the session itself, an aggregate over its events. */
  readonly sql: string;
  /** A source may have thousands of values. */
  readonly hasManyValues?: boolean;
}

/** The end of the first folders of a path: of its last one, if it has fewer. */
const folderEndSql = (count: number): string => {
  if (count === 0) return "toUInt64(1)";
  const before = folderEndSql(count - 1);
  return `greatest(${before}, position(page.path, '/', ${before} + 1))`;
};
const folderSql = (count: number) => `substring(page.path, 1, ${folderEndSql(count)})`;

/** The first event of a visitor that is not passive is the only one at `firstVisitAt`, or another one of the same millisecond. */
const VISITOR_TYPE = `multiIf(countIf(${OPENS_SESSION}) = 0, NULL,
  max(${OPENS_SESSION} AND occurredAt = firstVisitAt), 'new', 'returning')`;

const TEXT_DIMENSIONS: Readonly<Record<TextDimensionName, TextDimension>> = {
  page: { from: "event", sql: "page.path", hasManyValues: true },
  host: { from: "event", sql: "page.host" },
  event: { from: "event", sql: "name" },
  sentBy: { from: "event", sql: "sentBy" },
  currency: { from: "event", sql: "currency" },
  "folder:1": { from: "event", sql: folderSql(1) },
  "folder:2": { from: "event", sql: folderSql(2) },
  "folder:3": { from: "event", sql: folderSql(3), hasManyValues: true },
  contentGroup: { from: "event", sql: "NULL" },
  entryPage: { from: "entry", sql: "page.path", hasManyValues: true },
  exitPage: { from: "exit", sql: "page.path", hasManyValues: true },
  source: { from: "entry", sql: "source" },
  channel: { from: "entry", sql: "channel" },
  referrer: { from: "entry", sql: "page.referrerHost" },
  utmSource: { from: "entry", sql: "page.utm.source" },
  utmMedium: { from: "entry", sql: "page.utm.medium" },
  utmCampaign: { from: "entry", sql: "page.utm.campaign" },
  utmTerm: { from: "entry", sql: "page.utm.term" },
  utmContent: { from: "entry", sql: "page.utm.content" },
  clickId: { from: "entry", sql: "if(empty(page.clickIds), NULL, arrayMin(mapKeys(page.clickIds)))" },
  device: { from: "entry", sql: "device.device" },
  browser: { from: "entry", sql: "device.browser" },
  browserVersion: { from: "entry", sql: "device.browserVersion" },
  os: { from: "entry", sql: "device.os" },
  osVersion: { from: "entry", sql: "device.osVersion" },
  screen: { from: "entry", sql: "screen" },
  locale: { from: "entry", sql: "locale" },
  country: { from: "entry", sql: "country" },
  region: { from: "entry", sql: "region" },
  city: { from: "entry", sql: "city", hasManyValues: true },
  visitorType: { from: "session", sql: VISITOR_TYPE },
  firstSource: { from: "firstVisit", sql: "source" },
  firstChannel: { from: "firstVisit", sql: "channel" },
  firstUtmCampaign: { from: "firstVisit", sql: "page.utm.campaign" },
  firstEntryPage: { from: "firstVisit", sql: "page.path", hasManyValues: true },
  site: { from: "entry", sql: "sourceId" },
};

/** A dimension with a stored value in each event or session. */
export type StoredDimension =
  | { readonly kind: "property"; readonly name: string }
  | { readonly kind: "text"; readonly name: TextDimensionName };
/** A dimension with values in each event or session. */
export type ValueDimension =
  | StoredDimension
  | { readonly kind: "goal"; readonly name: typeof STATS_GOAL_DIMENSION };
/** The hour or weekday on the clock of the query's time zone. */
export interface ClockDimension {
  readonly kind: "clock";
  readonly name: (typeof STATS_CLOCK_DIMENSIONS)[number];
}
/** A dimension that filters take. */
export type FilterDimension = StoredDimension | ClockDimension;
/** A dimension of the time of the event, or of the session's first event. */
export type TimeDimension = { readonly kind: "time"; readonly grain: Grain } | ClockDimension;
export type Dimension = ValueDimension | TimeDimension;

export const isOfTime = (dimension: Dimension): dimension is TimeDimension =>
  dimension.kind === "time" || dimension.kind === "clock";

/** SQL over a local time in milliseconds since 1970-01-01, which was a Thursday. */
const CLOCK_SQL: Readonly<Record<ClockDimension["name"], (localMs: string) => string>> = {
  hourOfDay: (localMs) => `positiveModulo(intDiv(${localMs}, 3600000), 24)`,
  dayOfWeek: (localMs) => `positiveModulo(intDiv(${localMs}, 86400000) + 3, 7) + 1`,
};

/**
 * A dimension of the clock at a time.
 * @param atMs SQL of the time in milliseconds since the epoch
 * @param changes those of a period that contains the time
 */
export function clockSql(
  bind: Bind,
  { name }: ClockDimension,
  atMs: string,
  changes: readonly ClockChange[],
): string {
  const times = bind(
    "Array(Int64)",
    changes.map(({ at }) => at),
  );
  const offsets = bind(
    "Array(Int64)",
    changes.map(({ offsetMs }) => offsetMs),
  );
  return CLOCK_SQL[name](
    `(${atMs} + transform(roundDown(${atMs}, ${times}), ${times}, ${offsets}, toInt64(0)))`,
  );
}

const TIME = "time:";
const PROPERTY = "property:";
const isTextDimension = (name: string): name is TextDimensionName => Object.hasOwn(TEXT_DIMENSIONS, name);

const isOfValues = (name: StatsDimension): name is StatsValueDimension =>
  name.startsWith(PROPERTY) || isTextDimension(name);
/** @param name one that the schema admits */
export const parseValueDimension = (name: StatsValueDimension): StoredDimension =>
  isTextDimension(name) ? { kind: "text", name } : { kind: "property", name: name.slice(PROPERTY.length) };

/** @param name one that the schema admits */
export function parseDimension(name: StatsDimension): Dimension {
  if (isOfValues(name)) return parseValueDimension(name);
  if (name === STATS_GOAL_DIMENSION) return { kind: "goal", name };
  const clock = STATS_CLOCK_DIMENSIONS.find((one) => one === name);
  if (clock) return { kind: "clock", name: clock };
  const grain = STATS_GRAINS.find((one) => name === `${TIME}${one}`);
  if (grain === undefined) throw new Error(`unknown dimension ${name}`);
  return { kind: "time", grain };
}

/** Whether the values are paths, which people write with letters that are stored percent-encoded. */
export const isPath = ({ kind, name }: ValueDimension | FilterDimension): boolean =>
  kind === "text" && TEXT_DIMENSIONS[name].sql.includes("page.path");
export const isCurrency = (dimension: Dimension): boolean =>
  dimension.kind === "text" && dimension.name === "currency";
export const isTimeDimension = (name: StatsDimension): boolean => name.startsWith(TIME);
export const hasManyValues = ({ kind, name }: ValueDimension): boolean =>
  kind === "text" && TEXT_DIMENSIONS[name].hasManyValues === true;
/** Whether each event has its own value of the dimension. Otherwise all events of a session have the same value. */
export const isEventLevel = ({ kind, name }: ValueDimension | FilterDimension): boolean =>
  kind !== "text" || TEXT_DIMENSIONS[name].from === "event";

export const asText = (sql: string): string => `CAST(${sql} AS Nullable(String))`;
/** A text dimension in a row of `events`, as it is stored. */
export const columnSql = (name: TextDimensionName): string => TEXT_DIMENSIONS[name].sql;
/** A text dimension in a row of `events`: a text, or NULL. */
export const textSql = (name: TextDimensionName): string => asText(columnSql(name));
/** SQL of a text or NULL over a row of `events`. */
export type TextSql = (bind: Bind) => string;
/** The dimensions that the query decides: a goal may have a currency, and each source has content groups of its own. */
export type QueriedTexts = Readonly<Record<"currency" | "contentGroup", TextSql>>;
/** The currency of the revenue of an event. */
export const eventCurrencySql: TextSql = () => textSql("currency");
/** A text dimension of a query in a row of `events`. */
export const queriedTextSql = (bind: Bind, name: TextDimensionName, texts: QueriedTexts): string =>
  name === "currency" || name === "contentGroup" ? texts[name](bind) : textSql(name);
/** The goal of a row in a query by goal (`each-goal.ts`). */
export const REACHED_GOAL = "tupleElement(reached, 1)";
/** A dimension of a query in a row of `events`, as a text to group by. */
export function valueSql(bind: Bind, { kind, name }: ValueDimension, texts: QueriedTexts): string {
  if (kind === "goal") return REACHED_GOAL;
  return kind === "property" ? propertySql(bind, name).key : queriedTextSql(bind, name, texts);
}

const TIME_MS = "toUInt64(toUnixTimestamp64Milli(occurredAt))";
/** The order of events by time and then id, as one text: ClickHouse takes four times as long to compare a tuple. */
const eventOrder = (timeMs: string) => `hex(${timeMs}), eventId`;
/** The order in which an event opens its session. Passive events come last: this bit is above those of any time, and leaves the number of bytes as it is. */
export const OPENING_ORDER = eventOrder(`${TIME_MS} + bitShiftLeft(toUInt64(passive), 47)`);
/** Aggregate functions skip NULL, but a first event without a value means that the session has none. */
const encodeNull = (text: string) => `ifNull(concat('=', ${text}), '')`;
const decodeNull = (value: string) => `if(empty(${value}), NULL, substring(${value}, 2))`;
const firstEventValue = (text: string) => decodeNull(`argMin(${encodeNull(text)}, concat(${OPENING_ORDER}))`);
/** The value of the last page view of a session; NULL if it has none. */
const lastViewValue = (text: string) =>
  decodeNull(`argMaxIf(${encodeNull(text)}, concat(${eventOrder(TIME_MS)}), ${IS_PAGE_VIEW})`);

/**
 * A dimension of a session, as an aggregate over its events. Dimensions of first visits need `firstVisitColumns`; those of a session
 * with several visitors are the greatest values.
 */
export function sessionValueSql(name: TextDimensionName): string {
  const { from, sql } = TEXT_DIMENSIONS[name];
  if (from === "session") return sql;
  if (from === "firstVisit") return `max(${name})`;
  return from === "exit" ? lastViewValue(textSql(name)) : firstEventValue(textSql(name));
}

/** A time as a text of 12 characters. */
const FIXED_TIME = `hex(${TIME_MS} + bitShiftLeft(toUInt64(1), 47))`;
/**
 * The value of a visitor's first event, or the smallest one of several in its millisecond: to read the ids of events would take longer
 * than all else. It is the end of the smallest text of a time and a value; a missing value comes after all others.
 */
const firstVisitValue = (text: string) => {
  const first = `min(concat(${FIXED_TIME}, ifNull(concat('=', ${text}), '>')))`;
  return `if(substring(${first}, 13, 1) = '=', substring(${first}, 14), NULL)`;
};

export const VISITOR_TYPE_DIMENSION = { kind: "text", name: "visitorType" } as const satisfies ValueDimension;
/** Whether the first visit of a visitor decides the value. */
export const isOfFirstVisit = (dimension: Dimension): boolean =>
  dimension.kind === "text" && ["firstVisit", "session"].includes(TEXT_DIMENSIONS[dimension.name].from);
/** The columns of first visits that dimensions need, as aggregates over the events of a visitor that are not passive. */
export const firstVisitColumns = (dimensions: readonly Dimension[]): string[] => [
  "min(occurredAt) AS firstVisitAt",
  ...dimensions.flatMap((one) =>
    one.kind === "text" && TEXT_DIMENSIONS[one.name].from === "firstVisit"
      ? [`${firstVisitValue(textSql(one.name))} AS ${one.name}`]
      : [],
  ),
];

/** Whether a dimension is a value of the event that opens the session. */
export const isOfOpeningEvent = (name: TextDimensionName): boolean => TEXT_DIMENSIONS[name].from === "entry";
/**
 * The values of the event that opens the session, as an array and as one aggregate over the session's events. An aggregate for
 * each dimension takes twice the time of a build.
 */
export const openingValuesSql = (names: readonly TextDimensionName[]): string =>
  `CAST(argMin(toString([${names.map(textSql).join(", ")}]), concat(${OPENING_ORDER})) AS Array(Nullable(String)))`;
