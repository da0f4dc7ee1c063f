/** Builds the npm package: an ES module with types, into dist/. */
import { execFileSync } from "node:child_process";
import { copyFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const root = dirname(fileURLToPath(import.meta.url));
const output = join(root, "dist");

await rm(output, { recursive: true, force: true });
await build({
  cwd: root,
  input: join("src", "index.ts"),
  platform: "neutral",
  transform: { target: "es2022" },
  output: { dir: output, format: "es" },
});

const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
const emitOptions = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly"];
const folders = ["--rootDir", join(root, "src"), "--outDir", output];
execFileSync(process.execPath, [join(typescript, "bin", "tsc"), "-p", root, ...emitOptions, ...folders], {
  stdio: "inherit",
});
await copyFile(join(root, "src", "schema.d.ts"), join(output, "schema.d.ts"));
