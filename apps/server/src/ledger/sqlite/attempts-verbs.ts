/** The inside of the attempts' thread: debug history has a file and a connection of its own, so that it never delays a commit. */
import { join } from "node:path";
import type { AttemptCount, AttemptFilter, AttemptRow } from "../../core/records.ts";
import type { ErasureSlice } from "../ledger.ts";
import { type AttemptStore, openAttempts } from "./attempts.ts";
import { serveThread } from "./rpc.ts";

export interface AttemptsOpening {
  dataDir: string;
  storeBytes: number;
}

/** @param render makes rows of what `renderAttempts` is given, where a thread is asked to render as well */
export function serveAttempts(render: (parcels: unknown[]) => AttemptRow[]): void {
  let opening: AttemptsOpening;
  let store: AttemptStore | null = null;

  const openFile = (again: "again" | null): AttemptStore => {
    const { dataDir, storeBytes } = opening;
    store = openAttempts(join(dataDir, "attempts.sqlite"), { storeBytes }, again);
    return store;
  };
  const opened = (): AttemptStore => store ?? openFile("again");
  const drop = (): void => {
    try {
      store?.close();
    } catch {
      // it is being thrown away
    }
    store = null;
  };

  const verbs: Record<string, (argument: never) => unknown> = {
    open: (given: AttemptsOpening) => {
      opening = given;
      openFile(null);
    },
    renderAttempts: ({ parcels, counts }: { parcels: unknown[]; counts: AttemptCount[] }) => {
      const rows = render(parcels);
      opened().recordAttempts({ rows, counts });
      return rows.length;
    },
    recordAttempts: (batch: { rows: AttemptRow[]; counts: AttemptCount[] }) => opened().recordAttempts(batch),
    attempts: (filter: AttemptFilter) => opened().attempts(filter),
    attemptCounts: (asked: { sourceId: string; sinceHour: number }) => opened().attemptCounts(asked),
    recentAttemptCounts: (asked: { sinceHour: number }) => opened().recentAttemptCounts(asked),
    eraseAttempts: (slice: ErasureSlice) => opened().eraseAttempts(slice),
    maintain: ({ now }: { now: number }) => opened().maintain(now),
    close: drop,
  };
  serveThread((verb, argument) => verbs[verb]!(argument as never), drop);
}
