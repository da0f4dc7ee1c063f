import { type ClientEvent, type DatedEvent, type EventOwner, newId } from "./event.ts";
import { parseObject, toJson } from "./json.ts";
import type { ClientStore } from "./storage.ts";

export type QueuedEvent = ClientEvent & EventOwner;
/** An event and its name in the store. */
export type QueueEntry = readonly [name: string, event: QueuedEvent];

/**
 * The unacknowledged events of all pages of the site. Each event is its own entry in the store, so pages never overwrite
 * each other's events, and the next page sends what a closed page left.
 */
export interface Queue {
  /** Numbers an event and adds it. A full queue loses the new event: the first page view matters more than the last event. */
  put(event: DatedEvent & EventOwner): void;
  /** @param cause why the event is lost. The next event that is added reports it */
  remove(name: string, cause?: string | false | null): void;
  /**
   * Returns the waiting events, oldest first. Events older than a day are dropped.
   * @param anonymousId the visitor's id that is in the store now
   */
  list(anonymousId: string): QueueEntry[];
  /** The waiting events that this page added. They can be changed while they wait. */
  readonly own: Map<string, QueuedEvent>;
}

/** In characters. */
const maxLength = 1_000_000;
export const maxAgeMs = 86_400_000;
/** In characters: about five hundred lost events. Of more, the latest are reported. */
const maxLostLength = 50_000;
/** Seven digits, so that the names of one millisecond sort in the order of the events. */
const firstNumber = 1_000_000;

/** @param prefix the prefix of this source's names in the store */
export function createQueue(store: ClientStore, prefix: string): Queue {
  const ownNames = `${prefix}event.`;
  const lostName = `${prefix}lost`;
  const own = new Map<string, QueuedEvent>();
  let length = 0;
  let sequence: string;
  let number: number;
  /** The UTC day, the visitor and the user of the sequence. */
  let numberedOwner: string | undefined;

  function remove(name: string, cause?: string | false | null): void {
    // The next event takes over the report of the lost one, unless a server refused it: the report may have been too large.
    if (cause)
      store.write(
        lostName,
        [
          store.read(lostName),
          cause === "refused" || parseObject<ClientEvent>(store.read(name)!).lost,
          cause,
          name,
        ]
          .join()
          .slice(-maxLostLength),
      );
    own.delete(name);
    store.remove(name);
  }

  return {
    own,
    remove,
    put(dated) {
      // A sequence has events of one visitor, user and day: nothing links two visitors, and an erasure leaves no gap.
      const owner = dated.timestamp.slice(0, 10) + dated.userId + dated.anonymousId;
      if (owner !== numberedOwner) {
        numberedOwner = owner;
        sequence = `${newId()}~`;
        number = firstNumber;
      }
      const event = { ...dated, id: sequence + number++, lost: store.read(lostName) ?? undefined };
      store.remove(lostName);
      const text = toJson(event);
      const name = ownNames + Date.now() + event.id;
      own.set(name, event);
      store.write(name, text);
      if (length + text.length > maxLength) remove(name, "queue_full");
      else length += text.length;
    },
    list(anonymousId) {
      own.forEach((event, name) => {
        if (store.read(name)) return;
        // The entry is gone: another page has sent it, or the site has cleared its storage and with it the visitor's id.
        if (event.anonymousId === anonymousId) own.delete(name);
        else store.write(name, toJson(event));
      });
      length = 0;
      const entries: QueueEntry[] = [];
      for (const name of store.names("headwater.").sort()) {
        // Expired events of other keys are dropped too, because no page with such a key may be left. Timestamps of 13 digits sort as text.
        if (name.split("event.")[1]! < `${Date.now() - maxAgeMs}`)
          remove(name, name.startsWith(ownNames) && "too_old");
        else if (name.startsWith(ownNames)) {
          const text = `${store.read(name)}`;
          length += text.length;
          entries.push([name, own.get(name) ?? (parseObject(text) as QueuedEvent)]);
        }
      }
      return entries;
    },
  };
}
