/**
 * The process that holds the embedded warehouse. It is told what to open by its parent, tells where it listens, and ends
 * with its parent, whatever ended that: the channel between them closes.
 */
import { rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { openInbox } from "./body.ts";
import { backupsIn, openEngine } from "./engine.ts";
import { createInterface } from "./interface.ts";

export interface Order {
  folder: string;
  memoryBytes: number;
  threads: number;
  /** null: its own, which is emptied. */
  backups: string | null;
  more: readonly string[];
  username: string;
  password: string;
}
/** `failure`: it could not be opened, and why. */
export type Report = { port: number } | { failure: string };

/** Nothing that is on disk needs it to end otherwise, and the engine's own way out can wait for a query for ever. */
const end = () => process.kill(process.pid, "SIGKILL");

const tell = (report: Report) => process.send?.(report);

async function open(order: Order): Promise<void> {
  const own = backupsIn(order.folder);
  const engine = await openEngine({ ...order, backups: order.backups ?? own, onStuck: end });
  // what broke off is of no use, and nobody else has the folder now
  rmSync(own, { recursive: true, force: true });
  const inbox = openInbox(join(order.folder, "inbox"));
  const server = createInterface({ engine, inbox, credentials: order });
  server.listen(0, "127.0.0.1", () => tell({ port: (server.address() as AddressInfo).port }));
}

// before there are threads, which have what whoever starts them has: where processors are few, ingest comes first
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
process.on("disconnect", end);
// a Ctrl-C of the terminal is the parent's to hear
process.on("SIGINT", () => undefined);
process.once("message", (order: Order) => {
  open(order).catch((error: Error) => tell({ failure: error.message }));
});
