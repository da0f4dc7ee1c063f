/**
 * `node bench/profile.ts [--events 10] [--seconds 8] [--rate N]`: profiles Headwater with
 * `--cpu-prof` under the closed loop, or with --rate under the open loop (a rate far above the peak shows what refusals
 * cost). Prints the functions with the most self time of each thread. A profiled process is slower, so its rates are below
 * those in RESULTS.md.
 */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { commitOf, describeMachine } from "./machine.ts";
import { offer } from "./plan.ts";
import { templateFile } from "./rows/compare.ts";
import { figure, percent } from "./section.ts";
import { RAISED_LIMITS, startHeadwater, workFolder } from "./server.ts";
import { CONNECTIONS, closedLoop } from "./wrk.ts";

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number };
}
interface CpuProfile {
  /** Microseconds of the monotonic clock, like process.hrtime. */
  startTime: number;
  nodes: ProfileNode[];
  samples: number[];
  timeDeltas: number[];
}
interface SelfTime {
  where: string;
  milliseconds: number;
}

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url));
const SHOWN = 30;
const INTERVAL_US = 500;
const THREADS = { "ledger-thread.ts": "ledger thread", "attempts-thread.ts": "attempts thread" };

function nameOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const place = url
    .replace(/^file:\/\//, "")
    .replace(REPOSITORY, "")
    .replace(/^.*node_modules\//, "");
  return `${functionName || "(anonymous)"}${place === "" ? "" : ` ${place}:${lineNumber + 1}`}`;
}

const now = () => Number(process.hrtime.bigint() / 1_000n);

/** Self time by function between two times, in microseconds. A function is one line, whoever called it. */
function selfTimes(
  { startTime, nodes, samples, timeDeltas }: CpuProfile,
  from: number,
  until: number,
): SelfTime[] {
  const names = new Map(nodes.map((node) => [node.id, nameOf(node)]));
  const times = new Map<string, number>();
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index]!;
    if (at < from || at > until) continue;
    const name = names.get(id) ?? "?";
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index + 1] ?? 0) / 1_000);
  }
  return [...times]
    .map(([where, milliseconds]) => ({ where, milliseconds }))
    .sort((a, b) => b.milliseconds - a.milliseconds);
}

function threadOf({ nodes }: CpuProfile): string {
  const found = Object.entries(THREADS).find(([file]) =>
    nodes.some(({ callFrame }) => callFrame.url.endsWith(file)),
  );
  return found ? found[1] : "main thread";
}

/** Shares are of the time in which the thread was busy. */
function tableOf(thread: string, profile: CpuProfile, from: number, until: number): string {
  const lines = selfTimes(profile, from, until);
  const idle = lines.find(({ where }) => where === "(idle)")?.milliseconds ?? 0;
  const busy = lines.reduce((sum, { milliseconds }) => sum + milliseconds, 0) - idle;
  const shown = lines.filter(({ where }) => where !== "(idle)").slice(0, SHOWN);
  const rows = shown.map(
    ({ where, milliseconds }) =>
      `| ${percent(milliseconds / busy)} | ${Math.round(milliseconds)} | ${where.replaceAll("|", "\\|")} |`,
  );
  const head = `## ${thread}: busy ${percent(busy / (busy + idle))} of ${figure((busy + idle) / 1_000)} s`;
  return [head, "", "| of busy | self ms | function |", "| --- | --- | --- |", ...rows].join("\n");
}

function readSize(text: string): 1 | 10 | 50 {
  const size = ([1, 10, 50] as const).find((one) => String(one) === text);
  if (!size) throw new Error("--events must be 1, 10 or 50");
  return size;
}

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "10" },
    seconds: { type: "string", default: "8" },
    rate: { type: "string" },
  },
});
const size = readSize(values.events);
const profiles = join(workFolder, "profiles");
mkdirSync(profiles);
const nodeFlags = ["--cpu-prof", `--cpu-prof-dir=${profiles}`, `--cpu-prof-interval=${INTERVAL_US}`];
const machine = describeMachine(workFolder);
const server = await startHeadwater({ settings: RAISED_LIMITS, nodeFlags });
const templates = templateFile(size, server);

async function load(seconds: number, rate: number | null): Promise<string> {
  if (rate === null) {
    const { requestsPerSecond } = await closedLoop(server.url, templates, seconds);
    return `${figure(requestsPerSecond)} requests/s in a closed loop of ${CONNECTIONS} connections`;
  }
  const plan = { warmupSeconds: 0, seconds, connections: 1_000, maxConnections: 8_000 };
  const [found] = await offer(server.url, { ...plan, streams: [{ name: "all", rate, templates }] });
  const outcomes = Object.entries(found!.byOutcome).map(([outcome, { count }]) => `${count} × ${outcome}`);
  return `${figure(found!.offered)} requests/s offered (${outcomes.join(", ")})`;
}

await closedLoop(server.url, templates, 2);
const from = now();
const loadDescription = await load(
  Number(values.seconds),
  values.rate === undefined ? null : Number(values.rate),
);
const until = now();
await server.stop();

const tables = readdirSync(profiles)
  .filter((name) => name.endsWith(".cpuprofile"))
  .map((name) => JSON.parse(readFileSync(join(profiles, name), "utf8")) as CpuProfile)
  .map((profile) => ({ thread: threadOf(profile), profile }))
  .sort((a, b) =>
    a.thread === "main thread" ? -1 : b.thread === "main thread" ? 1 : a.thread.localeCompare(b.thread) * -1,
  )
  .map(({ thread, profile }) => tableOf(thread, profile, from, until));
const text = [
  `# CPU profile: ${size} events per batch`,
  `Commit ${commitOf(REPOSITORY)}, ${new Date().toISOString()}, ${machine.processor}, Node ${process.version}. ${loadDescription} while profiled (sampled every ${INTERVAL_US} µs; start, warm-up and stop excluded). Self time by function.`,
  ...tables,
].join("\n\n");
console.log(text);
