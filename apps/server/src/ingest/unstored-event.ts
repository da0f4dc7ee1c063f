import type { Event, KeptCode } from "@headwater/contract";
import type { IngestBody } from "../http/body.ts";
import type { SessionRecord } from "../ledger/records.ts";
import type { IngestRequest } from "./ingest-request.ts";
import type { SenderFacts } from "./sender.ts";
import type { CachedSource } from "./source-cache.ts";

/** A request whose body was read, and whose token, if it has one, is valid. */
export interface RequestWithBody {
  readonly request: IngestRequest;
  readonly keyed: CachedSource;
  readonly body: IngestBody;
}

/** The events of a request that were not stored and that its source keeps. They are read after the answer was sent. */
export interface Unstored {
  /** About the bytes of a body with these events only. */
  readonly bytes: number;
  read(): Promise<readonly UnstoredEvent[]>;
}

/** A bootstrap body with one event, as JSON. Secrets in addresses are masked, as in stored events. */
export interface UnstoredBody {
  readonly [member: string]: unknown;
  readonly events: readonly [{ readonly [member: string]: unknown }];
}

export interface UnstoredEvent {
  readonly code: KeptCode;
  readonly body: UnstoredBody;
  readonly event: Event;
  readonly sender: SenderFacts;
  /** The visitor, also of a client without storage. */
  readonly anonymousId: string;
  readonly userId: string | null;
  /** The session of the request. null: it was refused before its session was found, or the event names another one. */
  readonly session: SessionRecord | null;
  /** The session that the event names, if it is another one than `session`. */
  readonly sessionId: string | null;
}

/** What a replay evaluates again. */
export type KeptEvent = Pick<UnstoredEvent, "body" | "sender" | "session" | "sessionId" | "anonymousId">;
