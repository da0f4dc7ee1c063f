// `npm test [-- flags and words]`: runs the test suites that this machine can run, file by file, and lists the others.
// Words select files by their path. Flags:
//   --long       run the long tests with their full number of rounds, and all tests of fresh applications
//   --apps       run tests of fresh applications, which install packages from the registry: of each framework one or two ways
//                to use the client
//   --warehouse  run only the tests that reach a warehouse by its address: at --url (on --cluster), or at a warehouse that
//                the test run starts
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const CHROMIUM = "/usr/bin/chromium";
/** Files at a time. They wait nearly half of their time, so one more than there are processors keeps these busy. */
const CONCURRENCY = availableParallelism() + 1;
/** When more files fail, none is tried again: so many failures are not an accident. */
const MAX_RETRIED_FILES = 6;
const FILE_TIMEOUT_MS = 420_000;
const APPS_FILE_TIMEOUT_MS = 600_000;
const LONG_FILE_TIMEOUT_MS = 1_800_000;

const isCi = Boolean(process.env.CI) && process.env.CI !== "false";
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
const noChromium = hasChromium
  ? null
  : `Chromium is not installed (${CHROMIUM}); \`npm run verify\` installs it`;
const noApps = withApps ? noChromium : "they install 1.2 GB of packages; run `npm test -- --apps`";
const isRoot = process.getuid?.() === 0;
const CHROMIUM_TEST = /from "(?:[^"]*\/(?:browser|chromium|loss-trial|console-world)\.ts|playwright-core)"/;
const POSTGRES = "/usr/lib/postgresql";
const hasPostgres = existsSync(POSTGRES);
const hasChdb = readdirSync(join(ROOT, "node_modules")).includes("@chdb");
const usesChromium = (path) => CHROMIUM_TEST.test(readFileSync(join(ROOT, path), "utf8"));

/** A file belongs to the first suite whose `takes` accepts it. `missing` says why the suite cannot run; null: it can. */
const SUITES = [
  {
    name: "on PostgreSQL",
    takes: (path) => path.startsWith("apps/server/test/postgres/"),
    missing: hasPostgres ? null : `PostgreSQL is not installed (${POSTGRES}); \`npm run verify\` installs it`,
  },
  {
    name: "warehouse",
    takes: (path) => path.startsWith("apps/server/test/warehouse/"),
    missing: hasChdb ? null : "the optional package chdb is not installed, or has no build for this platform",
  },
  {
    name: "power loss and full disks",
    takes: (path) => /^apps\/server\/test\/faults\/.*(?:power|disk)/.test(path),
    missing: isRoot ? null : "they need root, because they mount a disk",
  },
  {
    name: "fresh apps and generated clients",
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
  { name: "API client", takes: (path) => path.startsWith("packages/api/"), missing: null },
  { name: "client", takes: (path) => path.startsWith("packages/sdk/"), missing: null },
  { name: "server", takes: (path) => path.startsWith("apps/server/"), missing: null },
  { name: "console", takes: (path) => path.startsWith("apps/console/"), missing: null },
];

/**
 * Tests that use the service only over HTTP run on each ledger, except the tests of a full disk and of the salts in memory, which
 * hold for SQLite: the driver of PostgreSQL makes a text of every value, and JavaScript cannot clear a text.
 */
const BLACK_BOX =
  /^apps\/server\/test\/(?:access\/|api\/(?!ingest-503)|compat\/(?!.*\.apps)|conformance\/|monitoring\/|plan\/|visitors\/(?!salt-in-memory)|e2e|clock-jump)/;
const ON_POSTGRES = {
  name: "the black box on PostgreSQL",
  missing: SUITES.find(({ name }) => name === "on PostgreSQL").missing,
  env: { TEST_LEDGER: "postgres" },
};

/** Tests that reach the warehouse only by its address. A whole test run includes some of them. */
const BY_ADDRESS = flags.warehouse
  ? /^apps\/server\/test\/(?:warehouse\/(?:ship|deletion|expiry|erase|export)|stats\/)/
  : /^apps\/server\/test\/(?:warehouse\/(?:ship|deletion)|stats\/examples)/;
const missingEndpoint = flags.url ? null : SUITES.find(({ name }) => name === "warehouse").missing;
const BY_URL = { name: "the warehouse by URL", missing: missingEndpoint };
/** Only on a warehouse that the test run starts; for another one, --cluster names the cluster. */
const ON_SHARD = { name: "the warehouse by URL, on a shard", missing: missingEndpoint };

function testFiles() {
  const folders = ["packages/contract", "packages/api", "packages/sdk", "apps/server", "apps/console"];
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
  // the black box has the shortest files, so the processors are busy to the end
  const all = flags.warehouse ? elsewhere : [...suites, ...elsewhere, { ...ON_POSTGRES, files: blackBox }];
  return all.filter(({ files }) => files.length > 0);
}

/** Runs a file in its own process, with a timeout. */
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
  // a file without tests is reported as one passed test with the name of the file
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
  return isEmpty ? { ...result, passed: 0, failed: 1, text: "The file has no tests.\n" } : result;
}

function print({ path, passed, failed, skipped, seconds, text }) {
  const counts = [`${passed} passed`, failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`];
  const line = `${failed > 0 ? "✖" : "✔"} ${path}: ${counts.filter(Boolean).join(", ")} (${(seconds ?? 0).toFixed(1)} s)`;
  console.log(failed > 0 ? `\n${line}\n${text}` : line);
}

/** Runs some files at a time, and prints the output of each when it has ended. */
async function runAll(files) {
  const waiting = [...files];
  const results = [];
  const runNext = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const result = { ...(await runFile(file)), file };
      results.push(result);
      print(result);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runNext));
  return results;
}

/**
 * Runs failed files again, one at a time. A file that passes then is listed as flaky and does not fail the test run; the
 * output of its failure has been printed.
 */
async function retryFailed(results) {
  const failed = results.filter((one) => one.failed > 0);
  if (isLong || words.length > 0 || failed.length === 0 || failed.length > MAX_RETRIED_FILES) return results;
  console.log("\nRunning the failed files again, one at a time:");
  for (const first of failed) {
    const second = await runFile(first.file);
    print(second);
    if (second.failed === 0) results[results.indexOf(first)] = { ...second, isFlaky: true };
  }
  return results;
}

/** One PostgreSQL server for all files; each file creates its own databases. */
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

/** One warehouse for all files of a suite. Returns the function that stops it. */
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

/** Otherwise several files would build the console at the same time. */
async function buildConsoleOnce() {
  if (!running.some(({ files }) => files.some((path) => path.startsWith("apps/")))) return;
  const { buildConsole } = await import("../apps/console/build.js");
  await buildConsole(console.log);
}

const sum = (results, field) => results.reduce((total, result) => total + result[field], 0);
const plural = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

const suites = sortIntoSuites();
const skippedSuites = suites.filter(({ missing }) => missing !== null);
const running = suites.filter((suite) => !skippedSuites.includes(suite));

// programs that the tests start find this Node as `node`
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
const results = await retryFailed(await runAll(files));
await cluster?.stop();
for (const end of endpoints) await end();
const [passed, failed, skipped] = ["passed", "failed", "skipped"].map((field) => sum(results, field));

console.log("");
for (const { path } of results.filter((one) => one.failed > 0)) console.log(`Failed: ${path}`);
for (const { path } of results.filter((one) => one.isFlaky)) {
  console.log(`Flaky, passed on the second run: ${path}`);
}
for (const { path, reasons } of results) {
  for (const reason of reasons) console.log(`Skipped in ${path}: ${reason}`);
}
for (const { name, files, missing } of skippedSuites) {
  console.log(`Not run: ${name} (${plural(files.length, "file")}): ${missing}.`);
}
if (isCi && skippedSuites.length > 0) console.log("In CI every suite must run.");
if (isCi && skipped > 0) console.log("In CI no test may be skipped.");
if (passed + failed === 0) console.log("No tests were run.");
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);

const isComplete = !isCi || (skippedSuites.length === 0 && skipped === 0);
process.exitCode = failed === 0 && passed > 0 && isComplete ? 0 : 1;
