/** A file of events, record by record: a line of NDJSON each, or a row of CSV. */

import { CommandFailed } from "../../src/cli/failure.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { COLUMNS, type Column } from "../../src/export/columns.ts";
import { parseJson } from "../../src/ingest/json.ts";

export interface FileRecord {
  /** Of the file, from 1; where the record begins. */
  line: number;
  /** Absent: it cannot be read, and `problem` says why. */
  row?: unknown;
  problem?: string;
}

type Chunks = AsyncIterable<string>;

/** An event has 32 KiB; what is much longer is no record. */
const MOST_CHARACTERS = 1_048_576;

const tooLong = (line: number) =>
  new CommandFailed(
    `The record that begins in line ${line} does not end within ${MOST_CHARACTERS} characters.`,
  );

/** Editors and spreadsheets put it before what they save. */
const BYTE_ORDER_MARK = /^\ufeff/;

async function* linesOf(chunks: Chunks): AsyncGenerator<{ text: string; line: number }> {
  let rest = "";
  let line = 0;
  for await (const chunk of chunks) {
    const text = rest + chunk;
    const lines = (line === 0 ? text.replace(BYTE_ORDER_MARK, "") : text).split("\n");
    rest = lines.pop()!;
    for (const text of lines) yield { text, line: ++line };
    if (rest.length > MOST_CHARACTERS) throw tooLong(line + 1);
  }
  if (rest !== "") yield { text: rest, line: ++line };
}

/** What a row cannot be made of is told with its line; nothing else is. */
function read(line: number, make: () => unknown): FileRecord {
  try {
    return { line, row: make() };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { line, problem: error.message };
  }
}

export async function* ndjsonRecords(chunks: Chunks): AsyncGenerator<FileRecord> {
  for await (const { text, line } of linesOf(chunks))
    if (text.trim() !== "") yield read(line, () => parseJson(text));
}

const FIELD = /,(?:"((?:[^"]|"")*)"|([^,]*))/g;
/**
 * Each begins with a comma, the first one too: what is empty is then matched where it stands.
 * @returns null where something stands between a closing quote and the next comma
 */
function fieldsOf(record: string): string[] | null {
  const found = [...`,${record}`.matchAll(FIELD)];
  const length = found.reduce((sum, [whole]) => sum + whole.length, 0);
  if (length !== record.length + 1) return null;
  return found.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "");
}

/** A record goes on in the next line as long as a quote is open. */
async function* recordsOf(chunks: Chunks): AsyncGenerator<{ text: string; line: number }> {
  let open: { text: string; line: number } | null = null;
  for await (const { text, line } of linesOf(chunks)) {
    const record: { text: string; line: number } = open
      ? { text: `${open.text}\n${text}`, line: open.line }
      : { text, line };
    const isWhole = (record.text.split('"').length - 1) % 2 === 0;
    if (record.text.length > MOST_CHARACTERS) throw tooLong(record.line);
    open = isWhole ? null : record;
    if (isWhole && record.text.trim() !== "") yield { ...record, text: record.text.replace(/\r$/, "") };
  }
  if (open) throw new CommandFailed(`The quote of the record in line ${open.line} is not closed.`);
}

/** An export's apostrophe before what a spreadsheet would compute. */
const GUARDED = /^'(?='*[=+\-@\t])/;

function cellValue(cell: string, kind: Column["kind"]): unknown {
  if (cell === "") return null;
  const text = cell.replaceAll("\0", "\ufffd").replace(GUARDED, "");
  if (kind === "json") return parseJson(text);
  return kind === "flag" ? text === "true" : text;
}

type Row = Record<string, unknown>;

function put(row: Row, path: readonly string[], value: unknown): void {
  let at = row;
  for (const member of path.slice(0, -1)) {
    at[member] ??= {};
    at = at[member] as Row;
  }
  at[path.at(-1)!] = value;
}

export async function* csvRecords(chunks: Chunks): AsyncGenerator<FileRecord> {
  const known = new Map(COLUMNS.map((column) => [column.name, column]));
  const groups = new Set(COLUMNS.filter(({ path }) => path.length > 1).map(({ path }) => path[0]));
  // a name of several columns together holds no text: it is left out
  const columnOf = (name: string): Pick<Column, "path" | "kind"> | null =>
    known.get(name) ?? (groups.has(name) ? null : { path: [name], kind: "text" });
  let columns: ReturnType<typeof columnOf>[] | null = null;
  for await (const { text, line } of recordsOf(chunks)) {
    const fields = fieldsOf(text);
    if (fields === null) {
      const problem = "Something stands behind the closing quote of a field.";
      if (columns === null) throw new CommandFailed(`The head of the file cannot be read. ${problem}`);
      yield { line, problem };
      continue;
    }
    if (columns === null) {
      columns = fields.map(columnOf);
      continue;
    }
    const of = columns;
    if (fields.length !== of.length) {
      yield { line, problem: `It has ${fields.length} fields and the head of the file ${of.length}.` };
      continue;
    }
    yield read(line, () => {
      const row: Row = Object.create(null);
      for (const [index, column] of of.entries())
        if (column) put(row, column.path, cellValue(fields[index]!, column.kind));
      return { ...row };
    });
  }
}
