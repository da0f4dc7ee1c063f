/** RESULTS.md and results.json, written after every part, so that a run that is cut short leaves what it found. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PARTS, type Part } from "./options.ts";
import type { Options, Section, Table } from "./section.ts";

export interface Results {
  quick: boolean;
  machine: Record<string, string>;
  options: { seconds: number; rounds: number };
  /** By part, each with the commit it was measured of. */
  sections: Partial<Record<Part, Section & { commit: string }>>;
}

const cell = (text: string) => text.replaceAll("|", "\\|");
const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;

/** A single row of many figures reads better down the page. */
const WIDE = 8;

function tableOf({ columns, rows }: Table): string {
  const [only] = rows;
  if (only && rows.length === 1 && columns.length > WIDE) {
    return tableOf({ columns: ["figure", ""], rows: columns.map((column, index) => [column, only[index]!]) });
  }
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

function settingsOf(settings: Record<string, string>): string {
  const changed = Object.entries(settings).map(([name, value]) => `\`${name}=${value}\``);
  return `Settings beside the defaults: ${changed.join(", ") || "none"}.`;
}

function sectionOf({ title, date, commit, settings, tables, notes }: Section & { commit: string }): string {
  const listed = notes.map((note) => `- ${note}`).join("\n");
  return [
    `## ${title}`,
    `${date}, commit ${commit}. ${settingsOf(settings)}`,
    ...tables.map(tableOf),
    listed,
  ].join("\n\n");
}

function markdown({ quick, machine, sections }: Results): string {
  const warning = quick ? ["**A quick run, to see that the bench works. Its figures mean nothing.**"] : [];
  return `${[
    "# Results of `npm run bench`",
    ...warning,
    `The limiter, debug recording, masking, origin and access checks are on in every row that does not say otherwise; every acknowledged event is durable (\`synchronous=FULL\`). What each row means is in README.md.`,
    tableOf({ columns: ["machine", ""], rows: Object.entries(machine) }),
    ...PARTS.flatMap((part) => sections[part] ?? []).map(sectionOf),
  ].join("\n\n")}\n`;
}

/** Parts found earlier are kept, so that they can be run one by one. */
export function openResults(options: Options, machine: Record<string, string>): Results {
  const file = join(options.out, "results.json");
  const { quick, seconds, rounds } = options;
  const earlier = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Results) : null;
  const sections = earlier?.quick === quick ? earlier.sections : {};
  return { quick, machine, options: { seconds, rounds }, sections };
}

const BIOME = fileURLToPath(new URL("../node_modules/.bin/biome", import.meta.url));

/** As the repository wants its files; where the formatter is not installed, as it is. */
function format(file: string): void {
  try {
    execFileSync(BIOME, ["format", "--write", file], { stdio: "ignore" });
  } catch {
    // a matter of looks
  }
}

/** Four digits are more than any figure here bears. */
const rounded = (_: string, value: unknown) =>
  typeof value === "number" ? Number(value.toPrecision(4)) : value;

export function writeResults(folder: string, results: Results): void {
  const file = join(folder, "results.json");
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, rounded, 2)}\n`);
  format(file);
  writeFileSync(join(folder, "RESULTS.md"), markdown(results));
}
