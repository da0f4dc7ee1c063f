/** The headline figures of RESULTS.md: which cells of a part's tables they are, and what each is compared with in the same run. */
import type { Part } from "./options.ts";
import type { BenchSection, ResultTable } from "./section.ts";

export const HEADLINE_COLUMNS = ["figure", "Headwater", "floor or peer in the same run", "target", "more"];

interface Cell {
  /** The beginning of the table's first column, when several tables of the part have the row. */
  table?: string;
  /** The beginning of the row; empty for the first one. */
  row: string;
  column: string;
}

interface Headline extends Cell {
  name: string;
  /** Another cell, of the same table and row unless it names them. `name` says what it is. */
  floor?: Partial<Cell> & { name: string };
}

const bare = (row: string) => ({
  row,
  column: "events/s",
  floor: { column: "share of bare", name: "of a bare server's requests" },
});
const tenAtOnce = (millions: string): Headline => ({
  name: `ten queries at once, ${millions} events, auto, ms`,
  row: `${millions}, 30 days | auto`,
  column: "ten at once",
  floor: { row: `${millions}, 30 days | exact`, name: "exact" },
});

const HEADLINES: Partial<Record<Part, readonly Headline[]>> = {
  throughput: [
    { name: "durable events/s, 1 per batch", ...bare("events, 1 per") },
    { name: "durable events/s, 10 per batch", ...bare("events, 10 per") },
    { name: "durable events/s, 50 per batch", ...bare("events, 50 per") },
    {
      name: "the same with the embedded warehouse, 10 per batch",
      table: "requests",
      row: "events, 10 per batch, with",
      column: "events/s",
    },
  ],
  open: [{ name: "latency at half the peak rate, p99 ms", row: "", column: "p99 ms" }],
  bootstraps: [{ ...bare(""), name: "bootstraps/s", column: "Headwater req/s" }],
  overload: [
    {
      name: "goodput at five times the peak, share of the peak",
      row: "",
      column: "share of the peak",
      floor: { column: "possible share", name: "if a refusal cost as little as a bare server's" },
    },
  ],
  memory: [
    { name: "start until ready, ms", row: "later", column: "ready ms" },
    { name: "memory at rest, MiB", row: "later", column: "MiB at rest" },
  ],
  postgres: [
    {
      name: "durable events/s on PostgreSQL, one node",
      row: "PostgreSQL, one",
      column: "events/s",
      floor: { row: "plain INSERT", name: "rows/s of a plain INSERT" },
    },
    {
      name: "the same, two nodes",
      row: "PostgreSQL, two",
      column: "events/s",
      floor: { row: "PostgreSQL, one", name: "with one" },
    },
  ],
  growth: [
    {
      name: "SQLite with 50 million keys, share of the rate without",
      row: "SQLite | 50",
      column: "share of the rate",
    },
    {
      name: "PostgreSQL with 50 million keys, the same share",
      row: "PostgreSQL | 50",
      column: "share of the rate",
    },
  ],
  stats: [
    {
      name: "ten queries of 10 million events, ms",
      row: "all ten",
      column: "with rollups",
      floor: { column: "PostgreSQL", name: "PostgreSQL" },
    },
    {
      name: "bytes on disk per event",
      row: "warehouse: events",
      column: "bytes",
      floor: { row: "PostgreSQL", name: "PostgreSQL" },
    },
  ],
  scale: ["10.0 M", "30.0 M", "100 M"].map(tenAtOnce),
  shipping: [{ name: "shipped events/s from a backlog", row: "", column: "events/s" }],
  beside: [
    {
      name: "ingest while shipping, p99 ms",
      row: "with shipping",
      column: "p99 ms",
      floor: { row: "alone", name: "alone" },
    },
  ],
  console: [{ name: "stats page until the chart shows, ms", row: "later", column: "chart ms" }],
  attack: [
    {
      name: "quiet source beside a flood, p99 ms",
      row: "5× overload",
      column: "p99 ms",
      floor: { row: "none", name: "without an attack" },
    },
  ],
};

function findCell(tables: readonly ResultTable[], { table = "", row, column }: Cell): string | null {
  for (const { columns, rows } of tables) {
    const at = columns.findIndex((one) => one.startsWith(column));
    if (at < 0 || !columns[0]?.startsWith(table)) continue;
    const found = rows.find((cells) => cells.join(" | ").startsWith(row));
    if (found) return found[at] ?? null;
  }
  return null;
}

/** @returns the part's rows of the table in RESULTS.md; a figure that was not measured has none */
export function headlinesOf(part: Part, { tables, date }: Pick<BenchSection, "tables" | "date">): string[][] {
  const rows: string[][] = [];
  for (const { name, floor, ...cell } of HEADLINES[part] ?? []) {
    const value = findCell(tables, cell);
    if (value === null) continue;
    const compared = floor && findCell(tables, { ...cell, ...floor });
    rows.push([
      name,
      value,
      floor && compared ? `${compared} ${floor.name}` : "",
      findCell(tables, { ...cell, column: "target" }) ?? "",
      `[${date.slice(0, 10)}](results/${part}.md)`,
    ]);
  }
  return rows;
}
