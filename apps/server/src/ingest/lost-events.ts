/** Reads which events a client lost, from the event that reports them (docs/api/events.md, Sequences). Pure. */
import { isEventCode, isLossCause } from "@headwater/contract";
import { toIsoTime } from "../core/time.ts";

/** A lost event, as the warehouse stores it. */
export interface LostEvent {
  readonly eventId: string;
  /** ISO 8601. */
  readonly occurredAt: string;
  readonly cause: string;
}

/** The browser client reports at most 50,000 characters, which are about 500 events. */
const MAX_LENGTH = 60_000;
/** A pair begins after a comma only: the search would otherwise begin anew at every letter of a long text. */
const LOST_EVENT = /(?<![^,])([a-z_]+),[^,]*event\.(\d{13})([0-9a-f]{32}~1\d{6})(?![^,])/g;

/**
 * @param correctTime the time by the server's clock; null: the event could not have been stored
 * @returns undefined when there are none, so that nearly all events are stored without the member
 */
export function readLost(
  lost: unknown,
  correctTime: (time: number) => number | null,
): LostEvent[] | undefined {
  if (typeof lost !== "string" || lost.length > MAX_LENGTH) return undefined;
  const events = [...lost.matchAll(LOST_EVENT)].flatMap(([, cause = "", time, eventId = ""]) => {
    const occurredAt = correctTime(Number(time));
    // a duplicate has arrived
    const isKnown = isLossCause(cause) || (isEventCode(cause) && cause !== "duplicate_event");
    return isKnown && occurredAt !== null ? [{ eventId, occurredAt: toIsoTime(occurredAt), cause }] : [];
  });
  return events.length > 0 ? events : undefined;
}
