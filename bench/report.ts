/**
 * Writes the results after every part, so that an interrupted run keeps them: results/<part>.md (its tables), the part's rows
 * of RESULTS.md (headline figures), and results.json (the raw figures of this run, which git ignores). The pages and rows of
 * parts that were not measured stay.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HEADLINE_COLUMNS, headlinesOf } from "./headlines.ts";
import { PARTS, type Part } from "./options.ts";
import type { BenchOptions, BenchSection, ResultTable } from "./section.ts";

type MeasuredSection = BenchSection & { commit: string };

export interface Results {
  quick: boolean;
  machine: Record<string, string>;
  options: { seconds: number; rounds: number };
  /** The measurements of this run. */
  sections: Partial<Record<Part, MeasuredSection>>;
}

const INTRODUCTION = `# Results of \`npm run bench\`

Rate limiter, debug recording, masking, origin checks and access checks are on. Every acknowledged event is durable
(\`synchronous=FULL\`). "auto" may sample visitors; "exact" never does. [README.md](README.md) says what each part
measures, and how.

`;
const QUICK_WARNING = "**A quick run that checks that the bench works. Its figures mean nothing.**\n\n";

const cell = (text: string) => text.replaceAll("|", "\\|");
const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;

/** A table with one row and more columns than this is shown as two columns. */
const MAX_COLUMNS_OF_ONE_ROW = 8;

/** Without the column "failed" when no request failed. */
function withoutFailed({ columns, rows }: ResultTable): ResultTable {
  const at = columns.indexOf("failed");
  if (at < 0 || rows.some((cells) => cells[at] !== "0")) return { columns, rows };
  return { columns: columns.toSpliced(at, 1), rows: rows.map((cells) => cells.toSpliced(at, 1)) };
}

function tableOf(table: ResultTable): string {
  const { columns, rows } = withoutFailed(table);
  const [only] = rows;
  if (only && rows.length === 1 && columns.length > MAX_COLUMNS_OF_ONE_ROW) {
    return tableOf({
      columns: ["figure", ""],
      rows: columns.map((column, index) => [column, only[index]!]).filter(([, value]) => value !== "-"),
    });
  }
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

/** The commit pins Node and SQLite; results.json has the rest. */
const SHOWN_OF_MACHINE = ["processor", "memory", "ledger's disk"];
const RATE_LIMIT = /_PER_(?:SECOND|MINUTE)$|_BURST$/;

/** The settings that differ from the defaults. */
function settingsOf(settings: Record<string, string>): string {
  const others = Object.entries(settings).filter(([name]) => !RATE_LIMIT.test(name));
  const shown = others.map(([name, value]) => `\`${name}=${value}\``);
  if (others.length < Object.keys(settings).length) shown.push("raised rate limits");
  return `Settings: ${shown.join(", ") || "the defaults"}.`;
}

function pageOf(
  { title, date, commit, settings, tables, notes }: MeasuredSection,
  machine: Results["machine"],
): string {
  return `${[
    `# ${title}`,
    `${date.slice(0, 10)}, commit ${commit}, on ${SHOWN_OF_MACHINE.map((name) => machine[name]).join("; ")}. ${settingsOf(settings)}`,
    ...tables.map(tableOf),
    notes.map((note) => `- ${note}`).join("\n"),
  ].join("\n\n")}\n`;
}

/** @returns the rows of the table in RESULTS.md as they stand there, by the part that their link names */
function readHeadlines(file: string): Map<string, string[]> {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return Map.groupBy(
    lines.filter((text) => text.includes("(results/")),
    (text) => /\(results\/(\w+)\.md\)/.exec(text)?.[1] ?? "",
  );
}

/** No figure here is exact to more than four digits. */
const rounded = (_: string, value: unknown) =>
  typeof value === "number" ? Number(value.toPrecision(4)) : value;

/** Writes what a part has measured, and the raw figures of the run so far. */
export function writeResults({ out }: BenchOptions, results: Results, part: Part): void {
  const { quick, machine, sections } = results;
  const section = sections[part];
  if (!section) return;
  mkdirSync(join(out, "results"), { recursive: true });
  writeFileSync(join(out, "results.json"), `${JSON.stringify(results, rounded, 2)}\n`);
  writeFileSync(join(out, "results", `${part}.md`), pageOf(section, machine));
  const file = join(out, "RESULTS.md");
  const headlines = readHeadlines(file).set(part, headlinesOf(part, section).map(line));
  const head = [line(HEADLINE_COLUMNS), line(HEADLINE_COLUMNS.map(() => "---"))];
  const table = [...head, ...PARTS.flatMap((one) => headlines.get(one) ?? [])].join("\n");
  writeFileSync(file, `${INTRODUCTION}${quick ? QUICK_WARNING : ""}${table}\n`);
}
