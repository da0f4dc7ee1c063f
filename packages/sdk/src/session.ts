import { type EventOwner, newId } from "./event.ts";
import type { ClientStore } from "./storage.ts";

/** The visitor, user and session in this browser. All pages of the site share them through the store. */
export interface Session {
  /** The owner of events that happen now. `sessionId` is the current session as far as this browser knows. */
  currentOwner(): EventOwner;
  setUserId(userId: string): void;
  /** Records the session that the server opened, resumed or accepted events for. */
  open(sessionId: string): void;
  /** Starts a new visitor and removes the old one under every key of the site. */
  reset(): void;
}

/** A stored visitor is the visitor's id and, if the user is known, a space and the user's id. */
const startsWithVisitorId = /^\w{32}\b/;
export const idLength = 32;
/** A session without activity ends after this time. It also ends a day after its start, but only the server checks that. */
const maxIdleMs = 1_800_000;

/** @param prefix of the names under which the store keeps this source's data */
export function createSession(store: ClientStore, prefix: string): Session {
  const sessionName = `${prefix}session`;
  const visitorName = `${prefix}visitor`;

  function visitor(): string {
    const known = store.read(visitorName)!;
    if (startsWithVisitorId.test(known)) return known;
    // Visitors keep the id that is stored under another key of the site, such as this source's key before a rotation.
    const found =
      store
        .names("headwater.")
        .map(store.read)
        .find((text) => startsWithVisitorId.test(text!)) ?? newId();
    store.write(visitorName, found);
    return found;
  }
  const anonymousId = () => visitor().slice(0, idLength);

  return {
    currentOwner() {
      const [activeAt, sessionId] = `${store.read(sessionName)}`.split(" ");
      return {
        anonymousId: anonymousId(),
        sessionId: Date.now() - +activeAt! < maxIdleMs ? sessionId : undefined,
        userId: visitor().slice(idLength + 1) || undefined,
        ...store.owner(),
      };
    },
    open: (sessionId) => store.write(sessionName, `${Date.now()} ${sessionId}`),
    setUserId: (userId) => store.write(visitorName, `${anonymousId()} ${userId}`),
    reset() {
      // Without a visitor here, no name starts with "undefined".
      const known = store.read(visitorName)?.slice(0, idLength);
      store.names("headwater.").forEach((name) => {
        if (store.read(name)?.startsWith(known!)) store.remove(name);
      });
      store.write(visitorName, newId());
      store.remove(sessionName);
    },
  };
}
