/** The command line's way in. */
import { runCommandLine } from "./cli/run.ts";

await runCommandLine(process.argv.slice(2));
