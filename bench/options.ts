/** The command line of the bench. */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Options } from "./section.ts";

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
  "shipping",
  "beside",
  "console",
] as const;
export type Part = (typeof PARTS)[number];

export const HELP = `npm run bench -- [options]

  --quick        short runs (2 s, 1 round), to see that it works; not to be quoted
  --only PARTS   some of ${PARTS.join(",")}
  --seconds N    length of a run (default 8)
  --rounds N     rounds, Headwater and what it is compared with in turns (default 5)
  --out FOLDER   where RESULTS.md and results.json go (default: bench/)
  --help

BENCH_DIR is the folder under which the ledgers are made (default: the system's temporary one). It should be on
the disk that matters: durable writes on a RAM disk cost nothing.
`;

/** A mistake on the command line, as a sentence. */
export class BenchUsageError extends Error {}

function whole(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new BenchUsageError(`--${name} is a whole number from 1 to 9999.`);
  return Number(text);
}

function partsOf(text: string | undefined): Part[] {
  if (text === undefined) return [...PARTS];
  const asked = text.split(",");
  const unknown = asked.find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined)
    throw new BenchUsageError(`--only does not know "${unknown}"; there are ${PARTS.join(", ")}.`);
  return PARTS.filter((part) => asked.includes(part));
}

/** @returns null: help was asked for */
export function readOptions(argv: readonly string[]): (Options & { only: readonly Part[] }) | null {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      seconds: { type: "string" },
      rounds: { type: "string" },
      out: { type: "string", default: fileURLToPath(new URL(".", import.meta.url)) },
      help: { type: "boolean", default: false },
    },
  });
  const { quick, out, help } = values;
  if (help) return null;
  return {
    quick,
    out,
    only: partsOf(values.only),
    seconds: whole("seconds", values.seconds, quick ? 2 : 8),
    rounds: whole("rounds", values.rounds, quick ? 1 : 5),
  };
}
