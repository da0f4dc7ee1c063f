/** The first command after a clone: no npm package is installed yet. A stand-in for npm puts the installed ones in place. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { until } from "../support/until.ts";
import { folder } from "./command-line.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const CLONED = [
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  ".npmrc",
  "scripts",
  "apps",
  "packages",
];
const MODULES = join(ROOT, "node_modules");
/** Installs for `npm install`, and fails for everything else. */
const NPM = `#!/bin/sh
echo "npm $*" >> "$NPM_CALLS"
[ "$1" = install ] && ln -s "${MODULES}" node_modules
`;

/** A copy of the repository without packages, and the environment of a machine that has Node and the stand-in. */
function cloneInto(own: { at(name: string): string }) {
  const root = own.at("clone");
  const isSource = (path: string) => !/\/(?:node_modules|test)(?:\/|$)/.test(path.slice(ROOT.length - 1));
  for (const part of CLONED)
    cpSync(join(ROOT, part), join(root, part), {
      recursive: true,
      preserveTimestamps: true,
      filter: isSource,
    });
  mkdirSync(own.at("bin"));
  writeFileSync(own.at("bin/npm"), NPM);
  chmodSync(own.at("bin/npm"), 0o755);
  symlinkSync("/bin/ln", own.at("bin/ln"));
  symlinkSync("/bin/sh", own.at("bin/sh"));
  const env = { PATH: `${own.at("bin")}:${dirname(process.execPath)}`, NPM_CALLS: own.at("calls") };
  const manifest: { scripts: Record<string, string> } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  return { root, env, scripts: manifest.scripts };
}

const callsOf = (own: { at(name: string): string }) =>
  readFileSync(own.at("calls"), "utf8").trim().split("\n");

test("`npm start` installs the packages, says so, and starts the service.", async () => {
  using own = folder();
  const { root, env, scripts } = cloneInto(own);
  const settings = { DATA_DIR: own.at("data"), PORT: "0", WAREHOUSE: "off", LOG_LEVEL: "silent" };
  const service = spawn("sh", ["-c", scripts.start ?? ""], {
    cwd: root,
    env: { ...env, ...settings },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  service.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  await until("the service has started", () => said.includes("is listening on"));
  const ended = once(service, "exit");
  service.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null], said);
  assert.match(said, /^Some npm packages are missing\. Running `npm install`/);
  assert.deepEqual(callsOf(own), ["npm install"]);
});

test("`npm run verify` installs the packages, says so, and goes on.", async () => {
  using own = folder();
  const { root, env, scripts } = cloneInto(own);
  // the stand-in fails at the first check that follows
  const run = promisify(execFile)("sh", ["-c", scripts.verify ?? ""], { cwd: root, env });
  const { stderr } = await run.then(
    () => assert.fail("the checks were not run"),
    (error: { stderr: string }) => error,
  );
  assert.match(stderr, /^Some npm packages are missing\. Running `npm install`/);
  assert.deepEqual(callsOf(own), ["npm install", "npm run types"]);
});

/** The program that `npm` runs. */
const npmProgram = () =>
  realpathSync(
    (process.env.PATH ?? "")
      .split(delimiter)
      .map((place) => join(place, "npm"))
      .find(existsSync) ?? assert.fail("npm is installed"),
  );

test("`npm install` on Node 20 prints no warning.", async () => {
  using own = folder();
  const { root } = cloneInto(own);
  writeFileSync(own.at("old.cjs"), 'Object.defineProperty(process, "version", { value: "v20.19.0" });');
  const words = ["--require", own.at("old.cjs"), npmProgram(), "install", "--dry-run", "--offline"];
  const run = (...more: string[]) =>
    promisify(execFile)(process.execPath, [...words, ...more], { cwd: root });
  assert.equal((await run()).stderr, "");
  assert.match((await run("--loglevel=warn")).stderr, /EBADENGINE/, "the check can fail");
});
