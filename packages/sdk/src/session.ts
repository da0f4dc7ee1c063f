import { newId } from "./event.ts";
import type { Store } from "./storage.ts";

/** Who the visitor is, and which visit this is. */
export interface Session {
  readonly anonymousId: string;
  /** The session that the server opened or resumed for this page; null until a bootstrap succeeded. */
  readonly id: string | null;
  /** What a bootstrap asks to resume: another tab may have opened one since. */
  resumable(): string | null;
  open(sessionId: string): void;
  close(): void;
}

const anonymousIdName = "headwater.anonymousId";
const readableId = /^[\w-]{8,128}$/;

export function createSession(store: Store, publicKey: string): Session {
  // The visitor is the same for every source of an origin and after a rotation of the key; a session is one source's.
  const sessionIdName = `headwater.sessionId.${publicKey}`;
  const known = store.read(anonymousIdName) ?? "";
  const anonymousId = readableId.test(known) ? known : newId();
  if (anonymousId !== known) store.write(anonymousIdName, anonymousId);

  let id: string | null = null;
  return {
    anonymousId,
    get id() {
      return id;
    },
    resumable: () => store.read(sessionIdName),
    open(sessionId) {
      id = sessionId;
      store.write(sessionIdName, sessionId);
    },
    close() {
      id = null;
    },
  };
}
