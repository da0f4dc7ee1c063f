/** Runs commands: bin/headwater.js in its own process, or what it runs in this one. */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { execute } from "../../src/cli/run.ts";

export const BIN = fileURLToPath(new URL("../../bin/headwater.js", import.meta.url));

/** Enough for commands that move many events on a busy machine. */
const COMMAND_MS = 120_000;

interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
  /** The parsed output of --json. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  json(): any;
}

export type Settings = Record<string, string>;

const environmentOf = (settings: Settings) => ({
  PATH: process.env.PATH ?? "",
  DISK_LOW_WATER_BYTES: "0",
  WAREHOUSE: "off",
  ...settings,
});

let lastHere: Promise<unknown> = Promise.resolve();
/**
 * Runs a command in this process, which takes a tenth of the CPU time; one after the other, because each has its own environment.
 * `serve` gets a process, because a start that fails leaves threads behind.
 */
export function headwaterHere(settings: Settings, ...words: string[]): Promise<CommandResult> {
  if (words[0] === "serve") return headwater(settings, ...words);
  const result = lastHere.then(async () => {
    const outside = process.env;
    // threads find the compile cache in the environment
    const cache = outside.NODE_COMPILE_CACHE;
    process.env = { ...environmentOf(settings), ...(cache && { NODE_COMPILE_CACHE: cache }) };
    try {
      const outcome = await execute(words);
      assert.ok(outcome, `headwater ${words.join(" ")} prints its own output`);
      const { exitCode, stdout, stderr } = outcome;
      return { code: exitCode, stdout, stderr, json: () => JSON.parse(stdout) };
    } finally {
      process.env = outside;
    }
  });
  lastHere = result.catch(() => undefined);
  return result;
}

/** Runs a command in its own process and waits until it ends. */
export function headwater(settings: Settings, ...words: string[]): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = { env: environmentOf(settings), timeout: COMMAND_MS };
    execFile(process.execPath, [BIN, ...words], options, (error, stdout, stderr) => {
      const code = typeof error?.code === "number" ? error.code : error ? -1 : 0;
      resolve({ code, stdout, stderr, json: () => JSON.parse(stdout) });
    });
  });
}

export interface ServingProcess {
  url: string;
  signInUrl: string;
  firstStart: { token: string | null; signInUrl: string } | null;
  process: ChildProcess;
  /** The standard output so far. */
  stdout(): string;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
}

/** Starts `headwater serve --json` on a free port and waits until it prints its address. */
export async function serve(settings: Settings): Promise<ServingProcess> {
  const child = spawn(process.execPath, [BIN, "serve", "--json"], {
    env: environmentOf({ HOST: "127.0.0.1", PORT: "0", ...settings }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  const [line] = (await once(createInterface(child.stderr), "line")) as [string];
  const { ok, url, signInUrl, firstStart, message } = JSON.parse(line);
  if (!ok) throw new Error(message);
  const stop = async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    const [code] = (await ended) as [number | null];
    return code;
  };
  return { url, signInUrl, firstStart, process: child, stdout: () => stdout, stop };
}

/** A temporary folder that is deleted with its test. */
export function folder(): Disposable & { path: string; at(name: string): string } {
  const path = mkdtempSync(join(tmpdir(), "headwater-cli-"));
  return {
    path,
    at: (name) => join(path, name),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
