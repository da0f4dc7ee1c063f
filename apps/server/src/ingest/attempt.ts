import type {
  BootstrapAnswer,
  CompatEndpoint,
  EventResult,
  EventsAnswer,
  KeyState,
} from "@headwater/contract";
import type { Refusal } from "../core/refusal.ts";
import type { SourceRecord } from "../ledger/records.ts";
import type { PlanViolation } from "../plan/compile-plan.ts";
import type { ForeignReply } from "./adapter.ts";
import type { IngestRequest } from "./ingest-request.ts";
import type { BodyText } from "./json.ts";
import type { Unstored } from "./unstored-event.ts";

/** The envelope of a body, as far as it could be read. */
export interface Envelope {
  readonly sdkVersion: string | null;
  readonly ingestVersion: number | null;
  readonly batchId: string | null;
  readonly sentAt: string | null;
  readonly sessionId: string | null;
  readonly anonymousId: string | null;
  readonly userId: string | null;
}

/** Facts that ingest collected about a request before it was answered. A refused request leaves the later facts empty. */
export interface AttemptFacts {
  /** null: no source has the key. */
  readonly source: SourceRecord | null;
  readonly keyState: KeyState | null;
  /** null: no source has the key. */
  readonly publicKey: string | null;
  /** The body, decompressed. It is decoded when an attempt is kept: few are. */
  readonly body: () => BodyText;
  readonly payloadBytes: number;
  readonly envelope: Envelope | null;
  readonly clockSkewMs: number | null;
  /** null: the request has no such events, or its source keeps none. */
  readonly unstored: Unstored | null;
}

/** The part of a request that an attempt keeps. */
type RequestFacts = Pick<
  IngestRequest,
  "kind" | "legacy" | "requestId" | "traceId" | "receivedAt" | "origin" | "userAgent" | "proxyUntrusted"
>;

/**
 * A request on an ingest route and its outcome. The HTTP reply, the debug view, the log line and the counters
 * are all made from this one value, so they cannot disagree.
 */
export interface Attempt extends AttemptFacts, RequestFacts {
  readonly attemptId: string;
  /** The compatible endpoint that the request came on; null: an endpoint of ours. */
  readonly endpoint: CompatEndpoint | null;
  readonly outcome: Outcome;
  readonly durationMs: number;
}

export interface EventRejection {
  /** The event as it was sent, or as another tool's event was translated. */
  readonly event: unknown;
  /** null: it was rejected for another reason. */
  readonly violation: PlanViolation | null;
}

export type Outcome = RefusedOutcome | AnsweredOutcome;

export interface RefusedOutcome {
  readonly kind: "refused";
  readonly refusal: Refusal;
}

/** The request was processed. Some or all of its events may have been rejected. */
export interface AnsweredOutcome {
  readonly kind: "answered";
  readonly answer: BootstrapAnswer | EventsAnswer;
  readonly results: readonly EventResult[];
  /** The normal form of each event as JSON text, in the order of `results`. null: the event was rejected. */
  readonly normalized: () => readonly (string | null)[];
  /** The rejections in the order of `results`. null: the event was not rejected. */
  readonly rejections: () => readonly (EventRejection | null)[];
  /** The answer to another tool's client; null: `answer`. */
  readonly reply: ForeignReply | null;
}
