/** The input and the results of the open-loop generator, and the function that runs it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./children.ts";
import type { Percentiles } from "./histogram.ts";
import { generatorCore } from "./machine.ts";
import { workFolder } from "./server.ts";

export interface StreamPlan {
  name: string;
  /** Requests per second, evenly spaced, independent of the responses. */
  rate: number;
  templates: string;
}

export interface LoadPlan {
  port: number;
  /** Load before the measured window. */
  warmupSeconds: number;
  seconds: number;
  /** Connections opened before the start. A request uses one until its response is complete. */
  connections: number;
  /** The maximum number of open connections. */
  maxConnections: number;
  streams: StreamPlan[];
}

export interface OpenLoopResult {
  name: string;
  /** Requests per second that were written to a connection. */
  offered: number;
  /** Responses with status 200 per second. */
  goodput: number;
  /** Accepted events per second. */
  events: number;
  /** Milliseconds from the scheduled time to the complete response. */
  all: Percentiles;
  /** The same by status and error code. */
  byOutcome: Record<string, Percentiles>;
  /** How late the generator itself was, in milliseconds; part of the latencies. */
  lag: Percentiles;
  /** Requests without a free connection. */
  unsent: number;
  /** Requests whose connection broke. */
  broken: number;
  /** Requests without a response 5 s after the end. */
  unanswered: number;
  /** The highest number of connections open at once. */
  connections: number;
}

const GENERATOR = fileURLToPath(new URL("open-loop.ts", import.meta.url));
let plans = 0;

/** Runs the generator in a separate process, pinned to its core. */
export async function offer(url: string, plan: Omit<LoadPlan, "port">): Promise<OpenLoopResult[]> {
  plans += 1;
  const file = join(workFolder, `plan-${plans}.json`);
  writeFileSync(file, JSON.stringify({ ...plan, port: Number(new URL(url).port) } satisfies LoadPlan));
  const output = await run({
    command: process.execPath,
    args: ["--max-semi-space-size=64", GENERATOR, file],
    core: generatorCore,
    environment: {},
  });
  return JSON.parse(output) as OpenLoopResult[];
}

export const ok = (offered: OpenLoopResult): Percentiles =>
  offered.byOutcome["200"] ?? { count: 0, p50: 0, p90: 0, p99: 0, max: 0 };
