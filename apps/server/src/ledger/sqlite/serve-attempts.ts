/** The attempts thread: the debug history has a file and a connection of its own, so that it never delays a commit. */
import { join } from "node:path";
import type { AttemptCount, AttemptRow } from "../../core/records.ts";
import { serveThread, type ThreadMethod } from "../../core/thread-calls.ts";
import { type AttemptStore, openAttempts } from "./attempts.ts";
import { describeError } from "./failure.ts";

export interface AttemptsOpening {
  dataDir: string;
  storeBytes: number;
}

/** The methods that the thread serves. The main thread calls them through `Calls<AttemptThreadMethods>`. */
export interface AttemptThreadMethods extends AttemptStore {
  /** Converts attempts to rows and stores them. @returns how many rows there were */
  renderAttempts(batch: { messages: unknown[]; counts: AttemptCount[] }): number;
}

/** @param render converts the messages of `renderAttempts` to rows of the table */
export function serveAttempts(render: (messages: unknown[]) => AttemptRow[]): void {
  let opening: AttemptsOpening | null = null;
  let store: AttemptStore | null = null;

  const open = (mode: "create" | "existing"): AttemptStore => {
    if (!opening) throw new Error("the attempts thread was called before it was opened");
    const { dataDir, storeBytes } = opening;
    store = openAttempts(join(dataDir, "attempts.sqlite"), { storeBytes, mode });
    return store;
  };
  /** Called after an error, because the connection may be broken. The next call opens a new one. */
  const close = () => {
    try {
      store?.close();
    } catch {
      // the connection is not used again, so the error does not matter
    }
    store = null;
  };

  const methodsOf = (opened: AttemptStore): Record<string, ThreadMethod> =>
    ({
      ...opened,
      renderAttempts({ messages, counts }) {
        const rows = render(messages);
        opened.recordAttempts({ rows, counts });
        return rows.length;
      },
    }) satisfies AttemptThreadMethods;

  serveThread({
    open(given: AttemptsOpening) {
      opening = given;
      open("create");
    },
    find: (name) => methodsOf(store ?? open("existing"))[name],
    close,
    describeError(thrown) {
      close();
      return describeError(thrown);
    },
  });
}
