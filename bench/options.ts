/** The command line of the bench. */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { BenchOptions } from "./section.ts";

export const PARTS = [
  "throughput",
  "open",
  "bootstraps",
  "mix",
  "overload",
  "debug",
  "memory",
  "postgres",
  "growth",
  "stats",
  "scale",
  "shipping",
  "beside",
  "console",
  "attack",
  "loss",
] as const;
export type Part = (typeof PARTS)[number];

/** The sizes of the part `scale`, in millions of events. */
const MILLIONS = ["10", "30", "100"] as const;

/** The rows of the part `attack`. */
const ATTACKS = [
  "none",
  "pipelining",
  "slow-readers",
  "slow-bodies",
  "stats",
  "exports",
  "overload",
] as const;
export type AttackName = (typeof ATTACKS)[number];

export const HELP = `npm run bench -- [options]

  --quick        short runs (2 s, 1 round) to check that the bench works; do not quote the figures
  --only PARTS   comma-separated parts: ${PARTS.join(",")}
  --attacks A    comma-separated rows of the part attack: ${ATTACKS.join(",")}
  --millions M   comma-separated sizes of the part scale: ${MILLIONS.join(",")}
  --seconds N    length of a run (default 8)
  --rounds N     rounds; each alternates between Headwater and what it is compared with (default 5)
  --out FOLDER   folder for RESULTS.md, results/ and results.json (default: bench/; of a quick run bench/quick/)
  --help

BENCH_DIR is the folder in which the ledgers are created (default: the system's temporary folder). It should be on a
real disk: durable writes to a RAM disk cost nothing.
`;

/** An invalid command line; the message is for the user. */
export class BenchUsageError extends Error {}

function parseCount(name: string, text: string | undefined, defaultValue: number): number {
  if (text === undefined) return defaultValue;
  if (!/^[1-9]\d{0,3}$/.test(text))
    throw new BenchUsageError(`--${name} must be a whole number from 1 to 9999.`);
  return Number(text);
}

function namesIn<T extends string>(option: string, text: string | undefined, names: readonly T[]): T[] {
  if (text === undefined) return [...names];
  const selected = text.split(",");
  const unknown = selected.find((one) => !names.some((name) => name === one));
  if (unknown !== undefined)
    throw new BenchUsageError(
      `Unknown name "${unknown}" in --${option}. Available names: ${names.join(", ")}.`,
    );
  return names.filter((name) => selected.includes(name));
}

/** @returns null for --help */
export function readOptions(argv: readonly string[]): (BenchOptions & { only: readonly Part[] }) | null {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      attacks: { type: "string" },
      millions: { type: "string" },
      seconds: { type: "string" },
      rounds: { type: "string" },
      out: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const { quick, help } = values;
  if (help) return null;
  return {
    quick,
    out: values.out ?? fileURLToPath(new URL(quick ? "quick" : ".", import.meta.url)),
    only: namesIn("only", values.only, PARTS),
    millions: namesIn("millions", values.millions, MILLIONS).map(Number),
    attacks: namesIn("attacks", values.attacks, ATTACKS),
    seconds: parseCount("seconds", values.seconds, quick ? 2 : 8),
    rounds: parseCount("rounds", values.rounds, quick ? 1 : 5),
  };
}
