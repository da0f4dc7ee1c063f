/** A request of another tool's client as plain values, and what an adapter makes of it (docs/migrate.md). */

import type { CompatEndpoint, EventResult, Operation } from "@headwater/contract";
import type { EventCode } from "@headwater/contract/event-codes";

export interface ForeignRequest {
  /** The last part of the path, such as `track`. */
  readonly call: string;
  /** The part of the URL behind `?`. */
  readonly queryText: string;
  readonly bodyText: string;
  /** Parses the body. Throws a 422 refusal when it is not JSON. */
  readonly json: () => unknown;
}

/** One event of a foreign request. */
export interface ForeignEvent {
  /** Name and version of the client. */
  readonly client: string | null;
  /** `NO_ID`: the client stores nothing, and the service identifies the visitor. */
  readonly anonymousId: string;
  readonly userId: string | null;
  /** The client's own id of the session. null: sessions end after inactivity. */
  readonly clientSession: string | null;
  /** The client says that a session begins with this event. */
  readonly startsSession?: boolean;
  /**
   * A value that tells the event from equal ones: a random number of the client, or its time if the visitor is known. null:
   * the client sends neither, so equal events of two requests are different events.
   */
  readonly nonce: string | null;
  /** The event as in a batch of ours. Without an `id` it gets a hash, without a `timestamp` the time of receipt. */
  readonly event: Readonly<Record<string, unknown>>;
}

/** An event that cannot be translated. It is rejected. */
export interface Untranslated {
  /** Its `id`, `type` and `name`, as far as they can be read. */
  readonly raw: unknown;
  readonly problem: string;
  /** Default: `invalid_event`. */
  readonly code?: EventCode;
}

/** A value of a message that its event is rejected for. The message says what it must be. */
export class Untranslatable extends Error {
  readonly code: EventCode;
  constructor(problem: string, code: EventCode = "invalid_event") {
    super(problem);
    this.code = code;
  }
}

export interface Translation {
  /** When the client sent the request, by its clock. null: it does not say. */
  readonly sentAt: string | null;
  /** As they were sent, in the order of the request. */
  readonly messages: readonly unknown[];
  /** Members of the request that every message gets: their size counts once for each. null: none. */
  readonly shared: Readonly<Record<string, unknown>> | null;
  /** The context of the request, which is added to that of each event, as in a batch of ours. null: it has none. */
  readonly context: Record<string, unknown> | null;
  readonly eventOf: (message: unknown) => ForeignEvent | Untranslated;
}

/** The results that an answer contains. The counts add up to the number of results. */
interface ForeignResults {
  readonly attemptId: string;
  /** The session of the first visitor. */
  readonly sessionId: string;
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: number;
  readonly results: readonly EventResult[];
}

export interface ForeignReply {
  readonly status: number;
  readonly mediaType: string;
  readonly content: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request as far as its address says what it is. */
export interface ForeignAddress {
  readonly method: Operation["method"];
  readonly call: string;
  /** The part of the URL behind `?`. */
  readonly queryText: string;
  /** The write key in the path; empty: the path has none. */
  readonly writeKey: string;
  /** The public address that the clients of all tools send to. */
  readonly baseUrl: string;
}

/** The protocol of another tool's clients. Its functions are pure. */
export interface Adapter {
  /** null: the path belongs to no tool. */
  readonly endpoint: CompatEndpoint | null;
  /** The answer to a request that has no events, such as one for settings. null: it has some. */
  readonly fixedReply?: (address: ForeignAddress) => ForeignReply | null;
  /** Throws a refusal when the request as a whole is unusable. */
  readonly translate: (request: ForeignRequest) => Translation;
  /** Renders an answer that the client takes for a success. */
  readonly reply: (results: ForeignResults, request: Omit<ForeignRequest, "json">) => ForeignReply;
}

export type Adapters = Readonly<Record<CompatEndpoint, Adapter>>;
