/** Starts Headwater in its own process with a new ledger, and creates sources and sessions through its API. */
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type OpenVisit, ORIGIN } from "./bodies.ts";
import { freePort, start, stop, waitUntilReady } from "./children.ts";
import { cpuSecondsOf } from "./machine.ts";

export const OWNER_TOKEN = "the-owner-token-of-the-bench-0123456789";
const ORGANIZATION_ID = "org_default";
const SERVE = fileURLToPath(new URL("serve.ts", import.meta.url));
/** The program that `npm start` runs. */
export const COMMAND = fileURLToPath(new URL("../apps/server/bin/headwater.js", import.meta.url));
const START_MS = 30_000;
const RETRY_MS = 100;

/**
 * Settings of every measured server. TRUST_PROXY makes the server take client addresses from X-Forwarded-For, so that
 * rate limits and countries see 500 addresses. The warehouse is off because shipping would use the same two cores.
 */
export const BASE_SETTINGS = {
  WAREHOUSE: "off",
  TRUST_PROXY: "1",
  WORKSPACE_RATE_PER_SECOND: "100000",
  WORKSPACE_RATE_BURST: "100000",
  FAILED_AUTH_PER_MINUTE: "100000",
} as const;
/** With these limits the rate limiter still counts, but the closed loop never reaches them. */
export const RAISED_LIMITS = {
  ...BASE_SETTINGS,
  CLIENT_RATE_PER_SECOND: "1000000",
  CLIENT_RATE_BURST: "1000000",
  SOURCE_RATE_PER_SECOND: "1000000",
  SOURCE_RATE_BURST: "1000000",
} as const;

interface HeadwaterOptions {
  settings: Record<string, string>;
  core?: number | null;
  sources?: number;
  /** The number of open sessions, spread evenly over the sources. */
  visits?: number;
  nodeFlags?: readonly string[];
  /** Kept when given. Default: a new folder, removed when the server stops. */
  dataDir?: string;
  /** Whether to start `headwater serve` instead of the server alone. */
  command?: boolean;
}

export interface Headwater {
  url: string;
  pid: number;
  visits: OpenVisit[];
  /** The settings that differ from the defaults. */
  settings: Record<string, string>;
  startMs: number;
  /** Accepted events and bootstraps, as /api/usage counts them. */
  acknowledged(): Promise<{ accepted: number; bootstraps: number }>;
  /** Sends a GET request to the workspace API with the owner's token. */
  ask(path: string): Promise<Response>;
  /** The value of a metric in /metrics, summed over its labels; 0 when it is missing. */
  metric(name: string): Promise<number>;
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/** The folder of ledgers and templates; removed when the bench ends. */
export const workFolder = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), "headwater-bench-"));
process.once("exit", () => rmSync(workFolder, { recursive: true, force: true }));
const logFile = join(workFolder, "server.log");
let folders = 0;
export function newFolder(): string {
  folders += 1;
  const folder = join(workFolder, `ledger-${folders}`);
  mkdirSync(folder);
  return folder;
}

async function json<T>(response: Response): Promise<T> {
  const body = await response.text();
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${body}`);
  return JSON.parse(body) as T;
}

const authorization = { authorization: `Bearer ${OWNER_TOKEN}` };

async function waitForOwnerToken(url: string): Promise<void> {
  const end = performance.now() + START_MS;
  while ((await fetch(`${url}/api/organizations`, { headers: authorization })).status === 401) {
    if (performance.now() > end) throw new Error("the server does not accept the owner's token");
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function createSource(url: string, index: number): Promise<string> {
  const body = JSON.stringify({
    organizationId: ORGANIZATION_ID,
    name: `Bench ${index}`,
    allowedOrigins: [ORIGIN],
  });
  const headers = { ...authorization, "content-type": "application/json" };
  const response = await fetch(`${url}/api/tracking-sources`, { method: "POST", headers, body });
  return (await json<{ publicKey: string }>(response)).publicKey;
}

async function openVisit(url: string, publicKey: string, index: number): Promise<OpenVisit> {
  const anonymousId = `visitor-${String(index).padStart(28, "0")}`;
  const body = JSON.stringify({
    ingestVersion: 2,
    sdkVersion: "bench",
    anonymousId,
    page: { url: `${ORIGIN}/` },
  });
  const headers = {
    origin: ORIGIN,
    "x-forwarded-for": `93.20.${index % 200}.${1 + Math.trunc(index / 200)}`,
  };
  const response = await fetch(`${url}/api/ingest/v2/${publicKey}/bootstrap`, {
    method: "POST",
    headers,
    body,
  });
  return { publicKey, anonymousId, sessionId: (await json<{ sessionId: string }>(response)).sessionId };
}

async function prepare(url: string, sources: number, visits: number): Promise<OpenVisit[]> {
  const keys: string[] = [];
  for (let index = 0; index < sources; index++) keys.push(await createSource(url, index));
  const opened: OpenVisit[] = [];
  for (let index = 0; index < visits; index++)
    opened.push(await openVisit(url, keys[index % sources]!, index));
  return opened;
}

function metricIn(text: string, name: string): number {
  const lines = text
    .split("\n")
    .filter((line) => line.startsWith(name) && /^[ {]/.test(line.slice(name.length)));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

function processOf(options: HeadwaterOptions, dataDir: string, port: number): ChildProcess {
  const { settings, core = null, nodeFlags = [], command = false } = options;
  const entry = command && existsSync(COMMAND) ? [COMMAND, "serve"] : [SERVE];
  return start({
    command: process.execPath,
    args: [...nodeFlags, ...entry],
    core,
    environment: { ...settings, OWNER_TOKEN, DATA_DIR: dataDir, PORT: String(port) },
    logFile,
  });
}

export async function startHeadwater(options: HeadwaterOptions): Promise<Headwater> {
  const dataDir = options.dataDir ?? newFolder();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = processOf(options, dataDir, port);
  const startMs = await waitUntilReady(`${url}/readyz`, child, START_MS).catch((error: Error) => {
    throw new Error(`${error.message}\n${readFileSync(logFile, "utf8").slice(-2_000)}`);
  });
  // on the first start the server listens shortly before it has stored the owner's token
  await waitForOwnerToken(url);
  const visits = await prepare(url, options.sources ?? 1, options.visits ?? 240);
  return {
    url,
    pid: child.pid!,
    visits,
    settings: options.settings,
    startMs,
    acknowledged: async () =>
      json(await fetch(`${url}/api/usage?organizationId=${ORGANIZATION_ID}`, { headers: authorization })),
    ask: (path) => fetch(url + path, { headers: authorization }),
    metric: async (name) => metricIn(await (await fetch(`${url}/metrics`)).text(), name),
    cpuSeconds: () => cpuSecondsOf(child.pid!),
    stop: async () => {
      const code = await stop(child);
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
      if (code !== 0) throw new Error(`the server ended with ${code}`);
    },
  };
}
