/**
 * Fills a warehouse with many events, which the engine generates itself: a session has 3.2 events on average, a visitor 1.7
 * sessions in a month. Pages and referrers are skewed, as those of a site are: a few have most of the events.
 */
import type { WarehouseClient } from "../../apps/server/src/clickhouse/client.ts";
import { COMMAND_MS, UNTIL } from "./month.ts";

export interface ScaleFill {
  readonly sourceId: string;
  readonly events: number;
  readonly days: number;
  readonly pages: number;
  readonly referrers: number;
}

const DAY_MS = 86_400_000;
/** Keeps the memory of an insert small. */
const SESSIONS_PER_INSERT = 50_000;
/** How many events a session has, each with the same probability. */
const LENGTHS = [1, 1, 1, 1, 2, 2, 3, 4, 6, 11];
const EVENTS_PER_SESSION = LENGTHS.reduce((sum, length) => sum + length, 0) / LENGTHS.length;
/** A month of sessions has visits of three quarters of these visitors. */
const VISITORS_PER_SESSION = 0.75;

const COLUMNS = `analyticsEventId, eventId, type, name, occurredAt, timestamp, sessionId, anonymousId, page, locale, timezone, screen,
  viewport, device, properties, sourceId, receivedAt, batchId, sdkVersion, country, sentBy, passive, region, city, source, channel,
  engagedSeconds, scrollDepth`;
/** A number from 0 to 1 of a hash, for each purpose another one. */
const random = (hash: string, purpose: number) => `(sipHash64(${hash}, ${purpose}) / 18446744073709551616)`;
const oneOf = (values: readonly string[], at: string) =>
  `[${values.map((value) => `'${value}'`).join(", ")}][toUInt32(${at} * ${values.length}) + 1]`;
const ofSession = (purpose: number) => random("session_", purpose);
const ofEvent = (purpose: number) => random("event_", purpose);

const PAGE = `concat('/page/', toString(toUInt32(pow(${ofEvent(1)}, 3) * {pages:UInt32})))`;
const REFERRER = `if(${ofSession(2)} < 0.4, NULL, concat('site-', toString(toUInt32(pow(${ofSession(3)}, 3) * {referrers:UInt32})), '.example'))`;
const CAMPAIGN = `if(${ofSession(4)} < 0.8, NULL, concat('campaign-', toString(toUInt32(${ofSession(5)} * 40))))`;
const DEVICE = `tuple(${[
  oneOf(["desktop", "mobile", "mobile", "tablet"], ofSession(6)),
  oneOf(["Windows", "macOS", "Android", "iOS", "Linux"], ofSession(7)),
  "'14'",
  oneOf(["Chrome", "Safari", "Firefox", "Edge"], ofSession(8)),
  `toString(120 + toUInt32(${ofSession(9)} * 20))`,
  `${ofSession(10)} < 0.02`,
].join(", ")})`;
const id = (prefix: string, hash: string) => `concat('${prefix}_', lower(hex(sipHash128(${hash}))))`;

/** Sessions of one day. The columns of a session are computed once for each of its events, from the same hash. */
const INSERT_EVENTS = `INSERT INTO events (${COLUMNS})
  SELECT ${id("evt", "event_")}, ${id("e", "event_, 1")}, if(isView, 'page', 'track'),
    if(isView, 'page_view', concat('event_', toString(toUInt32(pow(${ofEvent(11)}, 2) * 20)))),
    fromUnixTimestamp64Milli({from:Int64} + toInt64(${ofSession(12)} * 86400000) + toInt64((at - 1) * 40000 * ${ofEvent(13)}), 'UTC') AS time,
    toString(time), ${id("s", "session_")}, ${id("v", "visitor_")},
    tuple(concat('https://shop.example', path), 'https://shop.example', 'shop.example', path, NULL,
      tuple(if(${CAMPAIGN} IS NULL, NULL, 'newsletter'), if(${CAMPAIGN} IS NULL, NULL, 'email'), ${CAMPAIGN}, NULL, NULL),
      map(), concat('Page ', path), NULL, ${REFERRER}),
    ${oneOf(["en-US", "de-DE", "fr-FR"], ofSession(14))}, 'Europe/Berlin', '1920x1080', '1200x800', ${DEVICE},
    if(isView, '{}', concat('{"plan":"', ${oneOf(["free", "pro", "team"], ofEvent(15))}, '","value":', toString(toUInt32(${ofEvent(16)} * 1000)), '}')),
    {sourceId:String}, time + 1, NULL, '2.0.0', concat('C', toString(toUInt32(pow(${ofSession(17)}, 2) * 60))), 'browser', false,
    concat('R', toString(toUInt32(${ofSession(18)} * 200))), concat('City ', toString(toUInt32(pow(${ofSession(19)}, 2) * 2000))),
    ${REFERRER}, if(${REFERRER} IS NULL, 'Direct', 'Referral'), if(isView, 12, 0), if(isView, toUInt8(${ofEvent(20)} * 100), NULL)
  FROM (
    SELECT session_, sipHash64(number, {day:UInt32}, {events:UInt64}) % {visitors:UInt64} AS visitor_, at,
      sipHash64(session_, at) AS event_, at = 1 OR ${ofEvent(21)} < 0.75 AS isView, ${PAGE} AS path
    FROM (
      SELECT number, sipHash64(number, {day:UInt32}) AS session_,
        arrayJoin(range(1, [${LENGTHS.join(", ")}][toUInt32(${ofSession(22)} * ${LENGTHS.length}) + 1] + 1)) AS at
      FROM numbers({first:UInt64}, {sessions:UInt64})
    )
  )`;

/** Writes the events of the days before `UNTIL`. */
export async function fillScale(client: WarehouseClient, fill: ScaleFill): Promise<void> {
  const { events, days } = fill;
  const sessions = Math.round(events / EVENTS_PER_SESSION);
  const visitors = Math.round(sessions * VISITORS_PER_SESSION);
  const ofDay = Math.round(sessions / days);
  for (let day = 0; day < days; day++)
    for (let first = 0; first < ofDay; first += SESSIONS_PER_INSERT)
      await client.command({
        query: INSERT_EVENTS,
        query_params: {
          ...fill,
          visitors,
          day,
          first,
          from: UNTIL - (days - day) * DAY_MS,
          sessions: Math.min(SESSIONS_PER_INSERT, ofDay - first),
        },
        clickhouse_settings: { max_memory_usage: "600000000", max_execution_time: COMMAND_MS / 1_000 },
      });
}
