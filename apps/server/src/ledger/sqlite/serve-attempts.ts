/** The attempts thread: the debug history has a file and a connection of its own, so that it never delays a commit. */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { serveThread, type ThreadMethod } from "../../core/thread-calls.ts";
import type { AttemptCount, AttemptRow } from "../records.ts";
import { type AttemptStore, openAttempts } from "./attempts.ts";
import { ATTEMPTS_FILE, attemptsPath } from "./database.ts";
import { describeError, isDamage } from "./failure.ts";

export interface AttemptsOpening {
  dataDir: string;
  storeBytes: number;
  quarantineBytes: number;
  /** true for a command: a running service may have the file open too, so it must not be renamed. */
  isShared: boolean;
}

/** The methods that the thread serves. The main thread calls them through `Calls<AttemptThreadMethods>`. */
export interface AttemptThreadMethods extends AttemptStore {
  /** Converts attempts to rows and stores them. @returns how many rows there were */
  renderAttempts(batch: { messages: unknown[]; counts: AttemptCount[] }): number;
}

/** The files of a database. The database itself is renamed last: a new one must never be opened beside an old `-wal`. */
const SUFFIXES = ["-wal", "-shm", ""] as const;

/**
 * Renames a damaged database, so that a new one can take its place. Only the newest damaged one is kept. The connection must be
 * closed, and no other process may have the database open.
 * @returns the new name, which has the time of the last write
 */
function setAside(path: string): string {
  const [folder, file] = [dirname(path), basename(path)];
  const time = statSync(path).mtime.toISOString().replaceAll(":", "-");
  const name = `${file}.damaged-${time}`;
  for (const old of readdirSync(folder))
    if (old.startsWith(`${file}.damaged-`)) rmSync(join(folder, old), { force: true });
  for (const suffix of SUFFIXES)
    if (existsSync(path + suffix)) renameSync(path + suffix, join(folder, name + suffix));
  return name;
}

/** The open file. It is opened again after an error other than a full disk, and replaced when it is damaged. */
function createAttemptsFile({ dataDir, storeBytes, quarantineBytes, isShared }: AttemptsOpening) {
  const path = attemptsPath(dataDir);
  let store: AttemptStore | null = null;
  let mode: "create" | "existing" = "create";

  /** Called after an error, because the connection may be broken. */
  const close = () => {
    try {
      store?.close();
    } catch {
      // the connection is not used again, so the error does not matter
    }
    store = null;
  };
  return {
    store(): AttemptStore {
      store ??= openAttempts(path, { storeBytes, quarantineBytes, mode });
      mode = "existing";
      return store;
    },
    close,
    /**
     * Renames a damaged file, so that a new one is created: the debug history may be lost, but must not stop the service.
     * @returns a sentence for the operator; null when the file was not renamed
     */
    replaceIfDamaged(error: unknown): string | null {
      close();
      if (isShared || !isDamage(error)) return null;
      const name = setAside(path);
      mode = "create";
      return `${ATTEMPTS_FILE} was damaged and is now ${name}; the debug history starts again, and no event is lost`;
    },
  };
}

/** @param render converts the messages of `renderAttempts` to rows of the table */
export function serveAttempts(render: (messages: unknown[]) => AttemptRow[]): void {
  let file: ReturnType<typeof createAttemptsFile> | null = null;

  const replaceIfDamaged = (error: unknown) => {
    const message = file?.replaceIfDamaged(error);
    if (message) notify(message);
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

  const notify = serveThread({
    open(opening: AttemptsOpening) {
      file = createAttemptsFile(opening);
      try {
        file.store();
      } catch (error) {
        if (!isDamage(error)) throw error;
        replaceIfDamaged(error);
        // a shared file stays as it is: only a command that reads the history fails, with the name of the file
        if (!opening.isShared) file.store();
      }
    },
    find(name) {
      if (!file) throw new Error("the attempts thread was called before it was opened");
      return methodsOf(file.store())[name];
    },
    close: () => file?.close(),
    describeError(thrown) {
      const failure = describeError(thrown, ATTEMPTS_FILE);
      // the connection still works; a new one needs files of its own, for which a full disk has no space
      if (failure.storage === "full") return failure;
      try {
        replaceIfDamaged(thrown);
      } catch {
        // the next call fails in the same way and tries the replacement again
      }
      return failure;
    },
  });
}
