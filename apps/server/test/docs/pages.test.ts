/** The pages of the documents are short: a page has one task, and a table has short cells. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

const ROOT = new URL("../../../../", import.meta.url);
const MAX_LINES = 250;
const MAX_CELL_LENGTH = 160;

const pages = globSync(
  "{{README,CONTRIBUTING,CHANGELOG,SECURITY}.md,{docs,deploy,bench}/**/*.md,packages/*/README.md}",
  { cwd: ROOT },
)
  // the specification is as it was given
  .filter((name) => name !== "docs/spec.md")
  .map((name) => ({ name, lines: readFileSync(new URL(name, ROOT), "utf8").trimEnd().split("\n") }));

test(`No page has more than ${MAX_LINES} lines.`, () => {
  assert.ok(pages.some(({ name }) => name === "docs/api/ingest.md"));
  const long = pages.filter(({ lines }) => lines.length > MAX_LINES);
  assert.deepEqual(
    long.map(({ name, lines }) => `${name}: ${lines.length}`),
    [],
  );
});

test(`No cell of a table has more than ${MAX_CELL_LENGTH} characters.`, () => {
  const long = pages.flatMap(({ name, lines }) =>
    lines.flatMap((line, index) => {
      const cells = line.startsWith("|") ? line.split(/(?<!\\)\|/).map((cell) => cell.trim()) : [];
      return cells
        .filter((cell) => cell.length > MAX_CELL_LENGTH)
        .map((cell) => `${name}:${index + 1}: ${cell.length}`);
    }),
  );
  assert.deepEqual(long, []);
});
