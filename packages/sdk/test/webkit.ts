/** Debian's WebKitGTK in its MiniBrowser, driven over WebDriver (https://w3c.github.io/webdriver/), on a display without a screen. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../apps/server/src/http/listening.ts";
import { PATIENCE_MS, until } from "../../../apps/server/test/support/until.ts";

const driverPath = "/usr/bin/WebKitWebDriver";
const displayPath = "/usr/bin/Xvfb";
const isMissing = ![driverPath, displayPath].every((path) => existsSync(path));
if (isMissing && process.env.CI)
  throw new Error(`The tests in WebKit need ${driverPath} and ${displayPath}.`);
/** The reason why the tests are skipped; false when they run. */
export const skip =
  isMissing &&
  `left out: there is no ${driverPath} or no ${displayPath} (apt-get install webkit2gtk-driver xvfb)`;

interface WebkitWindow {
  open(url: string): Promise<void>;
  /** Evaluates an expression, waits for its promise and returns its value as JSON. */
  evaluate(expression: string): Promise<unknown>;
  back(): Promise<void>;
  close(): Promise<void>;
}
export interface Webkit extends AsyncDisposable {
  /** Opens a window, which is visible. All windows share the data of one visitor, which end with the browser. */
  newWindow(): Promise<WebkitWindow>;
}

const CAPABILITIES = { timeouts: { script: PATIENCE_MS, pageLoad: PATIENCE_MS } };
const inTime = () => ({ signal: AbortSignal.timeout(PATIENCE_MS) });

export async function startWebkit(): Promise<Webkit> {
  await using starting = new AsyncDisposableStack();
  const home = await mkdtemp(join(tmpdir(), "headwater-webkit-"));
  starting.defer(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  const start = (...command: Parameters<typeof spawn>) => {
    const child = spawn(...command);
    starting.defer(() => end(child));
    return child;
  };

  // It prints the number of the first free display. A browser without its display ends.
  const display = start(displayPath, ["-displayfd", "1"], { stdio: ["ignore", "pipe", "ignore"] });
  const [number] = await once(display.stdout!, "data", inTime());
  const port = await freePort({ host: "127.0.0.1", port: 0 });
  const environment = { HOME: home, XDG_RUNTIME_DIR: home, DISPLAY: `:${String(number).trim()}` };
  const driver = start(driverPath, [`--port=${port}`], {
    stdio: "ignore",
    env: { ...process.env, ...environment },
  });
  const url = `http://127.0.0.1:${port}`;
  await until("WebKitWebDriver answers", async () => {
    if (driver.exitCode !== null) throw new Error(`WebKitWebDriver ended with ${driver.exitCode}.`);
    return fetch(`${url}/status`, inTime()).catch(() => null);
  });
  const { sessionId } = await ask<{ sessionId: string }>("POST", `${url}/session`, {
    capabilities: { alwaysMatch: CAPABILITIES },
  });
  const session = `${url}/session/${sessionId}`;
  starting.defer(async () => void (await ask("DELETE", session)));
  /** It stays open, because a window is opened by another one. */
  const first = await ask<string>("GET", `${session}/window`);
  const started = starting.move();
  return {
    async newWindow() {
      await ask("POST", `${session}/window`, { handle: first });
      const created = await ask<{ handle: string }>("POST", `${session}/window/new`, { type: "window" });
      return windowOf(session, created.handle);
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

async function ask<T>(method: "GET" | "POST" | "DELETE", url: string, body?: object): Promise<T> {
  const response = await fetch(url, { method, body: JSON.stringify(body), ...inTime() });
  const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}

/** One command at a time: each goes to the window that was selected before it. */
function windowOf(session: string, handle: string): WebkitWindow {
  const command = async (method: "POST" | "DELETE", path: string, body?: object) => {
    await ask("POST", `${session}/window`, { handle });
    return ask(method, `${session}/${path}`, body);
  };
  return {
    open: async (url) => void (await command("POST", "url", { url })),
    evaluate: (expression) => command("POST", "execute/sync", { script: `return ${expression}`, args: [] }),
    back: async () => void (await command("POST", "back", {})),
    close: async () => void (await command("DELETE", "window")),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL"))
    await once(child, "exit");
}
