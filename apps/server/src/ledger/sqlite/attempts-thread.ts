/** The attempts thread of a command: it reads and deletes the debug history, and never gets an attempt to render. */
import { serveAttempts } from "./serve-attempts.ts";

serveAttempts(() => {
  throw new Error("this thread does not render attempts");
});
