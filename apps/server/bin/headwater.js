#!/usr/bin/env node
// Plain JavaScript that an old Node can read: it finds a Node that runs the program, or says how to get one.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const NEEDED = [24, 15];
const COMPILE_MS = 30_000;
const here = fileURLToPath(import.meta.url);

function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

/** The npm package `node` is a Node of its own; any `node_modules` above this file may hold it. */
function findNode(folder) {
  const found = join(folder, "node_modules", "node");
  const binary = join(found, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(binary) && existsSync(join(found, "package.json"))) {
    const { version } = JSON.parse(readFileSync(join(found, "package.json"), "utf8"));
    if (isNewEnough(version)) return binary;
  }
  const parent = dirname(folder);
  return parent === folder ? null : findNode(parent);
}

function runWith(node) {
  const child = spawn(node, [here, ...process.argv.slice(2)], { stdio: "inherit" });
  // A terminal sends Ctrl-C to both processes, a process manager to this one only; the child takes two for one.
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`${node} cannot be started (${error.code}).`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    for (const one of signals) process.removeAllListeners(one);
    process.kill(process.pid, signal);
  });
}

const otherNode = isNewEnough(process.versions.node) ? null : findNode(dirname(here));
/** Types are stripped and code is compiled once: later starts take half the time and 40 MB less. */
async function useCompileCache() {
  const { enableCompileCache } = await import("node:module");
  const folder =
    process.env.NODE_COMPILE_CACHE ?? join(dirname(here), "..", "node_modules", ".cache", "compile");
  // threads have caches of their own, which they find by the environment
  process.env.NODE_COMPILE_CACHE = folder;
  const { directory } = enableCompileCache(folder);
  if (directory && process.argv[2] === "serve") compileOnce(directory);
}

/** A process that is to run for long compiles nothing: another one does, and takes its memory with it. */
function compileOnce(directory) {
  const { version } = JSON.parse(readFileSync(join(dirname(here), "..", "package.json"), "utf8"));
  try {
    // there already, or cannot be written: then compiled code cannot either
    writeFileSync(join(directory, `headwater-${version}`), "", { flag: "wx" });
  } catch {
    return;
  }
  const program = join(dirname(here), "..", "src", "cli", "compile-ahead.ts");
  spawnSync(process.execPath, [program], { stdio: "ignore", timeout: COMPILE_MS });
}

if (isNewEnough(process.versions.node)) {
  await useCompileCache();
  await import("../src/cli/main.ts");
} else if (otherNode !== null) {
  runWith(otherNode);
} else {
  console.error(
    `Headwater needs Node ${NEEDED.join(".")} or later and this is ${process.versions.node}: ` +
      "install one from https://nodejs.org/en/download, or run `npm install` in Headwater's folder, which brings its own.",
  );
  process.exit(1);
}
