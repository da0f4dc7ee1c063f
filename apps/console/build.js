/**
 * Builds the console to static files in dist/, when a source file is newer than they are: index.html, and in
 * dist/console/ what it loads, each under its content's hash and compressed beforehand.
 */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const self = fileURLToPath(import.meta.url);
const root = dirname(self);
const dist = join(root, "dist");
const contract = join(root, "..", "..", "packages", "contract", "src");
/** The server's answer puts its own in its place. */
const NONCE = "__NONCE__";
/** Libraries mark parts for servers, which there are none of here. */
const isNoise = ({ code }) => code === "MODULE_LEVEL_DIRECTIVE";
const EDITION = "es2022";
const BUILD_MS = 300_000;

const modifiedAt = async (path) => (await stat(path)).mtimeMs;
const filesIn = async (folder) =>
  (await readdir(folder, { recursive: true }).catch(() => [])).map((name) => join(folder, name));

async function isStale() {
  const builtAt = await modifiedAt(join(dist, "index.html")).catch(() => 0);
  if (builtAt === 0) return true;
  const inputs = [
    ...(await filesIn(join(root, "src"))),
    ...(await filesIn(contract)),
    ...["index.html", "package.json"].map((name) => join(root, name)),
    self,
  ];
  return (await Promise.all(inputs.map(modifiedAt))).some((changedAt) => changedAt > builtAt);
}

async function compress(path) {
  const bytes = await readFile(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

async function build() {
  const { build: bundle } = await import("vite");
  const draft = `${dist}.${randomUUID()}`;
  await bundle({
    root,
    configFile: false,
    logLevel: "warn",
    base: "./",
    html: { cspNonce: NONCE },
    build: {
      outDir: draft,
      assetsDir: "console",
      target: EDITION,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: { onLog: (level, log, print) => isNoise(log) || print(level, log) },
    },
  });
  await Promise.all((await filesIn(join(draft, "console"))).map(compress));
  await rm(dist, { recursive: true, force: true });
  // whoever was quicker has built the same
  await rename(draft, dist).catch(() => rm(draft, { recursive: true, force: true }));
}

const isInstalled = () => existsSync(fileURLToPath(new URL("../../node_modules/vite", import.meta.url)));

export async function buildConsole(say = () => undefined) {
  const isThere = existsSync(join(dist, "index.html"));
  if (!(await isStale())) return dist;
  if (!isInstalled()) {
    if (!isThere) say("The console is not built, and what builds it is not installed: it is not served.");
    return isThere ? dist : null;
  }
  say("Building the console, this once …");
  // in a process of its own, which takes its memory with it
  const { status } = spawnSync(process.execPath, [self], {
    stdio: ["ignore", "ignore", "inherit"],
    timeout: BUILD_MS,
  });
  if (status !== 0) say("The console could not be built; the service goes on without it.");
  return existsSync(join(dist, "index.html")) ? dist : null;
}

if (process.argv[1] === self) await build();
