/** Reads a query over events with the accuracy that its caller chose. */
import { type Accurate, readAccurately } from "./accuracy.ts";
import type { Estimate } from "./error-bound.ts";
import { countEvents } from "./rollups/freshness.ts";
import type { RunQuery } from "./run-query.ts";
import type { QueryScope } from "./scope.ts";

/** @param read reads the visitors of the scope; its figures are sums over visitors, and it scales them by `sample` */
export async function readEvents<Value>(
  run: RunQuery,
  scope: QueryScope,
  read: (scope: QueryScope) => Promise<Estimate<Value>>,
): Promise<Accurate<Value>> {
  const events = scope.accuracy === "exact" ? 0 : await countEvents(run, scope.sourceId, scope.range);
  return readAccurately(scope.accuracy, { from: "events", events, canEstimate: true }, async (sample) =>
    read({ ...scope, sample }),
  );
}
