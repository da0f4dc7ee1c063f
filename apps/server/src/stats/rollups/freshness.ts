/** What of a period a question may read out of `visits` and `hits`, and what it still has to derive of events. */
import { KNOWN, SETTLING } from "../../clickhouse/schema/rollups.ts";
import { DAY_MS, utcDay } from "../../core/time.ts";
import type { Period } from "../calendar.ts";
import type { Ask } from "../run-query.ts";
import { ASIDE_MS } from "../scope.ts";
import { statement } from "../sql.ts";

/** What came to a day after its rows were written. Days are UTC, as `2026-11-21`. */
export interface Since {
  readonly day: string;
  /** Received later than that: milliseconds since the epoch. */
  readonly through: number;
}

export interface Rows {
  /** The first and the last day that have settled. */
  readonly reach: readonly [string, string];
  readonly versions: readonly number[];
  /** Days with events, and no rows that hold. */
  readonly unsettled: readonly string[];
  readonly since: readonly Since[];
}

export interface Settled {
  readonly visits: Rows;
  readonly hits: Rows;
  /** Some sessions are to be derived wherever they are. */
  readonly hasLoose: boolean;
  /** In all, on the days of the period and beside it. */
  readonly events: number;
}

/** Days that have changed since they settled of which a question looks for what came since; the others are derived. */
const CHANGED_DAYS = 6;
const beside = (day: string): string[] =>
  [-1, 0, 1].map((offset) => utcDay(Date.parse(day) + offset * DAY_MS));

interface Day extends Since {
  readonly events: number;
  readonly version: number;
  /** Of the day before, the day and the day after, as far as they were received by `through`. */
  readonly known: readonly string[];
  /** Has nothing come since? */
  readonly isWhole: boolean;
  /** Do the rows hold for what was received by then? */
  readonly areVisits: boolean;
  readonly areHits: boolean;
}

/** What the events of a day come to, the newest settling of one, or how many loose sessions there are. */
type Row =
  | ["events", day: string, events: number, state: string, version: 0, through: 0, known: []]
  | ["settled", day: string, events: 0, state: "", version: number, through: number, known: string[]]
  | ["loose", day: "", count: number, state: "", version: 0, through: 0, known: []];

/** Three plain looks: to join them in the statement takes the engine longer than all of them. */
const writeDays = (sourceId: string, first: string, last: string) =>
  statement((bind) => {
    const source = `sourceId = ${bind("String", sourceId)}`;
    const days = `BETWEEN toDate(${bind("String", first)}) AND toDate(${bind("String", last)})`;
    return `SELECT 'events' AS kind, toString(toDate(occurredAt)) AS onDay, count() AS events, ${KNOWN} AS state,
        0 AS version, 0 AS through, [] AS known
      FROM events WHERE ${source} AND toDate(occurredAt) ${days} GROUP BY sourceId, toDate(occurredAt)
      UNION ALL SELECT 'settled', toString(day), 0, '', max(one.version),
        toUnixTimestamp64Milli(argMax(one.through, one.version)), argMax(one.known, one.version)
      FROM settledDays AS one FINAL WHERE ${source} AND day ${days} AND isDone = ${SETTLING.done} GROUP BY day
      UNION ALL SELECT 'loose', '', count(), '', 0, 0, [] FROM looseSessions WHERE ${source}`;
  });

/** @param rows of the days and of those beside them */
function daysFrom(rows: readonly Row[], first: string, last: string): Day[] {
  const present = rows.filter(([kind]) => kind === "events");
  const states = new Map(present.map(([, day, , state]) => [day, state]));
  const settled = new Map(rows.filter(([kind]) => kind === "settled").map((row) => [row[1], row]));
  return present
    .filter(([, day]) => day >= first && day <= last)
    .map(([, day, events]) => {
      const [, , , , version = 0, through = 0, known = []] = settled.get(day) ?? [];
      const isWhole = version > 0 && beside(day).every((one, at) => (states.get(one) ?? "") === known[at]);
      return { day, events, version, through, known, isWhole, areVisits: isWhole, areHits: isWhole };
    })
    .sort((one, other) => (one.day < other.day ? -1 : 1));
}

/** What the events around days come to that were received by when each of the days settled. */
const writeComesTo = (sourceId: string, days: readonly Day[]) =>
  statement((bind) => {
    const states = days.map(({ through }) => {
      const isKnown = `receivedAt <= fromUnixTimestamp64Milli(${bind("Int64", through)}, 'UTC')`;
      return `concat(toString(countIf(${isKnown})), ' ', toString(sumIf(cityHash64(analyticsEventId), ${isKnown})))`;
    });
    const around = bind("Array(Date)", [...new Set(days.flatMap(({ day }) => beside(day)))]);
    return `SELECT toString(toDate(occurredAt)) AS day, [${states.join(", ")}] FROM events
      WHERE sourceId = ${bind("String", sourceId)} AND toDate(occurredAt) IN ${around} GROUP BY toDate(occurredAt)`;
  });

/** Days that have changed since they settled, with what of them holds all the same. */
async function heldTo(ask: Ask, sourceId: string, days: readonly Day[]): Promise<Day[]> {
  if (days.length === 0) return [];
  const found = new Map((await ask(writeComesTo(sourceId, days))) as [string, string[]][]);
  return days.map((day, at) => {
    const states = beside(day.day).map((one) => found.get(one)?.[at] ?? NOTHING);
    const holds = states.map((state, place) => state === (day.known[place] || NOTHING));
    return { ...day, areVisits: holds.every(Boolean), areHits: holds[1]! };
  });
}
const NOTHING = "0 0";

const eventsOf = (days: readonly Day[]) => days.reduce((sum, { events }) => sum + events, 0);

/** @param touches the days on which something that came may have touched rows of a day */
function rowsOf(
  days: readonly Day[],
  holds: (day: Day) => boolean,
  touches: (day: string) => string[],
): Rows {
  const settled = days.filter(holds);
  const changed = settled.filter(({ isWhole }) => !isWhole);
  const since = changed.flatMap(({ day, through }) => touches(day).map((one) => ({ day: one, through })));
  return {
    reach: [settled[0]!.day, settled.at(-1)!.day],
    versions: settled.map(({ version }) => version),
    unsettled: days.filter((day) => !holds(day)).map(({ day }) => day),
    since,
  };
}

/** @returns null: most of it is not settled, so that to derive all of it is less work */
export async function readSettled(ask: Ask, sourceId: string, { from, to }: Period): Promise<Settled | null> {
  const [first, last] = [utcDay(from - ASIDE_MS), utcDay(to + ASIDE_MS)];
  const rows = (await ask(writeDays(sourceId, beside(first)[0]!, beside(last)[2]!))) as Row[];
  const all = daysFrom(rows, first, last);
  const changed = all.filter(({ isWhole, version }) => !isWhole && version > 0).slice(-CHANGED_DAYS);
  const held = new Map((await heldTo(ask, sourceId, changed)).map((day) => [day.day, day]));
  const days = all.map((day) => held.get(day.day) ?? day);
  const settled = eventsOf(days.filter(({ areVisits }) => areVisits));
  if (2 * settled < eventsOf(days) || settled === 0) return null;
  return {
    visits: rowsOf(days, ({ areVisits }) => areVisits, beside),
    hits: rowsOf(
      days,
      ({ areHits }) => areHits,
      (day) => [day],
    ),
    hasLoose: rows.some(([kind, , count]) => kind === "loose" && count > 0),
    events: eventsOf(days),
  };
}

/**
 * Was all of it there while it was read? What goes is marked before its first row does, as when a visitor is erased.
 * To be asked when it has been read.
 */
export async function isStillThere(ask: Ask, sourceId: string, { hits }: Settled): Promise<boolean> {
  // whatever has visits has hits
  const versions = [...new Set(hits.versions)];
  const [row] = await ask(
    statement(
      (bind) => `SELECT uniqExact(version) FROM settledDays FINAL
        WHERE sourceId = ${bind("String", sourceId)} AND version IN ${bind("Array(UInt64)", versions)}
          AND isDone = ${SETTLING.done}`,
    ),
  );
  return row?.[0] === versions.length;
}
