import assert from "node:assert/strict";
import { test } from "node:test";
import { initialsOf } from "../src/ui/initials-of.ts";

test("The initials are the first letters of the first and the last word of a name, or of an address.", () => {
  const names = [
    "Ada Lovelace",
    "Kim van den Berg",
    "grace@shop.example",
    "a.byron@x.example",
    "łukasz",
    "(…) ",
    "",
  ];
  assert.deepEqual(names.map(initialsOf), ["AL", "KB", "G", "AB", "Ł", "", ""]);
});
