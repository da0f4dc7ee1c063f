import { newId, type Stamp } from "./event.ts";
import type { Store } from "./storage.ts";

/** Who the visitor is, and which visit this is: one for all pages of the site that share the store. */
export interface Session {
  /** What the events of this moment belong to. `sessionId` is the visit that goes on, as far as this browser knows. */
  stamp(): Stamp;
  identify(userId: string): void;
  /** The server opened or resumed it, or took events of it. */
  open(sessionId: string): void;
  /** The next event is somebody else's. */
  reset(): void;
}

const anonymousIdName = "headwater.anonymousId";
const userIdName = "headwater.userId";
const readableId = /^\w{32}$/;
/** The server's rule. (That a day ends a session too is found at the next bootstrap.) */
const maxIdleMs = 1_800_000;

export function createSession(store: Store, publicKey: string): Session {
  // The visitor is the same for every source of an origin and after a rotation of the key; a session is one source's.
  const sessionName = `headwater.session.${publicKey}`;

  function anonymousId(): string {
    const known = store.read(anonymousIdName) ?? "";
    if (readableId.test(known)) return known;
    const made = newId();
    store.write(anonymousIdName, made);
    return made;
  }

  return {
    stamp() {
      const [activeAt, sessionId = null] = (store.read(sessionName) ?? "").split(" ");
      return {
        anonymousId: anonymousId(),
        sessionId: Date.now() - Number(activeAt) < maxIdleMs ? sessionId : null,
        userId: store.read(userIdName),
      };
    },
    identify: (userId) => store.write(userIdName, userId),
    open: (sessionId) => store.write(sessionName, `${Date.now()} ${sessionId}`),
    reset: () => [sessionName, userIdName, anonymousIdName].forEach(store.remove),
  };
}
