/** Processes of the bench: started, waited for, and all of them ended, by their own ids, however the bench ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { openSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { pinned } from "./machine.ts";

const STOP_MS = 15_000;
const running = new Set<ChildProcess>();

process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

export interface Start {
  command: string;
  args: readonly string[];
  /** null: not pinned. */
  core: number | null;
  environment: Record<string, string>;
  /** Where both outputs go; without one they are kept. */
  logFile?: string;
}

/** taskset and node replace themselves, so the child's id is the program's own. */
export function start({ command, args, core, environment, logFile }: Start): ChildProcess {
  const log = logFile === undefined ? "pipe" : openSync(logFile, "a");
  const [program, argv] = pinned(core, command, args);
  const child = spawn(program, argv, {
    stdio: ["ignore", log, log],
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...environment },
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  child.once("error", () => running.delete(child));
  return child;
}

/** Runs a command to its end. @throws when it fails, with what it said */
export function run(options: Start): Promise<string> {
  const child = start(options);
  let said = "";
  let complained = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    complained += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(said);
      else reject(new Error(`${options.command} ended with ${code}: ${complained || said}`));
    });
  });
}

/** Asks to stop, and waits; what does not stop in time is killed. @returns the exit code */
export async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  child.kill("SIGTERM");
  const patience = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  const code = await ended;
  clearTimeout(patience);
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

/** @returns milliseconds until the address answered 200 */
export async function answered(url: string, child: ChildProcess, patienceMs: number): Promise<number> {
  const started = performance.now();
  while (performance.now() - started < patienceMs) {
    if (child.exitCode !== null)
      throw new Error(`the process ended with ${child.exitCode} before ${url} answered`);
    const status = await fetch(url).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return performance.now() - started;
    await wait(10);
  }
  throw new Error(`${url} did not answer 200 within ${patienceMs} ms`);
}
