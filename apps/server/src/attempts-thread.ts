/** The attempts thread of a serving process: it renders and masks attempts, and stores them on SQLite. */
import { type AttemptMessage, fromMessage } from "./debug/attempt-message.ts";
import { renderEach, rowOf } from "./debug/render.ts";
import { serveAttempts } from "./ledger/sqlite/serve-attempts.ts";
import { trySetPriority } from "./overload/priority.ts";

serveAttempts((messages) =>
  // open-ledger.ts sends the results of \`toMessage\`
  renderEach(messages as AttemptMessage[], (message) => rowOf(fromMessage(message))),
);

/** When all cores are busy, ingest goes first. Only on Linux: elsewhere this would set the priority of the whole process. */
const LOW_PRIORITY = 10;
if (process.platform === "linux") trySetPriority(LOW_PRIORITY);
