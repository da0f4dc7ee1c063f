/** Builds dist/v2.js, the script that `/sdk/v2.js` serves, when a source file is newer than it. */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));
const output = join(root, "dist", "v2.js");

const modifiedAt = async (path) => (await stat(path)).mtimeMs;

async function isStale() {
  const builtAt = await modifiedAt(output).catch(() => 0);
  if (builtAt === 0) return true;
  const sources = await readdir(join(root, "src")).catch(() => []);
  const inputs = [...sources.map((name) => join(root, "src", name)), fileURLToPath(import.meta.url)];
  return (await Promise.all(inputs.map(modifiedAt))).some((changedAt) => changedAt > builtAt);
}

export async function buildSdk() {
  if (!(await isStale())) return output;
  // Loaded here, because what is built already needs no bundler.
  const { build } = await import("rolldown");
  const { output: chunks } = await build({
    input: join(root, "src", "browser.ts"),
    transform: { target: "es2020" },
    output: { format: "iife", minify: true, comments: false },
    write: false,
  });
  // Written beside and moved, so that nobody reads half a script.
  const draft = `${output}.${randomUUID()}`;
  await mkdir(dirname(output), { recursive: true });
  await writeFile(draft, chunks[0].code);
  await rename(draft, output);
  return output;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await buildSdk());
