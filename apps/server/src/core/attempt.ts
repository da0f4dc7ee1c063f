import type { AttemptKind, BootstrapAnswer, EventResult, EventsAnswer, KeyState } from "@headwater/contract";
import type { SourceRecord } from "./records.ts";
import type { Refusal } from "./refusal.ts";

/** What the body said of itself, as far as it could be read. */
export interface Envelope {
  sdkVersion: string | null;
  ingestVersion: number | null;
  batchId: string | null;
  sentAt: string | null;
  sessionId: string | null;
  anonymousId: string | null;
  userId: string | null;
}

/**
 * The value that flows: it opens when a request arrives on an ingest route and ends in exactly one outcome.
 * The HTTP reply, the debug view, the log line and the counters are renderings of it, so they cannot disagree.
 */
export interface Attempt {
  readonly attemptId: string;
  readonly requestId: string;
  readonly kind: AttemptKind;
  readonly legacy: boolean;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** null: no source has the key. */
  source: SourceRecord | null;
  keyState: KeyState | null;
  /** null: no source has it. */
  publicKey: string | null;
  readonly origin: string | null;
  readonly userAgent: string | null;
  /** A private peer sent X-Forwarded-For and TRUST_PROXY does not vouch for it. */
  readonly proxyUntrusted: boolean;
  /** The body as text, decompressed; null when it was not read or is not text. */
  text: string | null;
  /** The first bytes of a body that is not UTF-8, or larger than allowed. */
  head: string | null;
  payloadBytes: number;
  envelope: Envelope | null;
  clockSkewMs: number | null;
  outcome: Outcome | null;
  durationMs: number;
}

export type Outcome = Refused | Taken;

export interface Refused {
  readonly kind: "refused";
  readonly refusal: Refusal;
}

export interface Taken {
  readonly kind: "taken";
  readonly answer: BootstrapAnswer | EventsAnswer;
  readonly results: readonly EventResult[];
  /** The normal form of each event that was stored or had one, as JSON text, in the order of `results`. */
  readonly normalized: readonly (string | null)[];
}
