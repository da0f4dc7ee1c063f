/** The delivery of a source on one day, as alerts and the daily statement need it. */
import type { DeliveryStatement } from "@headwater/contract";
import type { Warehouse } from "../clickhouse/warehouse.ts";
import { DAY_MS, dayOf } from "../core/time.ts";
import type { SourceRecord } from "../ledger/records.ts";
import { dayText } from "../ledger/warehouse-report.ts";
import type { QueryRunner } from "../stats/run-query.ts";
import { countLosingSequences } from "./losses.ts";
import { computeStatement, QUEUE_LIFE_MS, type StatementDeps } from "./statement.ts";

/** The newest UTC day whose missing events are certain: the service knows since 01:00 of the next day but one. */
export const lastSettledDay = (now: number): number => dayOf(now - QUEUE_LIFE_MS) - 1;

interface DailyDeliveryDeps extends Pick<StatementDeps, "ledger" | "secret"> {
  readonly runnerOf: QueryRunner;
  readonly warehouse: Pick<Warehouse, "state">;
}

interface SourceDay {
  readonly source: Pick<SourceRecord, "sourceId" | "organizationId">;
  /** Days since the epoch. */
  readonly day: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

export interface DailyDelivery {
  /** false: there is no warehouse, or another node has it. */
  isHere(): boolean;
  /** @throws Refusal when the warehouse cannot answer */
  readStatement(asked: SourceDay): Promise<DeliveryStatement>;
  /** Page views that lost events. @throws Refusal when the warehouse cannot answer */
  countLosing(asked: SourceDay): Promise<number>;
}

export function createDailyDelivery({
  ledger,
  secret,
  runnerOf,
  warehouse,
}: DailyDeliveryDeps): DailyDelivery {
  const runFor = ({ source, signal }: SourceDay) =>
    runnerOf({ organizationId: source.organizationId, signal });
  return {
    isHere: () => warehouse.state() !== "off" && warehouse.state() !== "elsewhere",
    readStatement: (asked) => {
      const { source, day, now } = asked;
      const [from, to] = [dayText(day), dayText(day)];
      const deps = { ledger, secret, now, run: runFor(asked) };
      return computeStatement(deps, { sourceId: source.sourceId, from, to, by: undefined });
    },
    countLosing: async (asked) => {
      const { source, day, now } = asked;
      const [from, to, settledAt] = [day * DAY_MS, (day + 1) * DAY_MS, now - QUEUE_LIFE_MS];
      const question = { sourceId: source.sourceId, from, to, settledAt };
      const [row] = await runFor(asked)<[number]>(countLosingSequences(question));
      return row?.[0] ?? 0;
    },
  };
}
