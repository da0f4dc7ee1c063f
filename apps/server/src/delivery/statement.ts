/**
 * The statement of delivery of a source (docs/api/delivery.md). The ledger says how many events it accepted, erased and expired,
 * and the warehouse which it has and which numbers of its clients' events never arrived.
 */
import {
  type DeliveryDay,
  type DeliveryDimension,
  type DeliveryStatement,
  isEventCode,
} from "@headwater/contract";
import type { UtcDaySpan } from "../core/day-span.ts";
import { signatureOf } from "../core/signature.ts";
import { DAY_MS, dayOf, HOUR_MS, toIsoTime } from "../core/time.ts";
import type { CountedDay } from "../ledger/ledger.ts";
import { dayText } from "../ledger/warehouse-report.ts";
import type { RunStatement } from "../stats/sql/run-on.ts";
import {
  type DayLosses,
  type HeldDay,
  heldByDay,
  type LossQuestion,
  lossesByDay,
  lossesByValue,
  type ValueLosses,
} from "./losses.ts";
import { type CountingLedger, countInLedger } from "./waiting.ts";

export interface StatementDeps {
  readonly ledger: CountingLedger;
  readonly run: RunStatement;
  readonly now: number;
  /** Signs the statement; null: it is not signed. */
  readonly secret: string | null;
}
export interface StatementQuestion extends UtcDaySpan {
  readonly sourceId: string;
  readonly by: DeliveryDimension | undefined;
}

/** A client's queue keeps an event for a day. The hour is for the upload that begins then. */
export const QUEUE_LIFE_MS = DAY_MS + HOUR_MS;
const MAX_VALUES = 20;

const sum = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);

interface DayFacts {
  readonly day: string;
  readonly counted: CountedDay | undefined;
  readonly held: number;
  readonly waiting: number;
  readonly losses: DayLosses | undefined;
}

function accountFor({ day, counted, held, waiting, losses }: DayFacts): DeliveryDay {
  const { shipped = 0, removed = 0, expired: expiring = 0, erasedWaiting = 0 } = counted ?? {};
  // for a moment, events are counted as removed and not yet as shipped
  const left = Math.max(0, shipped - removed);
  const expired = Math.min(expiring, left);
  // the warehouse also holds events that are being shipped, erased or expired: they are counted as such
  const expected = left - expired;
  const inWarehouse = Math.min(held, expected);
  const lostInWarehouse = expected - inWarehouse;
  const erased = removed + erasedWaiting;
  const accepted = inWarehouse + lostInWarehouse + erased + expired + waiting;
  const [, causes = {}, settledGap = 0, recentGap = 0] = losses ?? [];
  const byOrigin = Object.groupBy(Object.entries(causes), ([cause]) =>
    isEventCode(cause) ? "rejected" : "dropped",
  );
  const rejected = Object.fromEntries(byOrigin.rejected ?? []);
  const dropped = Object.fromEntries(byOrigin.dropped ?? []);
  // the number of an event that the warehouse has lost is a gap too
  const missing = Math.max(0, settledGap - lostInWarehouse);
  const stillPossible = Math.max(0, recentGap - (lostInWarehouse - (settledGap - missing)));
  const produced = accepted + sum(rejected) + sum(dropped) + missing + stillPossible;
  return {
    day,
    produced,
    accepted,
    rejected,
    dropped,
    missing,
    stillPossible,
    inWarehouse,
    lostInWarehouse,
    erased,
    expired,
    waiting,
  };
}

export async function computeStatement(
  { ledger, run, now, secret }: StatementDeps,
  { sourceId, from, to, by }: StatementQuestion,
): Promise<DeliveryStatement> {
  const [first, last] = [dayOf(Date.parse(from)), dayOf(Date.parse(to))];
  const settledAt = now - QUEUE_LIFE_MS;
  const question: LossQuestion = { sourceId, from: first * DAY_MS, to: (last + 1) * DAY_MS, settledAt };
  // first: events that are counted as shipped are in the warehouse
  const { waiting, counted } = await countInLedger(ledger, { sourceId, from: first, to: last });
  const held = new Map(await run<HeldDay>(heldByDay(question)));
  const losses = await run<DayLosses>(lossesByDay(question));
  const values = by && (await run<ValueLosses>(lossesByValue(question, by, MAX_VALUES)));
  const days = Array.from({ length: last - first + 1 }, (_, index) => {
    const number = first + index;
    const day = dayText(number);
    return accountFor({
      day,
      counted: counted.find((one) => one.day === number),
      held: held.get(day) ?? 0,
      waiting: waiting.get(number) ?? 0,
      losses: losses.find((one) => one[0] === day),
    });
  });
  const statement = {
    sourceId,
    from,
    to,
    computedAt: toIsoTime(now),
    days,
    values: values?.map(([value, accepted, lost]) => ({ value, accepted, lost })) ?? null,
  };
  return { ...statement, signature: secret === null ? null : signatureOf(secret, JSON.stringify(statement)) };
}
