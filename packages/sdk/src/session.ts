import { newId } from "./event.ts";
import type { Store } from "./storage.ts";

/** Who the visitor is, and which visit this is: one for all pages of the site that share the store. */
export interface Session {
  anonymousId(): string;
  userId(): string | null;
  /** The visit that goes on, as far as this browser knows; the server is the authority. */
  id(): string | undefined;
  /** Answers whether this is another user than before. */
  identify(userId: string): boolean;
  /** The server opened or resumed it, or took events of it. */
  keepAlive(sessionId: string): void;
  /** The server knows it no longer. Another page may have opened a new one meanwhile; that one stays. */
  lose(sessionId: string): void;
  /** The next event is somebody else's. */
  reset(): void;
}

const anonymousIdName = "headwater.anonymousId";
const userIdName = "headwater.userId";
const readableId = /^[\w-]{8,128}$/;
/** The server's rules: 30 idle minutes end a session, and so does a day. */
const maxIdleMs = 1_800_000;
const maxAgeMs = 86_400_000;

export function createSession(store: Store, publicKey: string): Session {
  // The visitor is the same for every source of an origin and after a rotation of the key; a session is one source's.
  const sessionName = `headwater.session.${publicKey}`;

  /** Its id, when it was opened and when it was last active, in milliseconds. */
  const stored = () => (store.read(sessionName) ?? "").split(" ");
  const userId = () => store.read(userIdName);

  return {
    userId,
    anonymousId() {
      let id = store.read(anonymousIdName) ?? "";
      if (!readableId.test(id)) store.write(anonymousIdName, (id = newId()));
      return id;
    },
    id() {
      const [id, openedAt, activeAt] = stored();
      const now = Date.now();
      return now - Number(activeAt) < maxIdleMs && now - Number(openedAt) < maxAgeMs ? id : undefined;
    },
    identify(id) {
      const isNew = id !== userId();
      store.write(userIdName, id);
      return isNew;
    },
    keepAlive(sessionId) {
      const [id, openedAt] = stored();
      const now = Date.now();
      store.write(sessionName, `${sessionId} ${id === sessionId ? openedAt : now} ${now}`);
    },
    lose: (sessionId) => stored()[0] === sessionId && store.remove(sessionName),
    reset: () => [sessionName, userIdName, anonymousIdName].forEach(store.remove),
  };
}
