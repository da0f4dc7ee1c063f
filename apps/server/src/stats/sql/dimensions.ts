/** The dimensions of queries: each is one entry of TEXT_DIMENSIONS with its SQL over a row of `events`. */
import { STATS_GRAINS, type STATS_TEXT_DIMENSIONS, type StatsDimension } from "@headwater/contract";
import { IS_PAGE_VIEW } from "../../clickhouse/schema/event-types.ts";
import type { Grain } from "../calendar.ts";
import { propertySql } from "./properties.ts";
import type { Bind } from "./statement.ts";

type TextDimensionName = (typeof STATS_TEXT_DIMENSIONS)[number];

interface TextDimension {
  /** Which event has the value: the event itself, the first event of its session, or the session's last page view. */
  readonly from: "event" | "entry" | "exit";
  /** The value in a row of `events`, or NULL when it is missing. */
  readonly sql: string;
  /** A source may have thousands of values. */
  readonly hasManyValues?: boolean;
}

const TEXT_DIMENSIONS: Readonly<Record<TextDimensionName, TextDimension>> = {
  page: { from: "event", sql: "page.path", hasManyValues: true },
  host: { from: "event", sql: "page.host" },
  event: { from: "event", sql: "name" },
  sentBy: { from: "event", sql: "sentBy" },
  currency: { from: "event", sql: "currency" },
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
};

/** A dimension with a value in each event or session. */
export type ValueDimension =
  | { readonly kind: "property"; readonly name: string }
  | { readonly kind: "text"; readonly name: TextDimensionName };
export type Dimension = ValueDimension | { readonly kind: "time"; readonly grain: Grain };

const TIME = "time:";
const PROPERTY = "property:";
const isTextDimension = (name: string): name is TextDimensionName => Object.hasOwn(TEXT_DIMENSIONS, name);

/** @param name one that the schema admits */
export function parseDimension(name: StatsDimension): Dimension {
  if (name.startsWith(PROPERTY)) return { kind: "property", name: name.slice(PROPERTY.length) };
  if (isTextDimension(name)) return { kind: "text", name };
  const grain = STATS_GRAINS.find((one) => name === `${TIME}${one}`);
  if (grain === undefined) throw new Error(`unknown dimension ${name}`);
  return { kind: "time", grain };
}

export const isTimeDimension = (name: StatsDimension): boolean => name.startsWith(TIME);
export const hasManyValues = ({ kind, name }: ValueDimension): boolean =>
  kind === "text" && TEXT_DIMENSIONS[name].hasManyValues === true;
/** Whether each event has its own value of the dimension. Otherwise all events of a session have the same value. */
export const isEventLevel = ({ kind, name }: ValueDimension): boolean =>
  kind === "property" || TEXT_DIMENSIONS[name].from === "event";

export const asText = (sql: string): string => `CAST(${sql} AS Nullable(String))`;
/** A text dimension in a row of `events`, as it is stored. */
export const columnSql = (name: TextDimensionName): string => TEXT_DIMENSIONS[name].sql;
/** A text dimension in a row of `events`: a text, or NULL. */
export const textSql = (name: TextDimensionName): string => asText(columnSql(name));
/** The currency of the revenue of an event, as SQL over a row of `events`. A goal of the query may have one. */
export type CurrencySql = (bind: Bind) => string;
export const eventCurrencySql: CurrencySql = () => textSql("currency");
/** A text dimension of a query in a row of `events`. */
export const queriedTextSql = (bind: Bind, name: TextDimensionName, currency: CurrencySql): string =>
  name === "currency" ? currency(bind) : textSql(name);
/** A dimension of a query in a row of `events`, as a text to group by. */
export const valueSql = (bind: Bind, { kind, name }: ValueDimension, currency: CurrencySql): string =>
  kind === "property" ? propertySql(bind, name).key : queriedTextSql(bind, name, currency);

const TIME_MS = "toUInt64(toUnixTimestamp64Milli(occurredAt))";
/** The order of events by time and then id, as one text: ClickHouse takes four times as long to compare a tuple. */
const eventOrder = (timeMs: string) => `hex(${timeMs}), eventId`;
/** The order in which an event opens its session. Passive events come last: this bit is above those of any time, and leaves the number of bytes as it is. */
export const OPENING_ORDER = eventOrder(`${TIME_MS} + bitShiftLeft(toUInt64(passive), 47)`);
/** Aggregate functions skip NULL, but a first event without a value means that the session has none. */
const encodeNull = (text: string) => `ifNull(concat('=', ${text}), '')`;
const decodeNull = (value: string) => `if(empty(${value}), NULL, substring(${value}, 2))`;
const firstEventValue = (text: string) => decodeNull(`argMin(${encodeNull(text)}, concat(${OPENING_ORDER}))`);
/** The last page view of a session; its last event if it has no page view. */
const lastViewValue = (text: string) =>
  decodeNull(`argMax(${encodeNull(text)}, concat(if(${IS_PAGE_VIEW}, '1', '0'), ${eventOrder(TIME_MS)}))`);

/** A dimension of a session, as an aggregate over its events. */
export const sessionValueSql = (name: TextDimensionName): string =>
  TEXT_DIMENSIONS[name].from === "exit" ? lastViewValue(textSql(name)) : firstEventValue(textSql(name));

/** Whether a dimension is a value of the event that opens the session. */
export const isOfOpeningEvent = (name: TextDimensionName): boolean => TEXT_DIMENSIONS[name].from === "entry";
/**
 * The values of the event that opens the session, as an array and as one aggregate over the session's events. An aggregate for
 * each dimension takes twice the time of a build.
 */
export const openingValuesSql = (names: readonly TextDimensionName[]): string =>
  `CAST(argMin(toString([${names.map(textSql).join(", ")}]), concat(${OPENING_ORDER})) AS Array(Nullable(String)))`;
