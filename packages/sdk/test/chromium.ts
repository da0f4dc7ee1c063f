/** The Chromium of this machine, launched once for each test file that asks for it. */
import { existsSync } from "node:fs";
import { after } from "node:test";
import { type Browser, type BrowserContext, chromium } from "playwright-core";

const executablePath = "/usr/bin/chromium";
/** A name that is this machine, yet no secure context to the browser, as 127.0.0.1 is. */
export const plainHost = "plain-http.test";

const isMissing = !existsSync(executablePath);
if (isMissing && process.env.CI) throw new Error(`The browser tests need Chromium at ${executablePath}.`);
/** Why the browser tests are left out; false when they are not. */
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
    `--host-resolver-rules=MAP ${plainHost} 127.0.0.1`,
  ],
};
after(async () => (await launched)?.close());

export const chromiumPath = executablePath;

/** A browser of its own that keeps the pages that are left, as visitors' browsers do and tools switch off. */
export const launchKeepingPages = (): Promise<Browser> =>
  chromium.launch({ ...options, ignoreDefaultArgs: ["--disable-back-forward-cache"] });

/** A visitor who was never here. */
export async function newVisitor(): Promise<BrowserContext> {
  launched ??= chromium.launch(options);
  return (await launched).newContext();
}

/** A browser of its own, which keeps what it knows in that folder. */
export const openProfile = (folder: string): Promise<BrowserContext> =>
  chromium.launchPersistentContext(folder, options);
