/** Starts, watches and ends a serving process. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ORGANIZATION_ID, ORIGIN, OWNER_TOKEN } from "../world.ts";

const SERVE = fileURLToPath(new URL("./serve.ts", import.meta.url));
/** Limits that the load of these tests does not meet. */
const ROOMY = {
  CLIENT_RATE_PER_SECOND: "1000000",
  CLIENT_RATE_BURST: "1000000",
  SOURCE_RATE_PER_SECOND: "1000000",
  SOURCE_RATE_BURST: "1000000",
  WORKSPACE_RATE_PER_SECOND: "1000000",
  WORKSPACE_RATE_BURST: "1000000",
  DISK_LOW_WATER_BYTES: "0",
};

/** Waits for something to become true, asking again and again until the deadline. */
export async function until<T>(
  what: string,
  deadlineMs: number,
  ask: () => Promise<T | false | null | undefined> | T | false | null | undefined,
): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export interface Child {
  url: string;
  pid: number;
  /** From the start of the process until /readyz said yes. */
  readyMs: number;
  /** Megabytes of memory just now. */
  rss(): Promise<number>;
  /** Sends the signal and waits for the end. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<{ code: number | null; ms: number }>;
}

const lives = (child: ChildProcess) => child.exitCode === null && child.signalCode === null;

/** @throws Error with what the process said, when it does not serve */
export async function startChild(dataDir: string, environment: Record<string, string> = {}): Promise<Child> {
  const startedAt = performance.now();
  const settings = {
    ...ROOMY,
    PORT: "0",
    LOG_LEVEL: "silent",
    OWNER_TOKEN,
    DATA_DIR: dataDir,
    ...environment,
  };
  const child = spawn(process.execPath, [SERVE], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "close");
  // whatever becomes of the test, nothing is left running
  process.once("exit", () => child.kill("SIGKILL"));
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const tell = async <T>(): Promise<T> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(said.trim());
    return JSON.parse(value) as T;
  };
  const { url } = await tell<{ url: string }>();
  await until("/readyz answers 200", 15_000, async () => (await fetch(`${url}/readyz`)).ok);
  return {
    url,
    pid: child.pid!,
    readyMs: Math.round(performance.now() - startedAt),
    async rss() {
      child.kill("SIGUSR2");
      return (await tell<{ rss: number }>()).rss;
    },
    async end(signal) {
      const sentAt = performance.now();
      if (lives(child)) child.kill(signal);
      await exited;
      return { code: child.exitCode, ms: Math.round(performance.now() - sentAt) };
    },
  };
}

export interface Source {
  sourceId: string;
  publicKey: string;
}

/** Asks the workspace API as the owner. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
export async function ask(url: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
  const headers = { authorization: `Bearer ${OWNER_TOKEN}`, "content-type": "application/json" };
  const post = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(url + path, body === undefined ? { headers } : post);
  return { status: response.status, body: await response.json() };
}

export async function createSource(url: string): Promise<Source> {
  const made = await ask(url, "/api/tracking-sources", {
    organizationId: ORGANIZATION_ID,
    name: "Shop",
    allowedOrigins: [ORIGIN],
  });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return made.body as Source;
}

/** Accepted events of the last days, as the usage page counts them. */
export async function acceptedInUsage(url: string): Promise<number> {
  const { body } = await ask(url, `/api/usage?organizationId=${ORGANIZATION_ID}`);
  return body.accepted as number;
}
