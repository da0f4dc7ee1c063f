/** GET …/delivery: the statement of a source over HTTP. */
import { MAX_DELIVERY_DAYS } from "@headwater/contract";
import { readDaySpan } from "../core/day-span.ts";
import type { Handler } from "../http/handler.ts";
import type { QueryRunner } from "../stats/run-query.ts";
import { computeStatement, type StatementDeps } from "./statement.ts";

const DEFAULT_DAYS = 7;

export const createDelivery =
  (
    deps: Pick<StatementDeps, "ledger" | "secret"> & { readonly runnerOf: QueryRunner },
  ): Handler<"getDelivery"> =>
  async (call) => {
    const { source, query, now } = call;
    const span = readDaySpan(query, { now, defaultDays: DEFAULT_DAYS, maxDays: MAX_DELIVERY_DAYS });
    const question = { sourceId: source.sourceId, ...span, by: query.by };
    return { body: await computeStatement({ ...deps, run: deps.runnerOf(call), now }, question) };
  };
