/** The closed loop: wrk with load.lua, 64 connections, one thread on the generator's core. */
import { fileURLToPath } from "node:url";
import { idPrefix } from "./bodies.ts";
import { run } from "./children.ts";
import { generatorCore } from "./machine.ts";

export const CONNECTIONS = 64;
const SCRIPT = fileURLToPath(new URL("load.lua", import.meta.url));

export interface ClosedLoopResult {
  requestsPerSecond: number;
  requests: number;
  /** Responses with a status over 399. */
  refused: number;
  /** Connections that broke or timed out. */
  broken: number;
  /** Latencies in milliseconds. */
  p50: number;
  p90: number;
  p99: number;
  max: number;
}

export async function closedLoop(
  url: string,
  templates: string,
  seconds: number,
  connections = CONNECTIONS,
): Promise<ClosedLoopResult> {
  const output = await run({
    command: "wrk",
    args: ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "10s", "-s", SCRIPT, url],
    core: generatorCore,
    environment: { BENCH_TEMPLATES: templates, BENCH_ID_PREFIX: idPrefix() },
  });
  const line = output.split("\n").find((text) => text.startsWith("RESULT "));
  if (!line) throw new Error(`wrk printed no result: ${output}`);
  const { microseconds, ...figures } = JSON.parse(line.slice(7)) as Omit<
    ClosedLoopResult,
    "requestsPerSecond"
  > & {
    microseconds: number;
  };
  return { ...figures, requestsPerSecond: (figures.requests * 1_000_000) / microseconds };
}
