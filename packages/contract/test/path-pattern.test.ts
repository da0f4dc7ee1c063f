import assert from "node:assert/strict";
import { test } from "node:test";
import { pathMatcher } from "@headwater/contract/path-pattern";

const CASES: [pattern: string, matching: string[], others: string[]][] = [
  ["/", ["/"], ["", "/a", "//"]],
  ["/admin", ["/admin"], ["/admin/", "/admin/x", "/Admin", "/x/admin"]],
  ["/admin*", ["/admin", "/admin/", "/administration", "/admin/a/b"], ["/a", "/x/admin"]],
  ["/*/edit", ["/a/edit", "/a/b/edit", "//edit"], ["/edit", "/a/edit/", "/a/edit/x"]],
  ["/a*b*c", ["/abc", "/a1b2c", "/a/b/c", "/abbcc"], ["/acb", "/ab", "/abcd"]],
  ["/ab*ba", ["/abba", "/ab-ba"], ["/aba"]],
  ["/a.b+(c)", ["/a.b+(c)"], ["/aXb+(c)", "/a.bb(c)"]],
  ["/**", ["/", "/a", "/a/b"], [""]],
];

for (const [pattern, matching, others] of CASES) {
  test(`${pattern} stands for ${matching.join(" ")}`, () => {
    const matches = pathMatcher([pattern]);
    assert.deepEqual([...matching, ...others].filter(matches), matching);
  });
}

test("One of several is enough, and none stands for nothing.", () => {
  assert.equal(pathMatcher(["/a", "/b*"])("/bc"), true);
  assert.equal(pathMatcher([])("/"), false);
});
