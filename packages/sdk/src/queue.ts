import type { ClientEvent, EventOwner } from "./event.ts";
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
  /** Adds an event. A full queue drops the new event: the first page view matters more than the thousandth event. */
  put(event: QueuedEvent): void;
  remove(name: string): void;
  /**
   * Returns the waiting events, oldest first. Events older than a day are dropped.
   * @param anonymousId the visitor's id that is in the store now
   */
  list(anonymousId: string): QueueEntry[];
  /** The waiting events that this page added. They can be changed while they wait. */
  readonly own: Map<string, QueuedEvent>;
}

/** In characters: a thousand events of average size. */
const maxLength = 1_000_000;
const minEventLength = 1000;
export const maxAgeMs = 86_400_000;

/** @param prefix the prefix of this source's names in the store */
export function createQueue(store: ClientStore, prefix: string): Queue {
  const ownNames = `${prefix}event.`;
  const own = new Map<string, QueuedEvent>();
  let latest = 0;
  let length = 0;
  const occupy = (text: string) => {
    length += Math.max(minEventLength, text.length);
  };

  return {
    own,
    put(event) {
      const text = toJson(event);
      if (length + text.length > maxLength) return;
      occupy(text);
      // The names sort in the order of the events, even within one millisecond.
      latest = Math.max(latest + 1, Date.now());
      const name = ownNames + latest + event.id;
      own.set(name, event);
      store.write(name, text);
    },
    remove(name) {
      own.delete(name);
      store.remove(name);
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
        if (name.split("event.")[1]! < `${Date.now() - maxAgeMs}`) {
          own.delete(name);
          store.remove(name);
        } else if (name.startsWith(ownNames)) {
          const text = `${store.read(name)}`;
          occupy(text);
          entries.push([name, own.get(name) ?? (parseObject(text) as QueuedEvent)]);
        }
      }
      return entries;
    },
  };
}
