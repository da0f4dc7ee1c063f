/** Debian's Firefox, driven over WebDriver BiDi (https://w3c.github.io/webdriver-bidi/). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const program = "/usr/bin/firefox-esr";
const isMissing = !existsSync(program);
if (isMissing && process.env.CI) throw new Error(`The tests in Firefox need it at ${program}.`);
/** The reason why the tests are skipped; false when they run. */
export const skip = isMissing && `there is no Firefox at ${program} (apt-get install firefox-esr)`;

const START_MS = 60_000;
const UNTIL_VISIBLE = `new Promise((done) => {
  const look = () => document.visibilityState === "visible" ? done(true) : setTimeout(look, 10);
  look();
})`;

/** Fewer processes and less work of its own: a third of the CPU time of a start. */
export const PREFERENCES = {
  "fission.autostart": false,
  "dom.ipc.processCount": 1,
  "dom.ipc.processPrelaunch.enabled": false,
  "media.rdd-process.enabled": false,
  "network.process.enabled": false,
  "browser.tabs.remote.warmup.enabled": false,
  "browser.cache.disk.enable": false,
  "browser.sessionstore.interval": 3_600_000,
};

interface FirefoxTab {
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Evaluates an expression and returns its value as JSON. */
  evaluate(expression: string): Promise<unknown>;
  /** Clicks near the top left corner of the page. */
  click(): Promise<void>;
  close(): Promise<void>;
}
/** The browser, and its first tab. */
export interface Firefox extends FirefoxTab {
  /** @returns a function that opens a tab of a new visitor, whose data are apart from all others */
  newVisitor(): Promise<() => Promise<FirefoxTab>>;
  close(): Promise<void>;
}

export async function startFirefox(): Promise<Firefox> {
  const profile = await mkdtemp(join(tmpdir(), "headwater-firefox-"));
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${value});\n`);
  await writeFile(join(profile, "user.js"), lines.join(""));
  const child = spawn(
    program,
    ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"],
    {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, HOME: profile, MOZ_DISABLE_CONTENT_SANDBOX: "1" },
    },
  );
  const end = async () => {
    if (child.exitCode === null && child.kill()) await once(child, "exit");
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const address = await addressOf(createInterface(child.stderr));
    const { ask, hangUp } = await call(`${address}/session`);
    await ask("session.new", { capabilities: {} });
    const { contexts } = (await ask("browsingContext.getTree", {})) as { contexts: { context: string }[] };
    return {
      ...tabOf(ask, contexts[0]!.context),
      async newVisitor() {
        const { userContext } = (await ask("browser.createUserContext", {})) as { userContext: string };
        return async () => {
          const created = await ask("browsingContext.create", { type: "tab", userContext });
          const { context } = created as { context: string };
          const tab = tabOf(ask, context);
          await ask("browsingContext.activate", { context });
          // Firefox shows a new tab some time after it is made, and measures no paint of a page that was hidden
          await tab.evaluate(UNTIL_VISIBLE);
          return tab;
        };
      },
      async close() {
        hangUp();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

type Ask = (method: string, params: unknown) => Promise<unknown>;

const tabOf = (ask: Ask, context: string): FirefoxTab => ({
  async open(url) {
    await ask("browsingContext.navigate", { context, url, wait: "complete" });
  },
  async reload() {
    await ask("browsingContext.reload", { context, wait: "complete" });
  },
  async evaluate(expression) {
    const { result, exceptionDetails } = (await ask("script.evaluate", {
      expression: `(async () => JSON.stringify((await (${expression})) ?? null))()`,
      target: { context },
      awaitPromise: true,
    })) as { result?: { value: string }; exceptionDetails?: { text: string } };
    if (!result) throw new Error(exceptionDetails?.text);
    return JSON.parse(result.value);
  },
  async click() {
    await ask("browsingContext.activate", { context });
    const actions = [
      { type: "pointerMove", x: 50, y: 50 },
      { type: "pointerDown", button: 0 },
      { type: "pointerUp", button: 0 },
    ];
    await ask("input.performActions", { context, actions: [{ type: "pointer", id: "mouse", actions }] });
  },
  async close() {
    await ask("browsingContext.close", { context });
  },
});

async function addressOf(lines: AsyncIterable<string>): Promise<string> {
  const timeout = AbortSignal.timeout(START_MS);
  for await (const line of lines) {
    const found = /WebDriver BiDi listening on (ws:\S+)/.exec(line);
    if (found) return found[1]!;
    timeout.throwIfAborted();
  }
  throw new Error("Firefox ended before it listened.");
}

async function call(url: string) {
  const socket = new WebSocket(url);
  await once(socket, "open");
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let latest = 0;
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error, message } = JSON.parse(String(data));
    if (error) waiting.get(id)?.reject(new Error(`${error}: ${message}`));
    else waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  // without an answer, a test that timed out would keep its service, and the process would never end
  socket.addEventListener("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("The connection to Firefox is closed."));
    waiting.clear();
  });
  return {
    ask(method: string, params: unknown): Promise<unknown> {
      latest += 1;
      const answer = Promise.withResolvers<unknown>();
      waiting.set(latest, answer);
      socket.send(JSON.stringify({ id: latest, method, params }));
      return answer.promise;
    },
    hangUp: () => socket.close(),
  };
}
