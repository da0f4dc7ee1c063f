import type { Attempt, AttemptFacts, Outcome } from "./attempt.ts";
import type { IngestRequest } from "./ingest-request.ts";
import { NO_BODY } from "./json.ts";
import type { RequestWithBody } from "./unstored-event.ts";

export type AttemptDraft = ReturnType<typeof startAttempt>;

const NOTHING_KNOWN: AttemptFacts = {
  source: null,
  keyState: null,
  publicKey: null,
  body: () => NO_BODY,
  payloadBytes: 0,
  envelope: null,
  clockSkewMs: null,
  unstored: null,
};

interface AttemptDraftDeps {
  readonly newId: (prefix: string) => string;
  /** Milliseconds, monotonic. */
  readonly stopwatch: () => number;
}

/** Collects what is learned about a request until its outcome is known. */
export function startAttempt(request: IngestRequest, { newId, stopwatch }: AttemptDraftDeps) {
  const startedAt = stopwatch();
  const attemptId = newId("att");
  const { requestId, traceId, kind, legacy, receivedAt, origin, userAgent, proxyUntrusted } = request;
  const endpoint = request.foreign?.adapter.endpoint ?? null;
  const facts = { ...NOTHING_KNOWN };
  let sent: RequestWithBody | null = null;
  return {
    attemptId,
    /** Notes a request whose body was read and whose token, if it has one, is valid. */
    receive: (received: RequestWithBody) => {
      sent = received;
    },
    /** The noted request; null: it was refused before. */
    sent: (): RequestWithBody | null => sent,
    note: (newFacts: Partial<AttemptFacts>) => void Object.assign(facts, newFacts),
    finish: (outcome: Outcome): Attempt => ({
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
