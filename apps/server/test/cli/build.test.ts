/** Which build a program is: from git in a checkout, and from its manifest in a release. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { folder } from "./command-line.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const { version }: { version: string } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const MANIFEST = "apps/server/package.json";

/** The program without a history. */
function copyInto(place: string): string {
  for (const path of [MANIFEST, "apps/server/bin", "apps/server/src", "packages/contract", "packages/api"])
    cpSync(join(ROOT, path), join(place, path), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(place, "node_modules"));
  return place;
}

function git(cwd: string, ...words: string[]): string {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@b.example"];
  return execFileSync("git", [...identity, ...words], { cwd, encoding: "utf8" }).trim();
}

const run = (place: string, ...words: string[]) =>
  execFileSync(process.execPath, [join(place, "apps/server/bin/headwater.js"), "--version", ...words], {
    encoding: "utf8",
    env: { PATH: process.env.PATH ?? "" },
  });

test("In a checkout, --version shows the commit, and whether files differ from it.", () => {
  using own = folder();
  const place = copyInto(own.at("copy"));
  git(place, "init", "--quiet");
  git(place, "add", "apps", "packages");
  git(place, "commit", "--quiet", "--message=x");
  git(place, "tag", "v9");
  const commit = git(place, "rev-parse", "HEAD");
  assert.equal(run(place), `${version} (${commit.slice(0, 12)})\n`);
  assert.deepEqual(JSON.parse(run(place, "--json")), { version, commit, isModified: false });
  writeFileSync(join(place, "new-file"), "");
  assert.equal(
    JSON.parse(run(place, "--json")).isModified,
    false,
    "a file that git does not know is not a change",
  );
  appendFileSync(join(place, MANIFEST), "\n");
  assert.equal(run(place), `${version} (${commit.slice(0, 12)}, modified)\n`);
});

test("In a folder without git history it shows the version only, even inside another repository.", () => {
  using own = folder();
  mkdirSync(own.at("other"));
  git(own.at("other"), "init", "--quiet");
  git(own.at("other"), "commit", "--quiet", "--allow-empty", "--message=x");
  const place = copyInto(own.at("other/copy"));
  assert.equal(run(place), `${version}\n`);
  assert.deepEqual(JSON.parse(run(place, "--json")), { version, commit: null, isModified: false });
});

test("In a release it shows the commit that its manifest names, whatever repository it is in.", () => {
  using own = folder();
  const place = copyInto(own.at("copy"));
  const manifest = JSON.parse(readFileSync(join(place, MANIFEST), "utf8"));
  const commit = "0123456789abcdef0123456789abcdef01234567";
  const stamp = (build: string) =>
    writeFileSync(join(place, MANIFEST), JSON.stringify({ ...manifest, build }));
  stamp(commit);
  git(place, "init", "--quiet");
  assert.deepEqual(JSON.parse(run(place, "--json")), { version, commit, isModified: false });
  stamp(`${commit}-dirty`);
  assert.equal(run(place), `${version} (0123456789ab, modified)\n`);
  stamp("");
  assert.equal(run(place), `${version}\n`);
});
