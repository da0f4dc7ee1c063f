import { newId, type Stamp } from "./event.ts";
import type { Store } from "./storage.ts";

/** Who the visitor is, and which visit this is: one for all pages of the site that share the store. */
export interface Session {
  /** What the events of this moment belong to. `sessionId` is the visit that goes on, as far as this browser knows. */
  stamp(): Stamp;
  know(userId: string): void;
  /** The server opened or resumed it, or took events of it. */
  open(sessionId: string): void;
  /** The next event is somebody else's; no other key has the visitor any more either. */
  reset(): void;
}

/** An id, and after a space the user's, if there is one. */
const readable = /^\w{32}\b/;
const idLength = 32;
/** The server's rule. (That a day ends a session too is found at the next bootstrap.) */
const maxIdleMs = 1_800_000;

/** @param prefix of the names of this source in the store */
export function createSession(store: Store, prefix: string): Session {
  const sessionName = `${prefix}session`;
  const visitorName = `${prefix}visitor`;

  function visitor(): string {
    const known = store.read(visitorName)!;
    if (readable.test(known)) return known;
    // Who is known to another source of the site, or to this one before its key was rotated, is the same visitor here.
    const met =
      store
        .names("headwater.")
        .map(store.read)
        .find((text) => readable.test(text!)) ?? newId();
    store.write(visitorName, met);
    return met;
  }
  const anonymousId = () => visitor().slice(0, idLength);

  return {
    stamp() {
      const [activeAt, sessionId = null] = `${store.read(sessionName)}`.split(" ");
      return {
        anonymousId: anonymousId(),
        sessionId: Date.now() - +activeAt! < maxIdleMs ? sessionId : null,
        userId: visitor().slice(idLength + 1) || null,
      };
    },
    know: (userId) => store.write(visitorName, `${anonymousId()} ${userId}`),
    open: (sessionId) => store.write(sessionName, `${Date.now()} ${sessionId}`),
    reset() {
      const known = `${store.read(visitorName)}`.slice(0, idLength);
      for (const name of store.names("headwater."))
        if (store.read(name)?.startsWith(known)) store.remove(name);
      store.write(visitorName, newId());
      store.remove(sessionName);
    },
  };
}
