/**
 * Builds the npm package: an ES module with types for each entry point, into dist/npm or the folder given as an argument.
 */
import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const root = dirname(fileURLToPath(import.meta.url));
const output = resolve(process.argv[2] ?? join(root, "dist", "npm"));
const entryPoints = ["index", "extras/index", "react", "next", "server", "testing"];

await rm(output, { recursive: true, force: true });
await build({
  cwd: root,
  input: Object.fromEntries(entryPoints.map((name) => [name, join("src", `${name}.ts`)])),
  external: ["react", /^next\//],
  platform: "neutral",
  transform: { target: "es2020" },
  output: { dir: output, format: "es", chunkFileNames: "[name].js" },
  // Rolldown warns that "use client" may be lost. A test checks that the entry points keep it.
  checks: { moduleLevelDirective: false },
});

const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
const emitOptions = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly"];
const folders = ["--rootDir", join(root, "src"), "--outDir", output];
execFileSync(process.execPath, [join(typescript, "bin", "tsc"), "-p", root, ...emitOptions, ...folders], {
  stdio: "inherit",
});
