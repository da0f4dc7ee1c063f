/** The attempts' thread of a ledger that is given rows which are rendered already. */
import { serveAttempts } from "./attempts-verbs.ts";

serveAttempts(() => {
  throw new Error("this thread renders no attempts");
});
