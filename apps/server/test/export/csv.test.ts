/** No cell of a CSV file is a formula for a spreadsheet, and an import reads the exported values exactly. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toCsvCell } from "@headwater/contract/csv";
import fc from "fast-check";
import { CSV_HEADER, toCsvLine } from "../../src/export/csv.ts";
import { csvRecords } from "../../tools/import/records.ts";

const SIGNS = [..."=+-@＝＋－＠﹦﹢﹣﹫", "−", "⁼"];
const GAPS = [
  "",
  " ",
  "\u00a0",
  "\u3000",
  "\u2009",
  "\u200b",
  "\u2060",
  "\ufeff",
  "\u00ad",
  "\u202e",
  "\ufe0f",
  "\u0001",
  "\u3164",
  "'",
  '"',
  " \u200b'\" ",
];
const SEPARATORS = [";", "\t", "；", "，", "x;", "a; b\t"];

/** How a spreadsheet that splits at one of these reads the text of a file. */
const cellsOf = (line: string): string[] => [line, ...line.split(/[;\t；，]/), ...line.split(";")];
/** Not a formula: what spreadsheets drop is dropped, and the rest begins with none of the signs. */
const isFormula = (cell: string): boolean =>
  SIGNS.includes([...cell.replace(/^[\s\p{C}\p{DI}"]+/u, "")][0] ?? "");

test("A formula is never the beginning of a cell, whatever stands before it.", () => {
  for (const sign of SIGNS)
    for (const gap of GAPS)
      for (const separator of ["", ...SEPARATORS]) {
        const written = toCsvCell(`${separator}${gap}${sign}1+1`);
        for (const cell of cellsOf(written)) assert.ok(!isFormula(cell), JSON.stringify(written));
      }
  assert.equal(toCsvCell("\tx"), "'\tx");
});

test("Other texts are written as they are.", () => {
  for (const text of [
    "",
    "a=1",
    "a - b",
    "it's",
    "1;2;3",
    "ann@shop.example",
    "2026-11-28",
    "日本；東京",
    '{"a":-1}'.replaceAll('"', ""),
  ])
    assert.equal(toCsvCell(text), text);
});

const piece = fc.constantFrom(
  ...SIGNS,
  ...GAPS,
  ...SEPARATORS,
  ",",
  "a",
  "1",
  "''",
  '""',
  "{",
  "😀",
  "\ud800",
);
const text = fc
  .oneof(
    fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join("")),
    fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
  )
  .filter((value) => value !== "" && value.isWellFormed() && !/[\r\n\0]/.test(value));

test("An export followed by an import restores every text.", async () => {
  await fc.assert(
    fc.asyncProperty(text, text, text, fc.integer({ min: -9 }), async (name, title, value, revenue) => {
      const event = { name, page: { title }, properties: { [value]: value }, revenue };
      const records = await Array.fromAsync(csvRecords(toChunks([CSV_HEADER, toCsvLine(event)])));
      assert.equal(records.length, 1);
      const { row } = records[0] as { row: Record<string, unknown> };
      assert.deepEqual(
        [row.name, (row.page as { title: unknown }).title, row.properties, row.revenue],
        [name, title, { [value]: value }, String(revenue)],
      );
    }),
    { numRuns: process.env.TEST_LONG ? 20_000 : 2_000 },
  );
});

test("Guarding takes a time that grows with the length of the text only.", () => {
  for (const part of [" ", "'", ";", "; ", "\t", "\u200b", ';"'])
    toCsvCell(part.repeat(1_000_000 / part.length));
});

async function* toChunks(parts: readonly string[]): AsyncGenerator<string> {
  yield* parts;
}
