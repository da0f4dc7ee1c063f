import { catchErrors } from "./catch-errors.ts";

/** Events as they are sent (docs/contract.md), and the ids that they carry. */
export interface Page {
  readonly url: string;
  title: string;
  readonly referrer: string | null;
}

export type Properties = Readonly<Record<string, unknown>>;

interface EventBase {
  readonly id: string;
  readonly timestamp: string;
  readonly properties: Properties | undefined;
}
export interface PageEvent extends EventBase {
  readonly type: "page";
  readonly page: Page;
}
export interface TrackEvent extends EventBase {
  readonly type: "track";
  readonly name: string;
}
export type ClientEvent = PageEvent | TrackEvent;

/** The visitor, session and user of an event. They are set when the event happens, whichever page sends it later. */
export interface EventOwner {
  readonly anonymousId: string;
  sessionId: string | null;
  /** The server reads it from the batch, so all events of a batch have the same user. */
  userId: string | null;
}

/** 128 random bits in hexadecimal. `crypto.randomUUID` is not available on plain http. */
export const newId = (): string =>
  crypto.getRandomValues(new Uint8Array(32)).reduce((id, byte) => id + (byte % 16).toString(16), "");

/** Copies the properties at the time of the call. Properties that are not JSON (a cycle, a BigInt) are dropped with a warning. */
const copyOf = catchErrors(
  (properties?: Properties): Properties | undefined => properties && JSON.parse(JSON.stringify(properties)),
);

/** Id and time are set once, at the call, so that the server recognizes a retry. */
export const newEventBase = (properties?: Properties): EventBase => ({
  id: newId(),
  timestamp: new Date().toISOString(),
  properties: copyOf(properties),
});
