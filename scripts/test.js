// `npm test [-- flags and words]`: runs the suites that can run here, file by file, and names those that cannot.
// `--long` runs the full counts, `--apps` those that install fresh applications from the registry (`--long` does too);
// `--warehouse` runs what asks the warehouse by its address, and nothing else: at `--url` (on `--cluster`), or at an endpoint
// of our own in another process. Words keep the files whose path has one of them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const NEEDED_NODE = [24, 15];
const CHROMIUM = "/usr/bin/chromium";
const CONCURRENCY = 2;
/** More than these at once are no accident. */
const MAX_SECOND_TRIES = 3;
const FILE_TIMEOUT_MS = 180_000;
const APPS_FILE_TIMEOUT_MS = 600_000;
const LONG_FILE_TIMEOUT_MS = 1_800_000;

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < NEEDED_NODE[0] || (major === NEEDED_NODE[0] && minor < NEEDED_NODE[1])) {
  console.error(
    `The tests need Node ${NEEDED_NODE.join(".")} or later and this is ${process.versions.node}: ` +
      "run them with `npm test` after `npm install`, which brings its own Node.",
  );
  process.exit(1);
}

const inCi = Boolean(process.env.CI) && process.env.CI !== "false";
const { values: flags, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: "boolean", default: false },
    apps: { type: "boolean", default: false },
    warehouse: { type: "boolean", default: false },
    url: { type: "string" },
    cluster: { type: "string" },
  },
});
const isLong = flags.long;
const withApps = isLong || flags.apps;

const hasChromium = existsSync(CHROMIUM);
const noChromium = hasChromium ? null : `there is no Chromium at ${CHROMIUM}; \`npm run verify\` installs it`;
const noApps = withApps
  ? noChromium
  : "they install 450 MB of packages; `npm run verify` and `npm test -- --apps` run them";
const isRoot = process.getuid?.() === 0;
const CHROMIUM_TEST = /from "(?:[^"]*\/(?:browser|chromium|trial|console-world)\.ts|playwright-core)"/;
const POSTGRES = "/usr/lib/postgresql";
const hasPostgres = existsSync(POSTGRES);
const hasChdb = readdirSync(join(ROOT, "node_modules")).includes("@chdb");
const usesChromium = (path) => CHROMIUM_TEST.test(readFileSync(join(ROOT, path), "utf8"));

/** Each file belongs to the first suite that takes it. `missing` says what a suite lacks here; null: nothing. */
const SUITES = [
  {
    name: "on PostgreSQL",
    takes: (path) => path.startsWith("apps/server/test/postgres/"),
    missing: hasPostgres ? null : `there is no PostgreSQL in ${POSTGRES}; \`npm run verify\` installs it`,
  },
  {
    name: "warehouse",
    takes: (path) => path.startsWith("apps/server/test/warehouse/"),
    missing: hasChdb ? null : "the optional package chdb is not installed, or has no build for this platform",
  },
  {
    name: "power loss and full disks",
    takes: (path) => /^apps\/server\/test\/faults\/.*(?:power|disk)/.test(path),
    missing: isRoot ? null : "they need root, to have a disk of their own",
  },
  {
    name: "fresh Vite and Next.js apps",
    takes: (path) => path.endsWith(".apps.test.ts"),
    missing: noApps,
    timeoutMs: APPS_FILE_TIMEOUT_MS,
  },
  {
    name: "faults and other long tests",
    takes: (path) => /^apps\/server\/test\/faults\/|\.long\.test\.ts$/.test(path),
    missing: null,
  },
  {
    name: "in a browser",
    takes: usesChromium,
    missing: noChromium,
  },
  { name: "contract", takes: (path) => path.startsWith("packages/contract/"), missing: null },
  { name: "client", takes: (path) => path.startsWith("packages/sdk/"), missing: null },
  { name: "server", takes: (path) => path.startsWith("apps/server/"), missing: null },
  { name: "console", takes: (path) => path.startsWith("apps/console/"), missing: null },
];

/** What knows the service from outside only is run on each ledger; a disk that is full is the embedded one's affair. */
const BLACK_BOX = /^apps\/server\/test\/(?:api\/(?!ingest-503)|e2e)/;
const ON_POSTGRES = {
  name: "the black box on PostgreSQL",
  missing: SUITES.find(({ name }) => name === "on PostgreSQL").missing,
  env: { TEST_LEDGER: "postgres" },
};

/** What knows the warehouse by its address only; a part of it is enough where all is run. */
const BY_ADDRESS = flags.warehouse
  ? /^apps\/server\/test\/(?:warehouse\/(?:ship|deletion|expiry|erase|export)|stats\/)/
  : /^apps\/server\/test\/(?:warehouse\/(?:ship|deletion)|stats\/examples)/;
const missingEndpoint = flags.url ? null : SUITES.find(({ name }) => name === "warehouse").missing;
const BY_URL = { name: "the warehouse by URL", missing: missingEndpoint };
/** Of our own making only: who has another names it. */
const ON_SHARD = { name: "the warehouse by URL, on a shard", missing: missingEndpoint };

function testFiles() {
  const folders = ["packages/contract", "packages/sdk", "apps/server", "apps/console"];
  const all = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true }).map((name) => `${folder}/${name}`),
  );
  return all.filter((path) => path.endsWith(".test.ts") && !path.includes("node_modules")).sort();
}

function sortIntoSuites() {
  const suites = SUITES.map((suite) => ({ ...suite, files: [] }));
  for (const path of testFiles()) {
    if (words.length > 0 && !words.some((word) => path.includes(word))) continue;
    suites.find(({ takes }) => takes(path)).files.push(path);
  }
  const blackBox = suites.flatMap(({ files }) => files.filter((path) => BLACK_BOX.test(path)));
  const byAddress = suites.flatMap(({ files }) => files.filter((path) => BY_ADDRESS.test(path)));
  const elsewhere = [
    { ...BY_URL, files: byAddress },
    { ...ON_SHARD, files: flags.warehouse && !flags.url ? byAddress : [] },
  ];
  const all = flags.warehouse ? elsewhere : [...suites, { ...ON_POSTGRES, files: blackBox }, ...elsewhere];
  return all.filter(({ files }) => files.length > 0);
}

/** Runs one file in a process of its own, which is ended when it takes too long. */
async function runFile({ path, suite, timeoutMs = FILE_TIMEOUT_MS, env = {} }) {
  const { run } = await import("node:test");
  const { spec } = await import("node:test/reporters");
  const file = join(ROOT, path);
  const signal = AbortSignal.timeout(isLong ? LONG_FILE_TIMEOUT_MS : timeoutMs);
  const stream = run({ files: [file], cwd: ROOT, signal, env: { ...process.env, ...env } });
  const result = {
    path: Object.keys(env).length > 0 ? `${path} (${suite})` : path,
    passed: 0,
    failed: 0,
    skipped: 0,
    reasons: [],
    text: "",
  };
  let isEmpty = false;
  // a file without a test is reported as one test of its own name that passed
  stream.on("test:pass", ({ name, skip }) => {
    isEmpty ||= name === file;
    if (skip) result.reasons.push(typeof skip === "string" ? `${name} (${skip})` : name);
  });
  stream.on("test:summary", ({ counts, duration_ms }) => {
    result.passed = counts.passed;
    result.failed = counts.failed + counts.cancelled;
    result.skipped = counts.skipped + counts.todo;
    result.seconds = duration_ms / 1_000;
  });
  for await (const chunk of stream.compose(spec)) result.text += chunk;
  return isEmpty ? { ...result, passed: 0, failed: 1, text: "The file has no test.\n" } : result;
}

function print({ path, passed, failed, skipped, seconds, text }) {
  const counts = [`${passed} passed`, failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`];
  const line = `${failed > 0 ? "✖" : "✔"} ${path}: ${counts.filter(Boolean).join(", ")} (${(seconds ?? 0).toFixed(1)} s)`;
  console.log(failed > 0 ? `\n${line}\n${text}` : line);
}

/** Some at a time; each is printed whole when it has ended. */
async function runAll(files) {
  const waiting = [...files];
  const results = [];
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const result = { ...(await runFile(file)), file };
      results.push(result);
      print(result);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return results;
}

/**
 * A file that failed gets a second try with the machine to itself. One that passes then is named as unsteady, with what
 * it printed at first: it is no reason to hold a change back, and one to look at.
 */
async function tryAgain(results) {
  const failed = results.filter((one) => one.failed > 0);
  if (isLong || words.length > 0 || failed.length === 0 || failed.length > MAX_SECOND_TRIES) return results;
  console.log("\nOnce more, one at a time:");
  for (const first of failed) {
    const second = await runFile(first.file);
    print(second);
    if (second.failed === 0) results[results.indexOf(first)] = { ...second, isUnsteady: true };
  }
  return results;
}

/** One server for all files that want one; each has databases of its own. */
async function startSharedCluster() {
  if (!running.some(({ name }) => name.endsWith("on PostgreSQL"))) return null;
  const { startCluster } = await import("../apps/server/test/postgres/cluster.ts");
  const started = await startCluster();
  process.env.TEST_POSTGRES_URL = started.url();
  return started;
}

const settingsOf = (url, cluster) => ({
  TEST_WAREHOUSE_URL: url,
  ...(cluster ? { TEST_WAREHOUSE_CLUSTER: cluster } : {}),
});

/** One endpoint for all files of a suite that asks by address; returns what ends it. */
async function startEndpoint(suite) {
  if (flags.url) {
    suite.env = settingsOf(flags.url, flags.cluster);
    return () => undefined;
  }
  const { startEndpoint: start, addressOf } = await import("../apps/server/test/warehouse/endpoint.ts");
  const started = await start(suite.name === ON_SHARD.name);
  suite.env = settingsOf(addressOf(started.endpoint), started.endpoint.cluster);
  return () => started[Symbol.asyncDispose]();
}

/** Files that start the command line, or the console itself, would build it at once otherwise. */
async function buildConsoleOnce() {
  if (!running.some(({ files }) => files.some((path) => path.startsWith("apps/")))) return;
  const { buildConsole } = await import("../apps/console/build.js");
  await buildConsole(console.log);
}

const sum = (results, field) => results.reduce((total, result) => total + result[field], 0);
const plural = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

const suites = sortIntoSuites();
const unable = suites.filter(({ missing }) => missing !== null);
const running = suites.filter((suite) => !unable.includes(suite));

// what the tests start finds this Node under the name `node`
process.env.PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
// each file is a process that compiles the same sources: the cache saves a third of its CPU time
process.env.NODE_COMPILE_CACHE ??= join(ROOT, "node_modules", ".cache", "compile-tests");
if (isLong) process.env.TEST_LONG = "1";

const cluster = await startSharedCluster();
const endpoints = [];
for (const suite of running.filter(({ name }) => name === BY_URL.name || name === ON_SHARD.name))
  endpoints.push(await startEndpoint(suite));
await buildConsoleOnce();
const files = running.flatMap(({ name: suite, files, timeoutMs, env }) =>
  files.map((path) => ({ path, suite, timeoutMs, env })),
);
// the longest ones first, so that none is left alone at the end
files.sort((one, other) => (other.timeoutMs ?? 0) - (one.timeoutMs ?? 0));
const results = await tryAgain(await runAll(files));
await cluster?.stop();
for (const end of endpoints) await end();
const [passed, failed, skipped] = ["passed", "failed", "skipped"].map((field) => sum(results, field));

console.log("");
for (const { path } of results.filter((one) => one.failed > 0)) console.log(`Failed: ${path}`);
for (const { path } of results.filter((one) => one.isUnsteady)) {
  console.log(`Unsteady, passed on the second try: ${path}`);
}
for (const { path, reasons } of results) {
  for (const reason of reasons) console.log(`Skipped in ${path}: ${reason}`);
}
for (const { name, files, missing } of unable) {
  console.log(`Left out: ${name} (${plural(files.length, "file")}): ${missing}.`);
}
if (inCi && unable.length > 0) console.log("In CI nothing may be left out.");
if (inCi && skipped > 0) console.log("In CI no test may be skipped.");
if (passed + failed === 0) console.log("No test ran.");
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);

const isWhole = !inCi || (unable.length === 0 && skipped === 0);
process.exitCode = failed === 0 && passed > 0 && isWhole ? 0 : 1;
