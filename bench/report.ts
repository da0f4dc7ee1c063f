/**
 * Writes RESULTS.md (tables) and results.json (the raw figures of this run, which git ignores) after every part, so that an
 * interrupted run keeps its results. RESULTS.md keeps the sections of earlier runs, so that parts can be run one by one.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "./options.ts";
import type { BenchOptions, BenchSection, ResultTable } from "./section.ts";

type MeasuredSection = BenchSection & { commit: string };

export interface Results {
  quick: boolean;
  machine: Record<string, string>;
  options: { seconds: number; rounds: number };
  /** What this run has measured. */
  sections: Partial<Record<Part, MeasuredSection>>;
  /** The sections of RESULTS.md before this run, by their titles. */
  earlier: ReadonlyMap<string, string>;
}

const QUICK_WARNING = "**A quick run that checks that the bench works. Its figures mean nothing.**";

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

function sectionOf({ title, date, commit, settings, tables, notes }: MeasuredSection): string {
  const listed = notes.map((note) => `- ${note}`).join("\n");
  return [
    `## ${title}`,
    `${date}, commit ${commit}. ${settingsOf(settings)}`,
    ...tables.map(tableOf),
    listed,
  ].join("\n\n");
}

function markdown({ quick, machine, sections, earlier }: Results): string {
  const measured = Object.values(sections).map((section) => [section.title, sectionOf(section)] as const);
  return `${[
    "# Results of `npm run bench`",
    ...(quick ? [QUICK_WARNING] : []),
    `The rate limiter, debug recording, masking, origin checks and access checks are on unless a row says otherwise. Every acknowledged event is durable (\`synchronous=FULL\`). README.md explains each row.`,
    tableOf({ columns: ["machine", ""], rows: Object.entries(machine) }),
    ...new Map([...earlier, ...measured]).values(),
  ].join("\n\n")}\n`;
}

/** A quick run keeps only the sections of another quick run, and a full run only those of full runs. */
function readSections(file: string, quick: boolean): Map<string, string> {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (text.includes(QUICK_WARNING) !== quick) return new Map();
  const [, ...sections] = text.trimEnd().split("\n\n## ");
  return new Map(sections.map((section) => [section.slice(0, section.indexOf("\n")), `## ${section}`]));
}

export function openResults(options: BenchOptions, machine: Record<string, string>): Results {
  const { quick, seconds, rounds, out } = options;
  const earlier = readSections(join(out, "RESULTS.md"), quick);
  return { quick, machine, options: { seconds, rounds }, sections: {}, earlier };
}

/** No figure here is exact to more than four digits. */
const rounded = (_: string, value: unknown) =>
  typeof value === "number" ? Number(value.toPrecision(4)) : value;

export function writeResults(folder: string, results: Results): void {
  const { earlier: _, ...raw } = results;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "results.json"), `${JSON.stringify(raw, rounded, 2)}\n`);
  writeFileSync(join(folder, "RESULTS.md"), markdown(results));
}
