/**
 * A line of an outbox payload: the normal form of an event, as one JSON object. Shipping and erasure read a few of its
 * members. These come first, and a tab ends them, so that the rest need not be parsed:
 *
 *     {"sourceId":"src_…","receivedAt":"…",…,"userId":null⇥,"eventId":"…",…}
 *
 * The tab is white space to any JSON parser. It is the only one in the line, because a tab inside a string is written `\t`.
 */
import type { EventSender } from "@headwater/contract";

/** The members that shipping and erasure read. */
export interface EventHead {
  analyticsEventId: string;
  sourceId: string;
  anonymousId: string;
  userId: string | null;
  /** ISO 8601. */
  occurredAt: string;
  /** ISO 8601. */
  receivedAt: string;
}

/** Members that all events of a batch share. */
export interface SharedMembers extends Pick<EventHead, "sourceId" | "receivedAt"> {
  readonly batchId: string | null;
  readonly sdkVersion: string | null;
  readonly country: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly sentBy: EventSender;
  /** ISO 8601. Absent: the event was not replayed. */
  readonly replayedAt?: string | undefined;
}

/** @param rest the members of the event that are neither in the head nor shared, as JSON without the braces */
export type BuildLine = (head: Omit<EventHead, "sourceId" | "receivedAt">, rest: string) => string;

const HEAD_END = "\t";
const HEAD_END_BYTE = 9;

/** The object's members as JSON, without the braces. */
export const membersOf = (value: object): string => JSON.stringify(value).slice(1, -1);

const serialized = new WeakMap<object, string>();
/** The same for an object that never changes and that many events share, such as a cached address: it is serialized once. */
export function sharedMembersOf(value: object): string {
  const known = serialized.get(value);
  if (known !== undefined) return known;
  const members = membersOf(value);
  serialized.set(value, members);
  return members;
}

/**
 * Shared members are serialized once per batch: to serialize them per event took a tenth of the time of its evaluation. An id that
 * the service makes and a time need no escapes.
 */
export function createLineBuilder({ sourceId, receivedAt, ...rest }: SharedMembers): BuildLine {
  const sharedHead = membersOf({ sourceId, receivedAt });
  const sharedRest = membersOf(rest);
  return ({ analyticsEventId, occurredAt, anonymousId, userId }, ownRest) =>
    `{${sharedHead},"analyticsEventId":"${analyticsEventId}","occurredAt":"${occurredAt}",${membersOf({ anonymousId, userId })}${HEAD_END},${ownRest},${sharedRest}}`;
}

/** A line that was read from a warehouse has no tab. @param line in UTF-8 */
export function readHead(line: Buffer): EventHead {
  const end = line.indexOf(HEAD_END_BYTE);
  return JSON.parse(end === -1 ? line.toString("utf8") : `${line.toString("utf8", 0, end)}}`);
}
