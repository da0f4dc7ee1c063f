import { quietly } from "./quietly.ts";

/** What is sent (specification 2.4 to 2.7), and the ids it carries. */
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

/** Whose event it is: it stays with its visit, whenever and by whichever page it is sent. */
export interface Stamp {
  readonly anonymousId: string;
  sessionId: string | null;
  /** The server reads it from the batch, so a batch holds events of one user. */
  userId: string | null;
}

/** 128 random bits. `crypto.randomUUID` would do, but pages on plain http do not have it. */
export const newId = (): string =>
  crypto.getRandomValues(new Uint8Array(32)).reduce((id, byte) => id + (byte % 16).toString(16), "");

/** As it is at the call, and as JSON: what cannot be written as JSON (a cycle, a BigInt) must not keep the event back. */
const copyOf = quietly(
  (properties?: Properties): Properties | undefined => properties && JSON.parse(JSON.stringify(properties)),
);

/** Id and time are given once, at the call: a retry is then known for what it is. */
export const newEventBase = (properties?: Properties): EventBase => ({
  id: newId(),
  timestamp: new Date().toISOString(),
  properties: copyOf(properties),
});
