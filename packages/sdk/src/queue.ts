import type { ClientEvent, Stamp } from "./event.ts";
import { readObject } from "./json.ts";
import type { Store } from "./storage.ts";

export type QueuedEvent = ClientEvent & Stamp;
/** An event by its name in the queue. */
export type Entry = readonly [name: string, event: QueuedEvent];

/**
 * Events that wait to be acknowledged, of every page of the site together. Each is an entry of its own in the store, so
 * pages never overwrite each other's, and what a closed page left behind is sent by the next one.
 */
export interface Queue {
  /** Full, it drops the new one: the first page view is worth more than the thousandth event. */
  put(event: QueuedEvent): void;
  remove(name: string): void;
  /**
   * The oldest first. What is older than a day is dropped.
   * @param anonymousId the visitor's, as it is in the store now
   */
  list(anonymousId: string): Entry[];
  /** Added by this page, and not removed yet, so not read again. An event may be changed while it waits. */
  readonly own: Map<string, QueuedEvent>;
}

/** A thousand events, or a megabyte of fewer. */
const maxLength = 1_000_000;
const minEventLength = 1000;
export const maxAgeMs = 86_400_000;

/** @param prefix of the names of this source in the store */
export function createQueue(store: Store, prefix: string): Queue {
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
      const text = JSON.stringify(event);
      if (length + text.length > maxLength) return;
      occupy(text);
      // Names are in the order of their events, also of those of one millisecond.
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
      for (const [name, event] of own) {
        if (store.read(name)) continue;
        // Another page has sent it; unless the visitor's id has gone with it, as when the site clears its storage.
        if (event.anonymousId === anonymousId) own.delete(name);
        else store.write(name, JSON.stringify(event));
      }
      length = 0;
      const entries: Entry[] = [];
      for (const name of store.names("headwater.").sort()) {
        // Those of another key too, because nobody else may come to drop them. (Times of 13 digits are in the order of their text.)
        if (name.split("event.")[1]! < `${Date.now() - maxAgeMs}`) {
          own.delete(name);
          store.remove(name);
        } else if (name.startsWith(ownNames)) {
          const text = `${store.read(name)}`;
          occupy(text);
          entries.push([name, own.get(name) ?? (readObject(text) as QueuedEvent)]);
        }
      }
      return entries;
    },
  };
}
