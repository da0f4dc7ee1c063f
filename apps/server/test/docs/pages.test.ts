/** The pages of the documents are short: a page has one task, and a table has short cells. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

const ROOT = new URL("../../../../", import.meta.url);
const MAX_LINES = 200;
const MAX_WORDS = 55_000;
const MAX_CELL_LENGTH = 160;

const pages = globSync(
  "{{README,ARCHITECTURE,CONTRIBUTING,CHANGELOG,SECURITY}.md,.github/**/*.md,{docs,deploy,bench}/**/*.md,{packages/*,apps/server/src/*}/README.md}",
  { cwd: ROOT },
)
  .map((name) => ({ name, lines: readFileSync(new URL(name, ROOT), "utf8").trimEnd().split("\n") }))
  .toSorted((a, b) => a.name.localeCompare(b.name));

test(`No page has more than ${MAX_LINES} lines.`, () => {
  assert.ok(pages.some(({ name }) => name === "docs/api/ingest.md"));
  // the specification is as it was given
  const long = pages.filter(({ name, lines }) => lines.length > MAX_LINES && name !== "docs/spec.md");
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

test(`The pages have at most ${MAX_WORDS} words together.`, () => {
  const words = pages.flatMap(({ lines }) => lines.flatMap((line) => line.match(/\S+/g) ?? []));
  assert.ok(words.length <= MAX_WORDS, `${words.length} words`);
});
