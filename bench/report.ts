/** Writes RESULTS.md and results.json. They are written after every part, so that an interrupted run keeps its results. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PARTS, type Part } from "./options.ts";
import type { BenchOptions, BenchSection, ResultTable } from "./section.ts";

export interface Results {
  quick: boolean;
  machine: Record<string, string>;
  options: { seconds: number; rounds: number };
  /** By part, each with the commit that was measured. */
  sections: Partial<Record<Part, BenchSection & { commit: string }>>;
}

const cell = (text: string) => text.replaceAll("|", "\\|");
const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;

/** A table with one row and more columns than this is shown as two columns. */
const MAX_COLUMNS_OF_ONE_ROW = 8;

function tableOf({ columns, rows }: ResultTable): string {
  const [only] = rows;
  if (only && rows.length === 1 && columns.length > MAX_COLUMNS_OF_ONE_ROW) {
    return tableOf({ columns: ["figure", ""], rows: columns.map((column, index) => [column, only[index]!]) });
  }
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

function settingsOf(settings: Record<string, string>): string {
  const changed = Object.entries(settings).map(([name, value]) => `\`${name}=${value}\``);
  return `Settings that differ from the defaults: ${changed.join(", ") || "none"}.`;
}

function sectionOf({
  title,
  date,
  commit,
  settings,
  tables,
  notes,
}: BenchSection & { commit: string }): string {
  const listed = notes.map((note) => `- ${note}`).join("\n");
  return [
    `## ${title}`,
    `${date}, commit ${commit}. ${settingsOf(settings)}`,
    ...tables.map(tableOf),
    listed,
  ].join("\n\n");
}

function markdown({ quick, machine, sections }: Results): string {
  const warning = quick
    ? ["**A quick run that checks that the bench works. Its figures mean nothing.**"]
    : [];
  return `${[
    "# Results of `npm run bench`",
    ...warning,
    `The rate limiter, debug recording, masking, origin checks and access checks are on unless a row says otherwise. Every acknowledged event is durable (\`synchronous=FULL\`). README.md explains each row.`,
    tableOf({ columns: ["machine", ""], rows: Object.entries(machine) }),
    ...PARTS.flatMap((part) => sections[part] ?? []).map(sectionOf),
  ].join("\n\n")}\n`;
}

/** Keeps the results of earlier runs, so that parts can be run one by one. */
export function openResults(options: BenchOptions, machine: Record<string, string>): Results {
  const file = join(options.out, "results.json");
  const { quick, seconds, rounds } = options;
  const earlier = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Results) : null;
  const sections = earlier?.quick === quick ? earlier.sections : {};
  return { quick, machine, options: { seconds, rounds }, sections };
}

const BIOME = fileURLToPath(new URL("../node_modules/.bin/biome", import.meta.url));

/** Formats the file in the repository's style, when the formatter is installed. */
function format(file: string): void {
  try {
    execFileSync(BIOME, ["format", "--write", file], { stdio: "ignore" });
  } catch {
    // only the formatting is missing
  }
}

/** No figure here is exact to more than four digits. */
const rounded = (_: string, value: unknown) =>
  typeof value === "number" ? Number(value.toPrecision(4)) : value;

export function writeResults(folder: string, results: Results): void {
  const file = join(folder, "results.json");
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, rounded, 2)}\n`);
  format(file);
  writeFileSync(join(folder, "RESULTS.md"), markdown(results));
}
