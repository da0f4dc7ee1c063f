import { newId, type Stamp } from "./event.ts";
import type { Store } from "./storage.ts";

/** Who the visitor is, and which visit this is: one for all pages of the site that share the store. */
export interface Session {
  /** What the events of this moment belong to. `sessionId` is the visit that goes on, as far as this browser knows. */
  stamp(): Stamp;
  /** Answers whether this is another user than before. */
  identify(userId: string): boolean;
  /** The server opened or resumed it, or took events of it. */
  open(sessionId: string): void;
  /** The server knows it no longer. Another page may have opened a new one meanwhile; that one stays. */
  lose(sessionId: string): void;
  /** The next event is somebody else's. */
  reset(): void;
}

const anonymousIdName = "headwater.anonymousId";
const userIdName = "headwater.userId";
const readableId = /^\w{32}$/;
/** The server's rule. (That a day ends a session too is found at the next bootstrap.) */
const maxIdleMs = 1_800_000;
const timeLength = 14;

export function createSession(store: Store, publicKey: string): Session {
  // The visitor is the same for every source of an origin and after a rotation of the key; a session is one source's.
  const sessionName = `headwater.session.${publicKey}`;

  /** When it was last active, in milliseconds of 13 digits, and its id. */
  const stored = () => store.read(sessionName) ?? "";

  function anonymousId(): string {
    const known = store.read(anonymousIdName) ?? "";
    if (readableId.test(known)) return known;
    const made = newId();
    store.write(anonymousIdName, made);
    return made;
  }

  return {
    stamp: () => ({
      anonymousId: anonymousId(),
      sessionId: Date.now() - Number.parseInt(stored(), 10) < maxIdleMs ? stored().slice(timeLength) : null,
      userId: store.read(userIdName),
    }),
    identify(id) {
      const isNew = id !== store.read(userIdName);
      store.write(userIdName, id);
      return isNew;
    },
    open: (sessionId) => store.write(sessionName, `${Date.now()} ${sessionId}`),
    lose: (sessionId) => stored().slice(timeLength) === sessionId && store.remove(sessionName),
    reset: () => [sessionName, userIdName, anonymousIdName].forEach(store.remove),
  };
}
