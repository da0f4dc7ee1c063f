/**
 * The process of the embedded warehouse. The parent sends what to open and gets the port back. The process ends with its
 * parent, however that ended, because the channel between them closes.
 */
import { rmSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { trySetPriority } from "../../overload/priority.ts";
import { backupsIn, FILES, openEngine } from "./engine.ts";
import { createHttpInterface } from "./http-interface.ts";
import { openInbox } from "./inbox.ts";

/** The parent's first message. */
export interface OpenRequest {
  folder: string;
  memoryBytes: number;
  threads: number;
  /** Null: a folder of its own, which is emptied. */
  backups: string | null;
  moreArguments: readonly string[];
  username: string;
  password: string;
}
/** The answer to it. `failure` says why the engine could not be opened. */
export type OpenResult = { port: number } | { failure: string };

/** Safe at any time: answered inserts are on the disk. The engine's own shutdown may wait for a query forever. */
const end = () => process.kill(process.pid, "SIGKILL");

const report = (message: OpenResult) => process.send?.(message);

async function open(request: OpenRequest): Promise<void> {
  const ownBackups = backupsIn(request.folder);
  const engine = await openEngine({ ...request, backups: request.backups ?? ownBackups, onStuck: end });
  // unfinished backups are useless, and no other process uses the folder now
  rmSync(ownBackups, { recursive: true, force: true });
  const inbox = openInbox(join(request.folder, FILES));
  const server = createHttpInterface({ engine, inbox, credentials: request });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (typeof address === "object" && address) report({ port: address.port });
  });
}

// its files hold visitors' data
process.umask(0o077);
// before the engine starts its threads, which inherit the priority: with few processors, ingest comes first
trySetPriority(constants.priority.PRIORITY_BELOW_NORMAL);
process.on("disconnect", end);
// Ctrl-C in a terminal reaches this process too; the parent decides
process.on("SIGINT", () => undefined);
process.once("message", (request: OpenRequest) => {
  open(request).catch((error: Error) => report({ failure: error.message }));
});
