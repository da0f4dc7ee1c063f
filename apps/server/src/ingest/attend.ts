/** What the corridor works with, handed in by the wiring, and the one place where an attempt ends. */
import type { ErrorCode } from "@headwater/contract";
import type { Attempt, Outcome } from "../core/attempt.ts";
import type { Arrival } from "../core/ingest-request.ts";
import { Refusal } from "../core/refusal.ts";
import { type IngestLedger, LedgerBusy, StorageError } from "../ledger/ledger.ts";
import { type Admitted, admit, originOf } from "./admit.ts";
import type { Bodies } from "./bodies.ts";
import type { KnownSources } from "./known-sources.ts";
import type { Parser } from "./parse.ts";
import type { Rates } from "./rates.ts";
import type { Sessions } from "./sessions.ts";
import type { CountryOf } from "./visitor.ts";
import type { Work } from "./work.ts";

export interface Corridor {
  ledger: IngestLedger;
  sources: KnownSources;
  sessions: Sessions;
  rates: Rates;
  parse: Parser;
  countryOf: CountryOf;
  newId(prefix: string): string;
  bodies: Bodies;
  work: Work;
  /** Why no request of this source can be taken just now; null: it can. */
  unavailable(sourceId: string): "overloaded" | "storage_full" | "shutting_down" | null;
  /** Renders a finished attempt as log line, counters and debug record. */
  observe(attempt: Attempt): void;
  /** A bug: for the log. */
  report(error: unknown, requestId: string): void;
  /** Milliseconds, monotonic. */
  stopwatch(): number;
}

function openAttempt(arrival: Arrival, attemptId: string): Attempt {
  return {
    attemptId,
    requestId: arrival.requestId,
    kind: arrival.kind,
    legacy: arrival.legacy,
    receivedAt: arrival.receivedAt,
    source: null,
    keyState: null,
    publicKey: null,
    origin: originOf(arrival),
    userAgent: arrival.userAgent ?? null,
    proxyUntrusted: arrival.proxyUntrusted,
    text: null,
    head: null,
    payloadBytes: 0,
    envelope: null,
    clockSkewMs: null,
    outcome: null,
    durationMs: 0,
  };
}

function refusalFor(error: unknown, arrival: Arrival, corridor: Corridor): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof LedgerBusy) return new Refusal("overloaded");
  const code: ErrorCode =
    error instanceof StorageError ? (error.full ? "storage_full" : "storage_unavailable") : "internal_error";
  corridor.report(error, arrival.requestId);
  return new Refusal(code, {}, error);
}

/** What is told of a request is no part of it: a bug there is for the log, and the request is answered. */
function tell(attempt: Attempt, corridor: Corridor): void {
  try {
    corridor.observe(attempt);
  } catch (error) {
    corridor.report(error, attempt.requestId);
  }
}

/** What a request of one kind does once it is let in. */
export type Story = (
  admitted: Admitted,
  arrival: Arrival,
  attempt: Attempt,
  corridor: Corridor,
) => Promise<Outcome>;

/** Lets a request in and runs its story: whatever comes of it, the attempt ends in an outcome and is observed. */
export async function attend(arrival: Arrival, corridor: Corridor, story: Story): Promise<Attempt> {
  const startedAt = corridor.stopwatch();
  const attempt = openAttempt(arrival, corridor.newId("att"));
  try {
    const admitted = await admit(arrival, attempt, corridor);
    const { sourceId } = admitted.known.source;
    attempt.outcome = await corridor.work.do(sourceId, () => story(admitted, arrival, attempt, corridor));
  } catch (error) {
    attempt.outcome = { kind: "refused", refusal: refusalFor(error, arrival, corridor) };
  }
  attempt.durationMs = corridor.stopwatch() - startedAt;
  tell(attempt, corridor);
  return attempt;
}
