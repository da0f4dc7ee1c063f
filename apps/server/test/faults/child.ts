/** Starts a server process, reads its output, and ends it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { PATIENCE_MS, until } from "../support/until.ts";
import { ORGANIZATION_ID, ORIGIN, OWNER_TOKEN, type TestSource } from "../support/world.ts";

const HEADWATER = fileURLToPath(new URL("../../bin/headwater.js", import.meta.url));
const UNSYNCED = fileURLToPath(new URL("./serve-unsynced.ts", import.meta.url));
/** Limits that the load of these tests does not reach. */
const ROOMY = {
  CLIENT_RATE_PER_SECOND: "1000000",
  CLIENT_RATE_BURST: "1000000",
  SOURCE_RATE_PER_SECOND: "1000000",
  SOURCE_RATE_BURST: "1000000",
  WORKSPACE_RATE_PER_SECOND: "1000000",
  WORKSPACE_RATE_BURST: "1000000",
  DISK_LOW_WATER_BYTES: "0",
};

export interface Child {
  url: string;
  pid: number;
  /** Milliseconds from the start of the process until /readyz answered 200. */
  readyMs: number;
  /** The current resident memory in MiB. */
  rss(): Promise<number>;
  /** Sends the signal if the process still runs, and waits until it has ended. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<{ code: number | null; ms: number }>;
  /** Waits until the process ends by itself. */
  ended(): Promise<{ code: number | null; ms: number }>;
  /** The text on stderr so far, which is for people. */
  said(): string;
  /** The log on stdout so far. */
  logged(): string;
}

interface ChildOptions {
  environment?: Record<string, string>;
  /** The program and its words. Default: `headwater serve`. */
  command?: readonly string[];
  /** Does not wait for the disk; for the control run of the power-loss test. */
  unsynced?: boolean;
}

/** A timeout for requests, so that a test without a response fails at that request. */
const inTime = () => ({ signal: AbortSignal.timeout(PATIENCE_MS) });

/** @throws Error with the text on stderr when the process does not serve */
export async function startChild(dataDir: string, options: ChildOptions = {}): Promise<Child> {
  const startedAt = performance.now();
  const settings = {
    PORT: "0",
    WAREHOUSE: "off",
    LOG_LEVEL: "silent",
    OWNER_TOKEN,
    DATA_DIR: dataDir,
    ...options.environment,
  };
  const { command = [process.execPath, HEADWATER, "serve"], unsynced = false } = options;
  const [program = "", ...words] = unsynced ? [process.execPath, UNSYNCED] : [...command, "--json"];
  const child = spawn(program, words, {
    env: { PATH: process.env.PATH, ...ROOMY, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "close");
  const lives = () => child.exitCode === null && child.signalCode === null;
  // ends the process even when the test fails
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  let said = "";
  let logged = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    logged += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const serving = async () => {
    const url = await until("the process prints its URL", () => {
      if (!lives()) throw new Error(said.trim());
      return /"url":"([^"]+)"/.exec(said)?.[1];
    });
    await until("/readyz answers 200", () => {
      if (!lives()) throw new Error(said.trim());
      return fetch(`${url}/readyz`, inTime()).then(
        ({ ok }) => ok,
        () => false,
      );
    });
    return url;
  };
  // a process that still runs would keep the test's process from ending
  const url = await serving().catch((error: unknown) => {
    kill();
    throw error;
  });
  return {
    url,
    pid: child.pid!,
    readyMs: Math.round(performance.now() - startedAt),
    async rss() {
      const metrics = await (await fetch(`${url}/metrics`, inTime())).text();
      const bytes = /^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1];
      return Math.round(Number(bytes) / 1_048_576);
    },
    async end(signal) {
      const sentAt = performance.now();
      if (lives()) child.kill(signal);
      // kills a process that does not end, so that the test fails by its missing exit code and does not hang
      const killTimer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
      await exited;
      clearTimeout(killTimer);
      process.off("exit", kill);
      return { code: child.exitCode, ms: Math.round(performance.now() - sentAt) };
    },
    async ended() {
      const askedAt = performance.now();
      await until("the process ends by itself", () => !lives());
      await exited;
      return { code: child.exitCode, ms: Math.round(performance.now() - askedAt) };
    },
    said: () => said,
    logged: () => logged,
  };
}

/** Sends a request to the workspace API with the owner's token; POST when there is a body. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
export async function ask(url: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
  const headers = { authorization: `Bearer ${OWNER_TOKEN}`, "content-type": "application/json" };
  const post = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(url + path, { ...inTime(), ...(body === undefined ? { headers } : post) });
  return { status: response.status, body: await response.json() };
}

/** The source keeps all query parameters, because the load's events are compared with those that were stored. */
export async function createSource(url: string): Promise<TestSource> {
  const made = await ask(url, "/api/tracking-sources", {
    organizationId: ORGANIZATION_ID,
    name: "Shop",
    allowedOrigins: [ORIGIN],
    queryParameters: "all",
  });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return made.body as TestSource;
}

/** The accepted events of the last days, as /api/usage counts them. */
export async function acceptedInUsage(url: string): Promise<number> {
  const { body } = await ask(url, `/api/usage?organizationId=${ORGANIZATION_ID}`);
  return body.accepted as number;
}
