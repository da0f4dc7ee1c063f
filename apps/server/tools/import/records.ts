/** Reads a file of events record by record: a line of NDJSON, or a row of CSV. */
import { readCsvText } from "@headwater/contract/csv";
import { CommandFailed } from "../../src/cli/errors.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { toStorable } from "../../src/core/text.ts";
import { COLUMNS, type Column } from "../../src/export/columns.ts";
import { parseJson } from "../../src/ingest/json.ts";

export interface FileRecord {
  /** The line in which the record begins, from 1. */
  line: number;
  /** Missing when the record cannot be read. */
  row?: unknown;
  /** Why the record cannot be read. */
  problem?: string;
}

type TextChunks = AsyncIterable<string>;
interface NumberedText {
  readonly text: string;
  readonly line: number;
}

/** An event has at most 32 KiB, so a much longer record is not one. */
const MAX_RECORD_CHARACTERS = 1_048_576;

const recordTooLong = (line: number) =>
  new CommandFailed(
    `The record that begins in line ${line} is longer than ${MAX_RECORD_CHARACTERS} characters.`,
  );

/** Some editors and spreadsheets write it at the start of a file. */
const BYTE_ORDER_MARK = /^\ufeff/;

async function* splitLines(chunks: TextChunks): AsyncGenerator<NumberedText> {
  let rest = "";
  let line = 0;
  for await (const chunk of chunks) {
    const text = rest + chunk;
    const lines = (line === 0 ? text.replace(BYTE_ORDER_MARK, "") : text).split("\n");
    rest = lines.pop() ?? "";
    for (const whole of lines) yield { text: whole, line: ++line };
    if (rest.length > MAX_RECORD_CHARACTERS) throw recordTooLong(line + 1);
  }
  if (rest !== "") yield { text: rest, line: ++line };
}

/** A refusal of the parser becomes the problem of the record. */
function readRecord(line: number, parse: () => unknown): FileRecord {
  try {
    return { line, row: parse() };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { line, problem: error.message };
  }
}

export async function* ndjsonRecords(chunks: TextChunks): AsyncGenerator<FileRecord> {
  for await (const { text, line } of splitLines(chunks))
    if (text.trim() !== "") yield readRecord(line, () => parseJson(text));
}

/** In many countries spreadsheets separate fields by semicolons. */
const SEPARATORS = [",", ";", "\t"] as const;
type Separator = (typeof SEPARATORS)[number];
const csvField = (separator: Separator) =>
  new RegExp(`${separator}(?:"((?:[^"]|"")*)"|([^${separator}]*))`, "g");
const CSV_FIELDS = { ",": csvField(","), ";": csvField(";"), "\t": csvField("\t") };

/** The separator of a header: the one that splits it into the most names, because names have no separators. */
const separatorOf = (header: string): Separator =>
  SEPARATORS.reduce((best, one) => (header.split(one).length > header.split(best).length ? one : best));

/**
 * Every field begins with a separator here, the first one too, so that empty fields match.
 * @returns null when text follows a closing quote
 */
function splitFields(record: string, separator: Separator): string[] | null {
  const found = [...`${separator}${record}`.matchAll(CSV_FIELDS[separator])];
  const length = found.reduce((sum, [whole]) => sum + whole.length, 0);
  if (length !== record.length + 1) return null;
  return found.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "");
}

/** Joins the lines of a record: it continues in the next line while a quote is open. */
async function* joinQuotedLines(chunks: TextChunks): AsyncGenerator<NumberedText> {
  let lines: string[] = [];
  let firstLine = 0;
  let characters = 0;
  let isOpen = false;
  for await (const { text, line } of splitLines(chunks)) {
    if (!isOpen) [lines, firstLine, characters] = [[], line, 0];
    lines.push(text);
    characters += text.length + 1;
    if (characters > MAX_RECORD_CHARACTERS + 1) throw recordTooLong(firstLine);
    // an odd number of quotes opens or closes one
    if (text.split('"').length % 2 === 0) isOpen = !isOpen;
    const record = isOpen ? "" : lines.join("\n").replace(/\r$/, "");
    if (record.trim() !== "") yield { text: record, line: firstLine };
  }
  if (isOpen) throw new CommandFailed(`The quote of the record in line ${firstLine} is not closed.`);
}

function parseCell(cell: string, kind: Column["kind"]): unknown {
  if (cell === "") return null;
  const text = toStorable(readCsvText(cell));
  if (kind === "json") return parseJson(text);
  return kind === "flag" ? text === "true" : text;
}

type CellColumn = Pick<Column, "path" | "kind">;
const COLUMN_BY_NAME = new Map(COLUMNS.map((column) => [column.name, column]));
const GROUPS = new Set(COLUMNS.filter(({ path }) => path.length > 1).map(({ path }) => path[0]));

/** @returns null for the name of a group of columns, which is not a column itself */
const findColumn = (name: string): CellColumn | null =>
  COLUMN_BY_NAME.get(name) ?? (GROUPS.has(name) ? null : { path: [name], kind: "text" });

interface CellObject {
  [member: string]: unknown;
}
const isCellObject = (value: unknown): value is CellObject => typeof value === "object" && value !== null;

/** Sets the member at the path and creates the objects on the way. */
function setMember(target: CellObject, [member, ...rest]: readonly string[], value: unknown): void {
  if (member === undefined) return;
  if (rest.length === 0) {
    target[member] = value;
    return;
  }
  const present = target[member];
  const next = isCellObject(present) ? present : {};
  target[member] = next;
  setMember(next, rest, value);
}

function buildRow(columns: readonly (CellColumn | null)[], fields: readonly string[]): CellObject {
  // without a prototype, so that a column named __proto__ is a member like any other
  const row: CellObject = Object.create(null);
  for (const [index, column] of columns.entries())
    if (column) setMember(row, column.path, parseCell(fields[index] ?? "", column.kind));
  return { ...row };
}

const TEXT_AFTER_QUOTE = "There is text after the closing quote of a field.";

export async function* csvRecords(chunks: TextChunks): AsyncGenerator<FileRecord> {
  let columns: (CellColumn | null)[] | null = null;
  let separator: Separator | null = null;
  for await (const { text, line } of joinQuotedLines(chunks)) {
    separator ??= separatorOf(text);
    const fields = splitFields(text, separator);
    if (columns === null) {
      if (fields === null)
        throw new CommandFailed(`The header of the file cannot be read. ${TEXT_AFTER_QUOTE}`);
      columns = fields.map(findColumn);
      continue;
    }
    const head = columns;
    if (fields === null) {
      yield { line, problem: TEXT_AFTER_QUOTE };
    } else if (fields.length !== head.length) {
      yield { line, problem: `It has ${fields.length} fields and the header has ${head.length}.` };
    } else {
      yield readRecord(line, () => buildRow(head, fields));
    }
  }
}
