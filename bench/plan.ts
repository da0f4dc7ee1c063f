/** What the open-loop generator is told to do, and what it tells. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./children.ts";
import type { Spread } from "./histogram.ts";
import { generatorCore } from "./machine.ts";
import { workFolder } from "./server.ts";

export interface StreamPlan {
  name: string;
  /** Requests a second, evenly spaced, whatever the answers. */
  rate: number;
  templates: string;
}

export interface Plan {
  port: number;
  /** Not counted. */
  warmupSeconds: number;
  seconds: number;
  /** Opened before the start, and how many more there may be: a request takes one from sending to answer. */
  connections: number;
  maxConnections: number;
  streams: StreamPlan[];
}

export interface Offered {
  name: string;
  /** Requests a second that were written to a connection. */
  offered: number;
  /** Answers 200 and events accepted, a second. */
  goodput: number;
  events: number;
  /** From the scheduled moment to the whole answer, in ms, of all and by status and code. */
  all: Spread;
  byOutcome: Record<string, Spread>;
  /** How late the generator came to what it had scheduled: its own part of the latencies. */
  lag: Spread;
  /** No connection was free; the connection broke; no answer within the patience after the end. */
  unsent: number;
  broken: number;
  unanswered: number;
  /** The most that were open at once. */
  connections: number;
}

const GENERATOR = fileURLToPath(new URL("open-loop.ts", import.meta.url));
let plans = 0;

/** Runs the generator in a process of its own, on its core. */
export async function offer(url: string, plan: Omit<Plan, "port">): Promise<Offered[]> {
  plans += 1;
  const file = join(workFolder, `plan-${plans}.json`);
  writeFileSync(file, JSON.stringify({ ...plan, port: Number(new URL(url).port) } satisfies Plan));
  const said = await run({
    command: process.execPath,
    args: ["--max-semi-space-size=64", GENERATOR, file],
    core: generatorCore,
    environment: {},
  });
  return JSON.parse(said) as Offered[];
}

export const ok = (offered: Offered): Spread =>
  offered.byOutcome["200"] ?? { count: 0, p50: 0, p90: 0, p99: 0, max: 0 };
