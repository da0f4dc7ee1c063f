/** The inside of the attempts' thread: debug history has a file and a connection of its own, so that it never delays a commit. */
import { join } from "node:path";
import type { AttemptCount, AttemptFilter, AttemptRow } from "../records.ts";
import { type AttemptStore, openAttempts } from "./attempts.ts";
import { serveThread } from "./rpc.ts";

export interface AttemptsOpening {
  dataDir: string;
  storeBytes: number;
}

let opening: AttemptsOpening;
let store: AttemptStore | null = null;

function opened(): AttemptStore {
  store ??= openAttempts(join(opening.dataDir, "attempts.sqlite"), { storeBytes: opening.storeBytes });
  return store;
}

function drop(): void {
  try {
    store?.close();
  } catch {
    // it is being thrown away
  }
  store = null;
}

const verbs: Record<string, (argument: never) => unknown> = {
  open: (given: AttemptsOpening) => {
    opening = given;
    opened();
  },
  recordAttempts: (batch: { rows: AttemptRow[]; counts: AttemptCount[] }) => opened().recordAttempts(batch),
  attempts: (filter: AttemptFilter) => opened().attempts(filter),
  attemptCounts: (asked: { sourceId: string; sinceHour: number }) => opened().attemptCounts(asked),
  maintain: ({ now }: { now: number }) => opened().maintain(now),
  close: drop,
};

serveThread((verb, argument) => verbs[verb]!(argument as never), drop);
