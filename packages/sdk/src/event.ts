import { catchErrors } from "./catch-errors.ts";
import { toJson } from "./json.ts";

/** Events as they are sent (docs/api/events.md), and the ids that they carry. */
export interface Page {
  readonly url: string;
  title: string;
  readonly referrer: string | null;
  /** The path includes the fragment of the URL. */
  readonly hashRouting?: true | undefined;
}

export interface TrackOptions {
  /** The visitor did nothing, as in a measurement: the event opens no session and does not affect the bounce rate. */
  readonly passive?: boolean | undefined;
  /** The page of the event. Default: the current page. */
  readonly page?: Page | undefined;
}

export type Properties = Readonly<Record<string, unknown>>;

export interface EventContent {
  readonly type: "page" | "track";
  readonly name?: string;
  readonly page: Page;
  readonly passive?: boolean | undefined;
  readonly properties: Properties | undefined;
}
/** The time is set once, at the call. */
export interface DatedEvent extends EventContent {
  readonly timestamp: string;
}
/** The id is set once, when the event enters the queue, so that the server recognizes a retry. */
export interface ClientEvent extends DatedEvent {
  /** A sequence and the event's number in it (docs/api/events.md#sequences). */
  readonly id: string;
  /** Events that were lost before this one was made: a cause and a name in the queue for each, separated by commas. */
  readonly lost?: string | undefined;
}

/** The visitor, session and user of an event. They are set when the event happens, whichever page sends it later. */
export interface EventOwner {
  readonly anonymousId: string;
  sessionId?: string | undefined;
  /** The server reads it from the batch, so all events of a batch have the same user. */
  userId?: string | undefined;
  readonly context?: { readonly consent: string } | undefined;
}

/** 128 random bits in hexadecimal. `crypto.randomUUID` is not available on plain http. */
export const newId = (): string =>
  crypto.getRandomValues(new Uint8Array(32)).reduce((id, byte) => id + (byte % 16).toString(16), "");

/** Copies the properties at the time of the call. Properties that are not JSON (a cycle, a BigInt) are dropped with a warning. */
export const copyOf = catchErrors(
  (properties?: Properties): Properties | undefined => properties && JSON.parse(toJson(properties)),
);
