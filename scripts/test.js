// `npm test`: runs the tests that need nothing but npm packages, and lists what it left out. `npm run verify` runs the others too.
// Words select the files whose path contains one of them, of all suites. Flags:
//   --all        run the tests of all suites, except those of fresh applications
//   --apps       run the tests of fresh applications alone, which install 1.2 GB of packages from the registry
//   --long       run all of these, the long ones with their full number of rounds
//   --warehouse  run only the tests that reach a warehouse by its address: at --url (on --cluster), or at a warehouse that
//                the test run starts
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const GROUP = join(ROOT, "scripts", "test-group.js");
const CHROMIUM = "/usr/bin/chromium";
/** Files at a time. They wait nearly half of their time, so one more than there are processors keeps these busy. */
const CONCURRENCY = availableParallelism() + 1;
const SLOWEST_FILES = 15;
/** For a file, or a group of files, that hangs: on a busy machine a file can take five times as long. */
const FILE_TIMEOUT_MS = 1_200_000;
/** Files that share a process: starting one and a first service takes 0.9 s of CPU time, with a browser 1.3 s. */
const GROUP_SIZE = 6;
/** They have no hooks outside of a `describe`, and change nothing of the process; the long ones run beside others. */
const SHARES_PROCESS =
  /^apps\/server\/test\/(?:access\/(?!oidc|saved-items)|api\/(?!export|fuzz|isolation|poison))/;
const LONG_FILE_TIMEOUT_MS = 1_800_000;

const isCi = Boolean(process.env.CI) && process.env.CI !== "false";
const { values: flags, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: "boolean", default: false },
    apps: { type: "boolean", default: false },
    long: { type: "boolean", default: false },
    warehouse: { type: "boolean", default: false },
    url: { type: "string" },
    cluster: { type: "string" },
  },
});
const isLong = flags.long;
/** Without words and flags: only what runs everywhere, and within minutes. */
const isLightRun = words.length === 0 && !flags.all && !flags.apps && !isLong && !flags.warehouse;

const hasChromium = existsSync(CHROMIUM);
const noChromium = hasChromium
  ? null
  : `Chromium is not installed (${CHROMIUM}); \`npm run verify\` installs it`;
const isRoot = process.getuid?.() === 0;
const POSTGRES = "/usr/lib/postgresql";
const hasPostgres = existsSync(POSTGRES);
const noChdb = existsSync(join(ROOT, "node_modules", "@chdb"))
  ? null
  : "the optional package chdb is not installed, or has no build for this platform";
const BROWSER_TEST =
  /from "(?:[^"]*\/(?:browser|chromium|firefox|webkit|loss-trial|console-world)\.ts|playwright-core)"/;
const usesBrowser = (path) => BROWSER_TEST.test(readFileSync(join(ROOT, path), "utf8"));

/**
 * A file belongs to the first suite whose `takes` accepts it. `missing` says why the suite cannot run; null: it can.
 * `npm test` runs the suites that are `isLight`: they need no browser, database, root or program of the system.
 */
const SUITES = [
  {
    name: "on PostgreSQL",
    takes: (path) => path.startsWith("apps/server/test/postgres/"),
    missing: hasPostgres ? null : `PostgreSQL is not installed (${POSTGRES}); \`npm run verify\` installs it`,
  },
  {
    name: "stats by example",
    takes: (path) =>
      /^apps\/server\/test\/stats\/(?:calendar|compare-text|definitions|examples|plan|report-period)\./.test(
        path,
      ),
    missing: noChdb,
    isLight: true,
  },
  {
    name: "warehouse",
    takes: (path) => /^apps\/server\/test\/(?:warehouse|stats)\//.test(path),
    missing: noChdb,
  },
  {
    name: "power loss and full disks",
    takes: (path) => /^apps\/server\/test\/faults\/.*(?:power|disk)/.test(path),
    missing: isRoot ? null : "they need root, because they mount a disk",
  },
  {
    name: "fresh apps and generated clients",
    takes: (path) => path.endsWith(".apps.test.ts"),
    missing: noChromium,
  },
  {
    name: "faults and deployment files",
    takes: (path) => /^apps\/server\/test\/(?:faults|deploy)\//.test(path),
    missing: null,
  },
  {
    name: "in a browser",
    takes: usesBrowser,
    missing: noChromium,
    isGrouped: true,
  },
  { name: "contract", takes: (path) => path.startsWith("packages/contract/"), missing: null, isLight: true },
  { name: "API client", takes: (path) => path.startsWith("packages/api/"), missing: null, isLight: true },
  { name: "client", takes: (path) => path.startsWith("packages/sdk/"), missing: null, isLight: true },
  { name: "server", takes: (path) => path.startsWith("apps/server/"), missing: null, isLight: true },
  { name: "console", takes: (path) => path.startsWith("apps/console/"), missing: null, isLight: true },
];
const suiteNamed = (name) => SUITES.find((suite) => suite.name === name);
/** The suite that `npm run verify` leaves to `npm run test:apps`. */
const APPS = suiteNamed("fresh apps and generated clients");

/**
 * A file runs on PostgreSQL too if it asserts what the ledger decides: who exists and may do what, what is counted and how often, and
 * what is read back in which order. What is decided before the ledger is asked is the same on both.
 */
const LEDGER_BOUND = [
  /^apps\/server\/test\/access\/(?!jwt)/,
  /^apps\/server\/test\/api\/(?:bootstrap|counting|create-source|duplicates|events|export|list-sources|members|quotas)\./,
  /^apps\/server\/test\/api\/(?:fuzz|isolation|poison|public-key-isolation|public-keys|sessions|source|workspace)\./,
  /^apps\/server\/test\/(?:clock-jump|alerts\/.*|quarantine\/(?!segment).*|compat\/joined-sessions|conformance\/.*|plan\/event-catalog|visitors\/no-storage)\./,
];
const ON_POSTGRES = {
  name: "the ledger's files on PostgreSQL",
  missing: suiteNamed("on PostgreSQL").missing,
  env: { TEST_LEDGER: "postgres" },
};

/** Tests that reach the warehouse only by its address. A whole test run includes some of them. */
const BY_ADDRESS = flags.warehouse
  ? /^apps\/server\/test\/(?:warehouse\/(?:ship|deletion|expiry|erase|export)|stats\/)/
  : /^apps\/server\/test\/(?:warehouse\/(?:ship|deletion)|stats\/examples)/;
const missingEndpoint = flags.url ? null : noChdb;
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
  const ledgerBound = suites.flatMap(({ files }) =>
    files.filter((path) => LEDGER_BOUND.some((kind) => kind.test(path))),
  );
  const byAddress = suites.flatMap(({ files }) => files.filter((path) => BY_ADDRESS.test(path)));
  const elsewhere = [
    { ...BY_URL, files: byAddress },
    { ...ON_SHARD, files: flags.warehouse && !flags.url ? byAddress : [] },
  ];
  // its files are short, so the processors are busy to the end
  const all = flags.warehouse ? elsewhere : [...suites, ...elsewhere, { ...ON_POSTGRES, files: ledgerBound }];
  return all.filter(({ files }) => files.length > 0);
}

/** Runs a file or a group of files in a process, with a timeout. */
async function runFile({ paths, suite, env = {} }) {
  const { run } = await import("node:test");
  const { spec } = await import("node:test/reporters");
  const all = paths.map((path) => join(ROOT, path));
  const [file, environment] =
    all.length === 1 ? [all[0], env] : [GROUP, { ...env, TEST_FILES: JSON.stringify(all) }];
  const path = paths.join(", ");
  const signal = AbortSignal.timeout(isLong ? LONG_FILE_TIMEOUT_MS : FILE_TIMEOUT_MS);
  const stream = run({ files: [file], cwd: ROOT, signal, env: { ...process.env, ...environment } });
  const result = {
    path: Object.keys(env).length > 0 ? `${path} (${suite})` : path,
    passed: 0,
    failed: 0,
    skipped: 0,
    seconds: 0,
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
  const line = `${failed > 0 ? "✖" : "✔"} ${path}: ${counts.filter(Boolean).join(", ")} (${seconds.toFixed(1)} s)`;
  console.log(failed > 0 ? `\n${line}\n${text}` : line);
}

function printSlowest(results) {
  const slowest = results.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST_FILES);
  console.log(`The slowest files, of ${CONCURRENCY} at a time:`);
  for (const { path, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${path}`);
}

/** The CPU time of this process and those that it has started; null where there is no /proc. */
function readCpuSeconds() {
  if (!existsSync("/proc/self/stat")) return null;
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ");
  // utime, stime, cutime and cstime, in hundredths of a second
  return fields.slice(11, 15).reduce((total, ticks) => total + Number(ticks), 0) / 100;
}

/** Runs some files at a time, and prints the output of each when it has ended. */
async function runAll(files) {
  const waiting = [...files];
  const results = [];
  const runNext = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const result = await runFile(file);
      results.push(result);
      print(result);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runNext));
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

const inGroups = (files, size) =>
  Array.from({ length: Math.ceil(files.length / size) }, (_, at) => files.slice(at * size, (at + 1) * size));

/** The groups of files that run in a process each. */
function processesOf({ name: suite, files, isGrouped = false, env }) {
  const shares = (path) => isGrouped || SHARES_PROCESS.test(path);
  const grouped = inGroups(files.filter(shares), GROUP_SIZE);
  const alone = files.filter((path) => !shares(path));
  return [
    ...grouped.map((paths) => ({ paths, suite, env })),
    ...alone.map((path) => ({ paths: [path], suite, env })),
  ];
}

/** Whether these flags and words ask for the suite. */
function isWanted({ name, isLight = false }) {
  if (isLong) return true;
  if (flags.apps || name === APPS.name) return flags.apps && name === APPS.name;
  return isLight || !isLightRun;
}

/** How to run what was not asked for. */
const commandFor = ({ name }) => (name === APPS.name ? "npm run test:apps" : "npm run verify");

const suites = sortIntoSuites();
const wanted = suites.filter(isWanted);
const leftOut = suites.filter((suite) => !wanted.includes(suite));
const skippedSuites = wanted.filter(({ missing }) => missing !== null);
const running = wanted.filter((suite) => !skippedSuites.includes(suite));

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
const files = running.flatMap(processesOf);
const results = await runAll(files);
await cluster?.stop();
for (const end of endpoints) await end();
const [passed, failed, skipped] = ["passed", "failed", "skipped"].map((field) => sum(results, field));

console.log("");
if (results.length > SLOWEST_FILES) printSlowest(results);
for (const { path } of results.filter((one) => one.failed > 0)) console.log(`Failed: ${path}`);
for (const { path, reasons } of results) {
  for (const reason of reasons) console.log(`Skipped in ${path}: ${reason}`);
}
for (const { name, files, missing } of skippedSuites) {
  console.log(`Not run: ${name} (${plural(files.length, "file")}): ${missing}.`);
}
for (const suite of leftOut)
  console.log(`Left out: ${suite.name} (${plural(suite.files.length, "file")}). Run: ${commandFor(suite)}`);
if (isCi && skippedSuites.length > 0) console.log("In CI every suite must run.");
if (isCi && skipped > 0) console.log("In CI no test may be skipped.");
if (passed + failed === 0) console.log("No tests were run.");
const cpuSeconds = readCpuSeconds();
const took = `${Math.round(performance.now() / 1_000)} s${cpuSeconds === null ? "" : `, ${Math.round(cpuSeconds)} s of CPU time`}`;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""} (${took})`);

const isComplete = !isCi || (skippedSuites.length === 0 && skipped === 0);
process.exitCode = failed === 0 && passed > 0 && isComplete ? 0 : 1;
