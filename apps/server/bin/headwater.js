#!/usr/bin/env node
// The launcher. It is plain JavaScript, so that an old Node can run it: it finds a Node that is new enough, or says how to
// get one.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MIN_NODE = [24, 15];
const COMPILE_TIMEOUT_MS = 30_000;
const here = fileURLToPath(import.meta.url);

function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
}

/** Looks for the npm package `node`, which contains a Node, in each `node_modules` above this file. */
function findNode(folder) {
  const packageFolder = join(folder, "node_modules", "node");
  const binary = join(packageFolder, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(binary) && existsSync(join(packageFolder, "package.json"))) {
    const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
    if (isNewEnough(version)) return binary;
  }
  const parent = dirname(folder);
  return parent === folder ? null : findNode(parent);
}

function runWith(node) {
  const child = spawn(node, [here, ...process.argv.slice(2)], { stdio: "inherit" });
  // A terminal sends Ctrl-C to both processes, a process manager to this one only. The child counts two signals in
  // quick succession as one.
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`${node} cannot be started (${error.code}).`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of signals) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

const otherNode = isNewEnough(process.versions.node) ? null : findNode(dirname(here));
/** Keeps compiled code between starts: later starts take half the time and 40 MB less memory. */
async function useCompileCache() {
  const { enableCompileCache } = await import("node:module");
  const folder =
    process.env.NODE_COMPILE_CACHE ?? join(dirname(here), "..", "node_modules", ".cache", "compile");
  // threads have their own caches, and find the folder in the environment
  process.env.NODE_COMPILE_CACHE = folder;
  const { directory } = enableCompileCache(folder);
  if (directory && process.argv[2] === "serve") compileAhead(directory);
}

/** Compiles once for each version, in another process, so that the service does not keep the memory that compiling takes. */
function compileAhead(directory) {
  const { version } = JSON.parse(readFileSync(join(dirname(here), "..", "package.json"), "utf8"));
  try {
    // throws when the mark exists already, or when the folder is not writable, and then the cache is not either
    writeFileSync(join(directory, `headwater-${version}`), "", { flag: "wx" });
  } catch {
    return;
  }
  const program = fileURLToPath(new URL("../src/cli/compile-ahead.ts", import.meta.url));
  spawnSync(process.execPath, [program], { stdio: "ignore", timeout: COMPILE_TIMEOUT_MS });
}

if (isNewEnough(process.versions.node)) {
  await useCompileCache();
  await import("../src/cli/main.ts");
} else if (otherNode !== null) {
  runWith(otherNode);
} else {
  // the package `node` gets its binary from an install script, which npm may be set not to run
  const hasPackage = existsSync(join(dirname(here), "../../../node_modules/node/package.json"));
  console.error(
    `Headwater needs Node ${MIN_NODE.join(".")} or later; this is ${process.versions.node}. ` +
      (hasPackage
        ? "The npm package `node` has no binary, because npm ran without install scripts. Run `npm rebuild node --ignore-scripts=false`."
        : "Install it from https://nodejs.org/en/download, or as an npm package with `npm install node@24`."),
  );
  process.exit(1);
}
