/** New apps of frameworks, installed from the registry, with the documented code pasted into them. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** An app that another one covers for the most part is built with `npm run test:long` only: each takes up to a minute. */
export const isLong = Boolean(process.env.TEST_LONG);

const fixtures = fileURLToPath(new URL("fixtures", import.meta.url));
const sdk = fileURLToPath(new URL("..", import.meta.url));
const installTimeoutMs = 150_000;
const commandTimeoutMs = 120_000;

const runFile = promisify(execFile);
const isOfNpm = ([name]: [string, unknown]) => /^npm_(?!config_(?:registry|cache))|^NODE_TEST/i.test(name);
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter((entry) => !isOfNpm(entry))),
  NEXT_TELEMETRY_DISABLED: "1",
  NG_CLI_ANALYTICS: "false",
  NO_COLOR: "1",
};

/** Folders and processes to remove when the test is killed. */
const leavings = new Set<() => void>();
process.once("exit", () => {
  for (const clear of leavings) clear();
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

/** Runs a program. @returns its output @throws Error with the output when it fails */
async function run(
  folder: string,
  command: string,
  words: readonly string[],
  more = {},
  timeoutMs = commandTimeoutMs,
) {
  const options = { cwd: folder, env: { ...environment, ...more }, timeout: timeoutMs, maxBuffer: 2 ** 24 };
  return runFile(command, words, options).then(
    ({ stdout }) => stdout,
    (error: { stdout: string; stderr: string; killed: boolean }) => {
      const end = error.killed ? `was ended after ${timeoutMs / 1000} s` : "failed";
      throw new Error(`${command} ${words.join(" ")} ${end}:\n${error.stdout}\n${error.stderr}`);
    },
  );
}

interface Serving extends AsyncDisposable {
  readonly url: string;
}

export interface App {
  readonly folder: string;
  /** Runs a program from the app's dependencies. */
  run(program: string, ...words: string[]): Promise<string>;
  /** Starts a server from the app's dependencies and waits until it prints its URL. */
  serve(program: string, ...words: string[]): Promise<Serving>;
}

export interface Workshop extends AsyncDisposable {
  /** Creates an app from the fixture and an overlay, with `settings` as environment variables. */
  create(overlay: string, settings?: Record<string, string>): Promise<App>;
}

/** In its own folder, because tests run at the same time. */
async function packSdk(folder: string): Promise<string> {
  const staged = join(folder, "sdk");
  await cp(join(sdk, "package.json"), join(staged, "package.json"));
  await run(sdk, process.execPath, ["build-package.js", join(staged, "dist", "npm")]);
  const packed = await run(staged, "npm", [
    "pack",
    "--silent",
    "--ignore-scripts",
    "--pack-destination",
    folder,
  ]);
  return `./${packed.trim()}`;
}

/** Installs the fixture's dependencies and the packed client into a temporary folder, once for all apps of the fixture. */
export async function openWorkshop(
  fixture: "vite" | "next" | "react-router" | "remix" | "angular" | "tested",
): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), `headwater-${fixture}-`));
  const removal = { recursive: true, force: true, maxRetries: 5 };
  const clear = () => rmSync(folder, removal);
  leavings.add(clear);
  const close = async () => {
    leavings.delete(clear);
    await rm(folder, removal);
  };
  try {
    await cp(join(fixtures, fixture, "package.json"), join(folder, "package.json"));
    const words = [
      "install",
      await packSdk(folder),
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      "--prefer-offline",
    ];
    await run(folder, "npm", words, {}, installTimeoutMs);
  } catch (error) {
    await close();
    throw error;
  }
  let created = 0;
  return {
    async create(overlay, settings = {}) {
      const app = join(folder, `${overlay}-${++created}`);
      for (const layer of ["fresh", overlay])
        await cp(join(fixtures, fixture, layer), app, { recursive: true });
      await cp(join(folder, "package.json"), join(app, "package.json"));
      const path = (program: string) => join(folder, "node_modules", ".bin", program);
      return {
        folder: app,
        run: (program, ...words) => run(app, path(program), words, settings),
        serve: (program, ...words) => serve(app, path(program), words, settings),
      };
    },
    [Symbol.asyncDispose]: close,
  };
}

/** In its own process group, because these servers start child processes. */
async function serve(
  folder: string,
  command: string,
  words: readonly string[],
  more: object,
): Promise<Serving> {
  const child = spawn(command, words, {
    cwd: folder,
    env: { ...environment, ...more },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const end = () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGKILL");
  };
  leavings.add(end);
  const stop = async () => {
    leavings.delete(end);
    end();
    await ended;
  };
  try {
    return { url: await printedUrl(child), [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function printedUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = "";
    const fail = (end: string) => reject(new Error(`${child.spawnargs.join(" ")} ${end}:\n${printed}`));
    const timer = setTimeout(() => fail("printed no address"), commandTimeoutMs);
    const read = (chunk: Buffer) => {
      printed += chunk;
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
      if (!url) return;
      clearTimeout(timer);
      resolve(url);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("error", reject);
    child.once("close", () => fail("ended"));
  });
}

/** Replaces a file's text with the result of a function. */
export async function paste(app: App, file: string, transform: (text: string) => string): Promise<void> {
  const path = join(app.folder, file);
  await writeFile(path, transform(await readFile(path, "utf8").catch(() => "")));
}
