/** The attempts thread: the debug history has a file and a connection of its own, so that it never delays a commit. */
import { join } from "node:path";
import type { AttemptCount, AttemptRow } from "../../core/records.ts";
import { serveThread, type Verb } from "../../core/thread-calls.ts";
import { type AttemptStore, openAttempts } from "./attempts.ts";
import { describeError } from "./failure.ts";

export interface AttemptsOpening {
  dataDir: string;
  storeBytes: number;
}

/** What the thread serves; the caller's methods are derived from it. */
export interface AttemptVerbs extends AttemptStore {
  /** Renders and records attempts; returns how many were rendered. */
  renderAttempts(batch: { messages: unknown[]; counts: AttemptCount[] }): number;
}

/** @param render makes the rows of what `renderAttempts` gets */
export function serveAttempts(render: (messages: unknown[]) => AttemptRow[]): void {
  let opening: AttemptsOpening | null = null;
  let store: AttemptStore | null = null;

  const open = (mode: "create" | "existing"): AttemptStore => {
    if (!opening) throw new Error("the attempts thread was called before it was opened");
    const { dataDir, storeBytes } = opening;
    store = openAttempts(join(dataDir, "attempts.sqlite"), { storeBytes, mode });
    return store;
  };
  /** After an error the connection is not to be trusted: the next verb opens another one. */
  const close = () => {
    try {
      store?.close();
    } catch {
      // nothing uses it any more
    }
    store = null;
  };

  const verbsOf = (opened: AttemptStore): Record<string, Verb> =>
    ({
      ...opened,
      renderAttempts({ messages, counts }) {
        const rows = render(messages);
        opened.recordAttempts({ rows, counts });
        return rows.length;
      },
    }) satisfies AttemptVerbs;

  serveThread({
    open(given: AttemptsOpening) {
      opening = given;
      open("create");
    },
    find: (verb) => verbsOf(store ?? open("existing"))[verb],
    close,
    describeError(thrown) {
      close();
      return describeError(thrown);
    },
  });
}
