/**
 * Statements about the events that clients numbered (docs/api/events.md, Sequences): which numbers never arrived, and which of
 * these a client has reported as lost. A sequence counts on the day of its last event.
 */
import { type DeliveryDimension, LOSS_CAUSES } from "@headwater/contract";
import { DAY_MS } from "../core/time.ts";
import { type Bind, bindTime, type Statement, statement } from "../stats/sql/statement.ts";

export interface LossQuestion {
  readonly sourceId: string;
  /** The start of the first day and the end of the last, in milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** An event from before this time can arrive no more. */
  readonly settledAt: number;
}

/** More events than a client's queue holds. A larger gap says nothing: anybody can send an event with a great number. */
const MAX_GAP = 3_000;

const VALUES: Readonly<Record<DeliveryDimension, string>> = {
  page: "page.path",
  browser: "device.browser",
  clientVersion: "sdkVersion",
  country: "country",
};

const sequenceOf = (id: string) => `sipHash64(substring(${id}, 1, 32))`;
const numberOf = (id: string) => `toUInt32OrZero(substring(${id}, 34)) - 999999`;

/**
 * The sequences that lost events, one row each: `day`, `arrived`, `causes` (of reported losses that did not arrive all the same),
 * `gap` (further numbers that are not there), `lastAt` and `value`. Sequences are read a day beyond both ends, because a clock's
 * correction can move a part of one over midnight; reports are read up to now.
 */
function losingSequences(bind: Bind, { sourceId, from, to }: LossQuestion, value: string): string {
  const ofSource = `sourceId = ${bind("String", sourceId)}`;
  const [start, end] = [bindTime(bind, from - DAY_MS), bindTime(bind, to + DAY_MS)];
  const numbered = `${ofSource} AND occurredAt >= ${start} AND occurredAt < ${end} AND sequence != 0`;
  const reports = `SELECT tupleElement(report, 1) AS lostId, min(tupleElement(report, 2)) AS lostAt,
      any(tupleElement(report, 3)) AS lostBy, any(${value}) AS lostValue
    FROM events ARRAY JOIN lost AS report
    WHERE ${ofSource} AND events.occurredAt >= ${start} AND notEmpty(events.lost)
    GROUP BY lostId HAVING lostAt >= ${start} AND lostAt < ${end}`;
  const reported = `SELECT ${sequenceOf("lostId")} FROM (${reports})`;
  const losing = `SELECT sequence FROM events WHERE ${numbered} GROUP BY sequence HAVING max(number) > count()
    UNION ALL ${reported}`;
  return `SELECT toString(toDate(argMax(at, number))) AS day, countIf(cause = '') AS arrived,
      sumMapIf(map(cause, toUInt64(1)), cause != '') AS causes,
      toInt64(max(number)) - toInt64(count()) AS absent, if(absent BETWEEN 0 AND ${MAX_GAP}, absent, 0) AS gap,
      max(at) AS lastAt, argMax(value, number) AS value
    FROM (
      SELECT sequence, number, occurredAt AS at, '' AS cause, ${value} AS value
      FROM events WHERE ${numbered} AND sequence IN (${losing})
      UNION ALL
      SELECT ${sequenceOf("lostId")}, ${numberOf("lostId")}, lostAt, lostBy, lostValue FROM (${reports})
      WHERE lostId NOT IN (SELECT eventId FROM events WHERE ${numbered} AND sequence IN (${reported}))
    )
    GROUP BY sequence
    HAVING day >= toString(toDate(${bindTime(bind, from)})) AND day < toString(toDate(${bindTime(bind, to)}))`;
}

export type DayLosses = readonly [
  day: string,
  causes: Readonly<Record<string, number>>,
  missing: number,
  stillPossible: number,
];

export const lossesByDay = (question: LossQuestion): Statement =>
  statement((bind) => {
    const settledAt = bindTime(bind, question.settledAt);
    return `SELECT day, sumMap(causes), sumIf(gap, lastAt < ${settledAt}), sumIf(gap, lastAt >= ${settledAt})
      FROM (${losingSequences(bind, question, "''")}) GROUP BY day`;
  });

/** In SQL: how many losses a client has reported that no server has rejected. */
const droppedOf = (bind: Bind) =>
  `arraySum(mapValues(mapFilter((cause, events) -> has(${bind("Array(String)", LOSS_CAUSES)}, cause), causes)))`;

export const countLosingSequences = (question: LossQuestion): Statement =>
  statement(
    (bind) => `SELECT count() FROM (${losingSequences(bind, question, "''")})
      WHERE (gap > 0 AND lastAt < ${bindTime(bind, question.settledAt)}) OR ${droppedOf(bind)} > 0`,
  );

export type ValueLosses = readonly [value: string | null, accepted: number, lost: number];

/** The values whose events were lost most, by clients or on the way. */
export const lossesByValue = (question: LossQuestion, by: DeliveryDimension, limit: number): Statement =>
  statement((bind) => {
    const { sourceId, from, to, settledAt } = question;
    const value = VALUES[by];
    return `SELECT value, sum(events) AS accepted, sum(losses) AS lost FROM (
        SELECT ${value} AS value, 1 AS events, 0 AS losses FROM events
        WHERE sourceId = ${bind("String", sourceId)} AND sequence != 0
          AND occurredAt >= ${bindTime(bind, from)} AND occurredAt < ${bindTime(bind, to)}
        UNION ALL
        SELECT value, 0, ${droppedOf(bind)} + if(lastAt < ${bindTime(bind, settledAt)}, gap, 0)
        FROM (${losingSequences(bind, question, value)})
      ) GROUP BY value ORDER BY lost DESC, accepted DESC, value LIMIT ${bind("UInt32", limit)}`;
  });

export type HeldDay = readonly [day: string, events: number];

export const heldByDay = ({ sourceId, from, to }: LossQuestion): Statement =>
  statement(
    (bind) => `SELECT toString(toDate(occurredAt)) AS day, count() FROM events
      WHERE sourceId = ${bind("String", sourceId)} AND occurredAt >= ${bindTime(bind, from)} AND occurredAt < ${bindTime(bind, to)}
      GROUP BY day`,
  );
