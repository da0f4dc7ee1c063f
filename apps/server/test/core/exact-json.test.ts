/** Names of members come back as they were written, whatever other objects the process has read before. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseExactJson } from "../../src/core/exact-json.ts";

/** As text: a name that is written with escapes, after one that begins with the same characters. */
const PAIRS = [
  ['"\\\\"', '"\\""'],
  ['"\\\\"', '"\\n"'],
  ['"\\\\"', '"\\u00fc"'],
  ['"\\\\u00"', '"\\u00fcber"'],
  ['"\\\\ud83d"', '"\\ud83d\\ude00abcd"'],
];

test("A name with an escape is not taken for the name that another object had in its place.", () => {
  for (const [at, [first = "", second = ""]] of PAIRS.entries()) {
    const [former, later] = [`{"of${at}":1,${first}:2}`, `{"of${at}":1,${second}:2}`];
    assert.deepEqual(Object.keys(parseExactJson(former)), [`of${at}`, JSON.parse(first)]);
    for (const text of [later, `{"in":[${former},${later}]}`, `{"a":${former},"b":${later}}`]) {
      const value = parseExactJson(text);
      const found = "in" in value ? value.in[1] : (value.b ?? value);
      assert.deepEqual(Object.keys(found), [`of${at}`, JSON.parse(second)], text);
    }
  }
});

test("Everything else is read as JSON.parse reads it: values, order, repeated names, and errors.", () => {
  const texts = [
    '{"b\\n":1,"2":2,"\\u0031":{"__proto__":1,"\\u005f_proto__":[{"\\\\":"\\\\"}]},"b\\n":"\\"x\\":"}',
    '["\\":","\\\\",{"a" :"\\"", "\\t" : null}]',
    '{"a":"\\\\"}',
    '{"\\ud800":1}',
    '{"\\"":1}',
    '{"a":1,"\\u0061":2,"a":3}',
    '{"k":"first","z":1,"\\u006b":"second","k":"third"}',
    '{"\\u0031":1,"x":0,"1":2}',
    '{"\\n":1,"x":2,"\\u000a":3}',
    `${'{"\\u0061\\n":'.repeat(400)}1${"}".repeat(400)}`,
  ];
  for (const text of texts)
    assert.equal(JSON.stringify(parseExactJson(text)), JSON.stringify(JSON.parse(text)), text);
  const open = `{"\\n":1,"x":"${'\\"'.repeat(250_000)}`;
  for (const text of [open, '{"\\n":1,}', '{"\\x":1}', '{"a":"\\', '{"\\n":', '"\\u00"', '{"a\\n":1}}']) {
    const problem = (parse: (text: string) => unknown) => {
      try {
        return parse(text);
      } catch (error) {
        return error instanceof SyntaxError ? error.message : error;
      }
    };
    assert.equal(problem(parseExactJson), problem(JSON.parse), text);
  }
  const deep = `${'{"\\n":['.repeat(20_000)}1${"]}".repeat(20_000)}`;
  assert.equal(typeof parseExactJson(deep), "object");
});
