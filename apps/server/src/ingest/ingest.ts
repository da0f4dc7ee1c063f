/** Builds the corridor, and the two stories that run through it. */

import type { Attempt } from "../core/attempt.ts";
import type { Arrival } from "../core/ingest-request.ts";
import type { SourceRecord } from "../core/records.ts";
import type { IngestLedger, LedgerChange } from "../ledger/ledger.ts";
import type { Corridor } from "./attend.ts";
import { createBodies } from "./bodies.ts";
import { bootstrap } from "./bootstrap.ts";
import { takeEvents } from "./events.ts";
import { createKnownSources, type SourceRules } from "./known-sources.ts";
import { type Compile, createParser } from "./parse.ts";
import { createRates, type MakeLimiter, type RateDefaults } from "./rates.ts";
import { createSessions } from "./sessions.ts";
import type { CountryOf } from "./visitor.ts";
import { createWork } from "./work.ts";

export interface IngestParts {
  ledger: IngestLedger;
  clock(): number;
  newId(prefix: string): string;
  observe(attempt: Attempt): void;
  report(error: unknown, requestId: string): void;
  compile: Compile;
  limiter: MakeLimiter;
  rates: RateDefaults;
  rulesOf(source: SourceRecord): SourceRules;
  countryOf: CountryOf;
  /** Requests at work at once, those apart whose body is still on its way; beyond, they are refused. */
  maxInFlight: number;
  /** Why nothing can be accepted just now. */
  refusal(): "storage_full" | "shutting_down" | null;
  stopwatch(): number;
}

export interface Ingest {
  bootstrap(arrival: Arrival): Promise<Attempt>;
  events(arrival: Arrival): Promise<Attempt>;
  inFlight(): number;
  /** What is remembered of it may be wrong. */
  forget(change: LedgerChange): void;
}

export function createIngest(parts: IngestParts): Ingest {
  const { ledger, newId, observe, report, countryOf, stopwatch } = parts;
  const sources = createKnownSources(ledger, parts.rulesOf, parts.clock);
  const sessions = createSessions(ledger);
  const work = createWork(parts.maxInFlight, stopwatch);
  let inFlight = 0;

  const corridor: Corridor = {
    ledger,
    sources,
    sessions,
    rates: createRates(parts.limiter, parts.rates),
    parse: createParser(parts.compile),
    countryOf,
    newId,
    observe,
    report,
    stopwatch,
    bodies: createBodies(),
    work,
    unavailable: (sourceId) => parts.refusal() ?? (work.isFull(sourceId) ? "overloaded" : null),
  };
  const counted = async (
    story: (arrival: Arrival, corridor: Corridor) => Promise<Attempt>,
    arrival: Arrival,
  ) => {
    inFlight += 1;
    try {
      return await story(arrival, corridor);
    } finally {
      inFlight -= 1;
    }
  };
  return {
    bootstrap: (arrival) => counted(bootstrap, arrival),
    events: (arrival) => counted(takeEvents, arrival),
    inFlight: () => inFlight,
    forget: (change) => {
      if (change.kind === "source") sources.forget(change.sourceId);
      if (change.kind === "session") sessions.forget(change);
      if (change.kind === "everything") {
        sources.forget();
        sessions.forget();
      }
    },
  };
}
