/**
 * Builds the console to static files in dist/ when a source file is newer than the last build. dist/console/ has the
 * assets, named by the hash of their content, each also compressed with gzip and Brotli.
 */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const thisFile = fileURLToPath(import.meta.url);
const root = dirname(thisFile);
const dist = join(root, "dist");
const packages = join(root, "..", "..", "packages");
/** Warnings about "use client" directives of libraries, which do not matter without server rendering. */
const isIgnoredWarning = ({ code }) => code === "MODULE_LEVEL_DIRECTIVE";
const TARGET = "es2022";
const BUILD_TIMEOUT_MS = 300_000;

const FLAGS = join(root, "..", "..", "node_modules", "country-flag-icons");
const FLAG_FILE = /^([A-Z]{2})\.svg$/;
/** The codes of the countries that have a flag, and the version of the flags. */
async function readFlags() {
  const { version } = JSON.parse(await readFile(join(FLAGS, "package.json"), "utf8"));
  const names = await readdir(join(FLAGS, "3x2"));
  return { version, codes: names.flatMap((name) => FLAG_FILE.exec(name)?.[1] ?? []) };
}

/** What every page needs, what the pages of a source need, and what the stats need at first. Each is one file. */
const FILE_GROUPS = [
  { name: "base", tags: ["$initial"], priority: 3 },
  {
    name: "frame",
    test: /\/src\/(?:pages\/sources\/source-page|ui\/(?:switcher|relative-time|scroll-region))\.tsx$/,
    priority: 2,
  },
  { name: "stats", test: /\/src\/pages\/stats\/(?:stats-page|stats-views)\.tsx$/, priority: 1 },
];

const modifiedAt = async (path) => (await stat(path)).mtimeMs;
const filesIn = async (folder) =>
  (await readdir(folder, { recursive: true }).catch(() => [])).map((name) => join(folder, name));

async function isStale() {
  // a release has the built console and no sources
  if (!existsSync(join(root, "src"))) return false;
  const builtAt = await modifiedAt(join(dist, "index.html")).catch(() => 0);
  if (builtAt === 0) return true;
  const inputs = [
    ...(await filesIn(join(root, "src"))),
    ...(await filesIn(join(packages, "api", "src"))),
    ...(await filesIn(join(packages, "contract", "src"))),
    ...["index.html", "package.json"].map((name) => join(root, name)),
    thisFile,
  ];
  return (await Promise.all(inputs.map(modifiedAt))).some((changedAt) => changedAt > builtAt);
}

async function compress(path) {
  const bytes = await readFile(path);
  // a build is rare and its files are sent often: the best quality takes a second more and saves a twelfth
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

async function build() {
  const { build: bundle } = await import("vite");
  const temporary = `${dist}.${randomUUID()}`;
  const flags = await readFlags();
  await bundle({
    root,
    configFile: false,
    logLevel: "warn",
    base: "./",
    define: {
      FLAG_VERSION: JSON.stringify(flags.version),
      FLAG_CODES: JSON.stringify(flags.codes.join(" ")),
    },
    build: {
      outDir: temporary,
      assetsDir: "console",
      target: TARGET,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // the packages in the scripts, with their licences: for the SBOM of a release
      license: { fileName: "licenses.json" },
      rolldownOptions: {
        onLog: (level, log, print) => isIgnoredWarning(log) || print(level, log),
        // one file is smaller than its parts, and one request
        output: { codeSplitting: { groups: FILE_GROUPS } },
      },
    },
  });
  // the script builds the names from the code of a country; the version stands for the hash of the content
  for (const code of flags.codes)
    await copyFile(
      join(FLAGS, "3x2", `${code}.svg`),
      join(temporary, "console", `flag-${flags.version}-${code}.svg`),
    );
  const assets = await filesIn(join(temporary, "console"));
  // a font is compressed in itself
  await Promise.all(assets.filter((path) => !path.endsWith(".woff2")).map(compress));
  await rm(dist, { recursive: true, force: true });
  // fails when a concurrent build has just put the same files there
  await rename(temporary, dist).catch(() => rm(temporary, { recursive: true, force: true }));
}

const isViteInstalled = () => existsSync(fileURLToPath(new URL("../../node_modules/vite", import.meta.url)));

export async function buildConsole(log = () => undefined) {
  const isBuilt = existsSync(join(dist, "index.html"));
  if (!(await isStale())) return dist;
  if (!isViteInstalled()) {
    if (!isBuilt)
      log("The console is not built and Vite is not installed. The service starts without the console.");
    return isBuilt ? dist : null;
  }
  log("Building the console (first start or changed files)…");
  // a separate process returns Vite's memory to the system when it exits
  const { status } = spawnSync(process.execPath, [thisFile], {
    stdio: ["ignore", "ignore", "inherit"],
    timeout: BUILD_TIMEOUT_MS,
  });
  if (status !== 0) log("Building the console failed. The service starts without the console.");
  return existsSync(join(dist, "index.html")) ? dist : null;
}

if (process.argv[1] === thisFile) await build();
