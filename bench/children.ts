/** Starts the processes of the bench and waits for them. All of them are ended, by process id, when the bench ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { openSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { pinnedCommand } from "./machine.ts";

const STOP_MS = 15_000;
const running = new Set<ChildProcess>();

process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

interface ProcessOptions {
  command: string;
  args: readonly string[];
  /** The CPU core to pin the process to; null: not pinned. */
  core: number | null;
  environment: Record<string, string>;
  /** The file for stdout and stderr. Without it they are pipes. */
  logFile?: string;
}

/** taskset replaces itself with the program, so the child's process id is the program's. */
export function start({ command, args, core, environment, logFile }: ProcessOptions): ChildProcess {
  const log = logFile === undefined ? "pipe" : openSync(logFile, "a");
  const [program, argv] = pinnedCommand(core, command, args);
  const child = spawn(program, argv, {
    stdio: ["ignore", log, log],
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...environment },
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  child.once("error", () => running.delete(child));
  return child;
}

/** Runs a command until it ends. @returns its stdout @throws Error with its output when it fails */
export function run(options: ProcessOptions): Promise<string> {
  const child = start(options);
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`${options.command} ended with ${code}: ${stderr || stdout}`));
    });
  });
}

/** Sends SIGTERM and waits; kills the process after STOP_MS. @returns the exit code */
export async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  child.kill("SIGTERM");
  const killTimer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  const code = await ended;
  clearTimeout(killTimer);
  return code;
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Requests the URL until it answers 200. @returns the milliseconds until then @throws Error after `timeoutMs` */
export async function waitUntilReady(url: string, child: ChildProcess, timeoutMs: number): Promise<number> {
  const started = performance.now();
  while (performance.now() - started < timeoutMs) {
    if (child.exitCode !== null)
      throw new Error(`the process ended with ${child.exitCode} before ${url} answered`);
    const status = await fetch(url).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return performance.now() - started;
    await wait(10);
  }
  throw new Error(`${url} did not answer 200 within ${timeoutMs} ms`);
}
