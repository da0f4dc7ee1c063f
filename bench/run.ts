/** `npm run bench`: measures Headwater, compares it with a bare server, and writes RESULTS.md and results/. */
import { fileURLToPath } from "node:url";
import { commitOf, describeMachine, hasWrk } from "./machine.ts";
import { BenchUsageError, HELP, type Part, readOptions } from "./options.ts";
import { type Results, writeResults } from "./report.ts";
import { attack } from "./rows/attack.ts";
import { beside } from "./rows/beside.ts";
import { consolePages } from "./rows/console.ts";
import { debugRecording } from "./rows/debug.ts";
import { growth } from "./rows/growth.ts";
import { loss } from "./rows/loss.ts";
import { memory } from "./rows/memory.ts";
import { openLoop } from "./rows/open.ts";
import { overload } from "./rows/overload.ts";
import { postgres } from "./rows/postgres.ts";
import { scale } from "./rows/scale.ts";
import { shipping } from "./rows/shipping.ts";
import { stats } from "./rows/stats.ts";
import { closedLoops, throughput } from "./rows/throughput.ts";
import type { BenchContext, BenchSection } from "./section.ts";
import { workFolder } from "./server.ts";

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url));

const MEASURES: Record<Part, (context: BenchContext) => Promise<BenchSection>> = {
  throughput,
  open: openLoop,
  bootstraps: (context) => closedLoops("Closed loop: bootstraps", ["bootstraps"], context),
  mix: (context) => closedLoops("Closed loop: mixed traffic", ["mix"], context),
  overload,
  debug: debugRecording,
  memory,
  postgres,
  growth,
  stats,
  scale,
  shipping,
  beside,
  console: consolePages,
  attack,
  loss,
};

const say = (text: string) => console.log(text);

async function bench(argv: readonly string[]): Promise<void> {
  const options = readOptions(argv);
  if (!options) return say(HELP);
  if (!hasWrk) {
    throw new BenchUsageError(
      "wrk is not installed. The closed loop needs it: `apt-get install wrk` (or your system's package).",
    );
  }
  const machine = describeMachine(workFolder);
  const commit = commitOf(REPOSITORY);
  const { quick, seconds, rounds } = options;
  const results: Results = { quick, machine, options: { seconds, rounds }, sections: {} };
  say(
    Object.entries(machine)
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n"),
  );
  if (machine["ledger's disk"]?.startsWith("tmpfs"))
    say("The ledger is on a RAM disk. Set BENCH_DIR to a folder on a real disk.");
  const context: BenchContext = { options, say, peak: { requestsPerSecond: null } };
  for (const part of options.only) {
    say(`${part} …`);
    const section = await MEASURES[part](context);
    results.sections[part] = { ...section, commit };
    writeResults(options, results, part);
    for (const table of section.tables)
      say(
        table.rows
          .map((row) => row.map((text, index) => `  ${table.columns[index]}: ${text}`).join("\n"))
          .join("\n\n"),
      );
  }
  say(`Wrote RESULTS.md, results/ and results.json in ${options.out}`);
}

try {
  await bench(process.argv.slice(2));
} catch (error) {
  const usage =
    error instanceof BenchUsageError || (error as NodeJS.ErrnoException).code?.startsWith("ERR_PARSE_ARGS");
  console.error(usage ? (error as Error).message : error);
  process.exitCode = usage ? 78 : 1;
}
