import type { Attempt, AttemptFacts, Outcome } from "./attempt.ts";
import type { IngestRequest } from "./ingest-request.ts";

/** Collects what is learned about a request until its outcome is known. */
export interface AttemptDraft {
  readonly attemptId: string;
  note(facts: Partial<AttemptFacts>): void;
  finish(outcome: Outcome): Attempt;
}

const NOTHING_KNOWN: AttemptFacts = {
  source: null,
  keyState: null,
  publicKey: null,
  bodyText: null,
  bodyStart: null,
  payloadBytes: 0,
  envelope: null,
  clockSkewMs: null,
};

interface AttemptDraftDeps {
  readonly newId: (prefix: string) => string;
  /** Milliseconds, monotonic. */
  readonly stopwatch: () => number;
}

export function startAttempt(request: IngestRequest, { newId, stopwatch }: AttemptDraftDeps): AttemptDraft {
  const startedAt = stopwatch();
  const attemptId = newId("att");
  const { requestId, traceId, kind, legacy, receivedAt, origin, userAgent, proxyUntrusted } = request;
  const endpoint = request.foreign?.adapter.endpoint ?? null;
  const facts = { ...NOTHING_KNOWN };
  return {
    attemptId,
    note: (more) => void Object.assign(facts, more),
    finish: (outcome) => ({
      attemptId,
      requestId,
      traceId,
      kind,
      legacy,
      receivedAt,
      origin,
      userAgent,
      proxyUntrusted,
      endpoint,
      ...facts,
      outcome,
      durationMs: stopwatch() - startedAt,
    }),
  };
}
