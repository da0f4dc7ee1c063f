/** The normalized form of a path, as people read it, and in lower case. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { lowerCasePath, normalizePath, readablePath } from "@headwater/contract/path-pattern";
import fc from "fast-check";

const pieces = fc.constantFrom(
  "/",
  "a",
  "B",
  "~",
  "%",
  "%4",
  "%41",
  "%c3%a9",
  "%C3%89",
  "é",
  "É",
  "%2f",
  " ",
  "日",
  "%ff",
  "|",
  "🙂",
  "\ud800",
);
const paths = fc.array(pieces, { maxLength: 12 }).map((all) => all.join(""));

it("A path in normalized form stays as it is, and names the same page as before", () => {
  fc.assert(
    fc.property(paths, (path) => {
      const normal = normalizePath(path);
      assert.equal(normalizePath(normal), normal);
      assert.match(normal, /^[\x21-\x7e]*$/);
      assert.equal(normalizePath(readablePath(normal)), normal);
      const lower = lowerCasePath(normal);
      assert.equal(lowerCasePath(lower), lower);
      assert.equal(lowerCasePath(normalizePath(path.replaceAll("É", "é"))), lower);
    }),
  );
});

it("A path is shown with letters instead of percent-encodings, except where a character would be invisible", () => {
  assert.equal(readablePath("/%E6%97%A5%E6%9C%AC/caf%C3%A9"), "/日本/café");
  for (const path of ["/%E2%80%AEdcba", "/%E2%80%8B", "/a%20b", "/%2F", "/%FF%C3"])
    assert.equal(readablePath(path), path);
});
