/**
 * Builds what `npm pack` packs, an ES module and its types for each door, into dist/doors or the folder that is named.
 */
import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const root = dirname(fileURLToPath(import.meta.url));
const output = resolve(process.argv[2] ?? join(root, "dist", "doors"));
const doors = ["index", "extras/index", "react", "next", "server"];

await rm(output, { recursive: true, force: true });
await build({
  cwd: root,
  input: Object.fromEntries(doors.map((door) => [door, join("src", `${door}.ts`)])),
  external: ["react", /^next\//],
  platform: "neutral",
  transform: { target: "es2020" },
  output: { dir: output, format: "es", chunkFileNames: "[name].js" },
  // It warns that "use client" may be lost; a test sees that the doors keep it.
  checks: { moduleLevelDirective: false },
});

const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
const emit = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly"];
const places = ["--rootDir", join(root, "src"), "--outDir", output];
execFileSync(process.execPath, [join(typescript, "bin", "tsc"), "-p", root, ...emit, ...places], {
  stdio: "inherit",
});
