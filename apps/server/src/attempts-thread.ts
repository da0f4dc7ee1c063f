/** The attempts thread of a serving process: it renders and masks attempts, and stores them on SQLite. */
import { setPriority } from "node:os";
import { type AttemptMessage, fromMessage } from "./debug/attempt-message.ts";
import { rowOf, rowsOf } from "./debug/render.ts";
import { serveAttempts } from "./ledger/sqlite/serve-attempts.ts";

serveAttempts((messages) =>
  // open-ledger.ts sends what \`toMessage\` made
  rowsOf(messages as AttemptMessage[], (message) => rowOf(fromMessage(message))),
);

/** Ingest goes first where all cores are busy. Only Linux has priorities of threads; elsewhere it would be the process's. */
const LOW_PRIORITY = 10;
if (process.platform === "linux") setPriority(LOW_PRIORITY);
