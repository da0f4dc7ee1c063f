/** Builds ingest: the caches, limits and slots that its pipeline works with. */
import type { AppliedLimits } from "@headwater/contract";
import type { SourceLists } from "../channels/source-lists.ts";
import { createEventLearner, type EventLearner } from "../event-catalog/learner.ts";
import type { Catalog, IngestLedger, LedgerChange } from "../ledger/ledger.ts";
import type { SourceRecord } from "../ledger/records.ts";
import { createTimeBudget } from "../overload/time-budget.ts";
import { createSlicedAdmission } from "../overload/time-slices.ts";
import type { Attempt } from "./attempt.ts";
import { handleIngest, type IngestDeps } from "./handle-ingest.ts";
import type { IngestRequest } from "./ingest-request.ts";
import { createBodyParser } from "./parse.ts";
import { createPlanCache } from "./plan-cache.ts";
import { PropertyNames } from "./property-names.ts";
import { createQuotas } from "./quotas.ts";
import { createRateChecks, type IngestRates } from "./rates.ts";
import { Replayer } from "./replay.ts";
import { createSessionCache } from "./session-cache.ts";
import { createSourceCache } from "./source-cache.ts";
import { createDeviceOf } from "./visitor.ts";
import { createVisitorIds } from "./visitor-ids.ts";

/** Detecting a device takes 20 to 400 µs. So a flood of invented user agents takes 2 % of a core, after as many as the cache has. */
const DEVICE_DETECTION_MS_PER_SECOND = 20;
const DEVICE_DETECTION_BURST_MS = 500;

interface IngestOptions
  extends Pick<
    IngestDeps,
    | "placeOf"
    | "isDataCentre"
    | "isSpamReferrer"
    | "authenticateSender"
    | "newId"
    | "unavailable"
    | "observe"
    | "report"
    | "stopwatch"
  > {
  readonly ledger: IngestLedger & Pick<Catalog, "trackingPlan" | "usage">;
  readonly sourceLists: SourceLists;
  readonly clock: () => number;
  readonly rates: IngestRates;
  /** How many nodes share the rates, this one included. */
  readonly nodes: () => number;
  /** The source's own limits, else the defaults. */
  readonly limitsOf: (source: SourceRecord) => AppliedLimits;
  /** Maximum requests that are processed or wait for a slot; further ones are refused. Those whose body has not arrived do not count. */
  readonly maxInFlight: number;
}

export interface Ingest {
  handle(request: IngestRequest): Promise<Attempt>;
  readonly replayer: Replayer;
  inFlight(): number;
  /** Takes what was learned from accepted events since the last call, by source. */
  takeLearned: EventLearner["take"];
  /** Forgets cached sources and sessions that have changed. */
  forget(change: LedgerChange): void;
  /** Destroys the salts of visitors without browser storage that are two days old. Call it once a minute. */
  expireSalts(): Promise<void>;
}

export function createIngest(options: IngestOptions): Ingest {
  const { ledger, clock, limitsOf, sourceLists, rates, nodes, maxInFlight, ...others } = options;
  const sources = createSourceCache({ ledger, limitsOf, sourceLists, clock });
  const sessions = createSessionCache(ledger);
  const learner = createEventLearner();
  const plans = createPlanCache(ledger);
  const visitorIds = createVisitorIds({ ledger, clock });
  const deps: IngestDeps = {
    ...others,
    ledger,
    sources,
    sessions,
    plans,
    propertyNames: new PropertyNames(),
    visitorIds,
    rates: createRateChecks(rates, nodes),
    learner,
    quotas: createQuotas({ ledger, clock }),
    admission: createSlicedAdmission({ maxAdmitted: maxInFlight, stopwatch: options.stopwatch }),
    parseBody: createBodyParser(),
    deviceOf: createDeviceOf(
      createTimeBudget({
        msPerSecond: DEVICE_DETECTION_MS_PER_SECOND,
        maxMs: DEVICE_DETECTION_BURST_MS,
        stopwatch: options.stopwatch,
      }),
    ),
  };
  let inFlight = 0;
  return {
    async handle(request) {
      inFlight += 1;
      try {
        return await handleIngest(request, deps);
      } finally {
        inFlight -= 1;
      }
    },
    replayer: new Replayer(deps),
    inFlight: () => inFlight,
    takeLearned: learner.take,
    expireSalts: visitorIds.expire,
    forget(change) {
      if (change.kind === "source") sources.forget(change.sourceId);
      if (change.kind === "session") sessions.forget(change);
      if (change.kind === "everything") {
        sources.forget();
        plans.forgetAll();
        sessions.forget();
      }
    },
  };
}
