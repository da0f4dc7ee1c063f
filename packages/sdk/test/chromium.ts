/**
 * Debian's Chromium, launched once per test file. Most tests run in its build without windows and profiles, where a visitor needs a
 * quarter of the CPU time. Where that build is not installed they run in the whole browser.
 */
import { existsSync } from "node:fs";
import { after } from "node:test";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core";
import { PATIENCE_MS } from "../../../apps/server/test/support/until.ts";

const shellPath = "/usr/bin/chromium-headless-shell";
const executablePath = "/usr/bin/chromium";
/** A host name for this machine that, unlike 127.0.0.1, is not a secure context. So are all below `.test` and `.other`. */
export const plainHost = "plain-http.test";

const isMissing = !existsSync(executablePath);
if (isMissing && process.env.CI) throw new Error(`The browser tests need Chromium at ${executablePath}.`);
/** The reason why browser tests are skipped; false when they run. */
export const skip =
  isMissing && `left out: there is no Chromium at ${executablePath} (apt-get install chromium)`;
if (skip) console.log(`Browser tests ${skip}.`);

let launched: Promise<Browser> | undefined;
const options = {
  executablePath,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP *.test 127.0.0.1, MAP *.other 127.0.0.1",
  ],
};
after(async () => (await launched)?.close());

export const chromiumPath = executablePath;

/** Launches a browser with the back/forward cache, which Playwright turns off by default. */
export const launchKeepingPages = (): Promise<Browser> =>
  chromium.launch({ ...options, ignoreDefaultArgs: ["--disable-back-forward-cache"] });

/** A new browser context without stored data. */
export async function newVisitor(of: BrowserContextOptions = {}): Promise<BrowserContext> {
  launched ??= chromium.launch(existsSync(shellPath) ? { ...options, executablePath: shellPath } : options);
  const visitor = await (await launched).newContext(of);
  visitor.setDefaultTimeout(PATIENCE_MS);
  return visitor;
}

/** A browser whose profile is stored in the folder. */
export const openProfile = (folder: string): Promise<BrowserContext> =>
  chromium.launchPersistentContext(folder, options);
