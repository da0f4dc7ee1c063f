/** `headwater backup` and `restore` with the embedded warehouse: all of it, or a failure that leaves nothing. */
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { folder, headwater, headwaterHere, serve } from "./command-line.ts";

const data = folder();
const settings = { DATA_DIR: data.at("data"), WAREHOUSE: "embedded" };

before(async () => {
  const service = await serve(settings);
  // right after the start, the warehouse has no endpoint yet
  const { code, stderr } = await headwater(settings, "backup", "--to", data.at("at-once"));
  assert.equal(code, 0, stderr);
  await service.stop();
});
after(() => data[Symbol.dispose]());

test("A backup right after a start waits for the warehouse, which a later start has to open first.", async () => {
  const service = await serve(settings);
  const { code, stderr } = await headwater(settings, "backup", "--to", data.at("later"));
  assert.equal(code, 0, stderr);
  for (const name of ["at-once", "later"])
    assert.deepEqual(readdirSync(data.at(name)).sort(), [
      "attempts.sqlite",
      "ledger.sqlite",
      "manifest.json",
      "warehouse",
    ]);
  await service.stop();
});

test("A backup that fails leaves nothing in its folder.", async () => {
  using one = folder();
  await (await serve({ DATA_DIR: one.at("data") })).stop();
  mkdirSync(one.at("data/warehouse"));
  writeFileSync(one.at("data/warehouse/store"), "the engine cannot use it");
  const broken = { DATA_DIR: one.at("data"), WAREHOUSE: "embedded" };
  const { code, stderr } = await headwater(broken, "backup", "--to", one.at("backup"));
  assert.equal(code, 1, stderr);
  assert.match(stderr, /^The warehouse cannot be copied to /);
  assert.deepEqual(readdirSync(one.at("backup")), []);
});

for (const [problem, damage, message] of [
  [
    "lacks its warehouse",
    (at: string) => rmSync(`${at}/warehouse`, { recursive: true }),
    /warehouse\/\S+ is missing, and \d+ more/,
  ],
  ["lacks one file", (at: string) => rmSync(`${at}/warehouse/.backup`), /warehouse\/\.backup is missing\./],
  [
    "has one changed byte",
    (at: string) => flip(`${at}/warehouse/.backup`),
    /warehouse\/\.backup was changed or is damaged\./,
  ],
  [
    "has a damaged ledger",
    (at: string) => flip(`${at}/ledger.sqlite`),
    /ledger\.sqlite was changed or is damaged\./,
  ],
  [
    "lacks its manifest",
    (at: string) => rmSync(`${at}/manifest.json`),
    /has no manifest\.json, so the backup is not complete/,
  ],
  [
    "has no readable manifest",
    (at: string) => writeFileSync(`${at}/manifest.json`, "{"),
    /manifest\.json cannot be read/,
  ],
] as const)
  test(`A backup that ${problem} is refused before anything is written.`, async () => {
    using one = folder();
    cpSync(data.at("at-once"), one.at("backup"), { recursive: true });
    damage(one.at("backup"));
    const { code, stderr } = await headwaterHere(
      { DATA_DIR: one.at("new") },
      "restore",
      "--from",
      one.at("backup"),
    );
    assert.equal(code, 1, stderr);
    assert.match(stderr, message);
    assert.equal(existsSync(one.at("new")), false);
  });

/** Changes one bit in the middle of a file. */
function flip(path: string): void {
  const content = readFileSync(path);
  const middle = content.length >> 1;
  content[middle] = content[middle]! ^ 1;
  writeFileSync(path, content);
}
