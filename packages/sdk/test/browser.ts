/** Test setup in a real Chromium: a new visitor, a site and an ingest API. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConsoleMessage, Page } from "playwright-core";
import { installPayload } from "../../../apps/server/src/install/install.ts";
import { until } from "../../../apps/server/test/support/until.ts";
import { newVisitor, skip } from "./chromium.ts";
import { startIngest, startSite, type TestIngest, type TestSite } from "./server.ts";

export interface BrowserVisit {
  readonly page: Page;
  readonly site: TestSite;
  readonly ingest: TestIngest;
  /** The install payload for this API and the key "pk_test". */
  readonly install: ReturnType<typeof installPayload>;
  readonly warnings: string[];
  /** The next warning that the page logs. */
  nextWarning(): Promise<ConsoleMessage>;
  /** Opens the page with the browser snippet and waits for its first view. */
  open(path?: string): Promise<void>;
  track(name: string, properties?: Record<string, unknown>): Promise<void>;
}

/** Waits until all earlier requests of the page have arrived, by waiting for a later one. */
export async function waitForEarlierRequests({ page, site }: BrowserVisit): Promise<void> {
  const status = await page.evaluate(
    async (url) => (await fetch(url)).status,
    `${site.url}/earlier-requests-done`,
  );
  assert.equal(status, 200);
}

/** Waits until an expression is true in the page. A wait of Playwright fails on a page whose policy forbids `eval`. */
export const untilInPage = (page: Page, expression: string): Promise<unknown> =>
  until(`${expression} in the page`, () => page.evaluate(expression));

/** Makes the page's timers ten times as fast. */
export function hurryTimers(): void {
  const { setTimeout } = window;
  Object.assign(window, {
    setTimeout: (run: () => void, delayMs: number) => setTimeout.call(window, run, delayMs / 10),
  });
}

/** Stops the page's timers that wait for a time. */
export function stopTimers(): void {
  const { setTimeout } = window;
  Object.assign(window, {
    setTimeout: (run: () => void, delayMs?: number) =>
      delayMs === undefined ? setTimeout.call(window, run) : 1,
  });
}

interface BrowserTestOptions {
  /** "real" for tests about time itself. */
  readonly timers?: "hurried" | "real";
}

export function browserTest(
  title: string,
  run: (visit: BrowserVisit) => Promise<void>,
  { timers = "hurried" }: BrowserTestOptions = {},
): void {
  test(title, { skip }, async (t) => {
    const context = await newVisitor();
    const [ingest, site, page] = await Promise.all([startIngest(), startSite(), context.newPage()]);
    // A hook, because a test that timed out does not reach its own cleanup.
    t.after(async () => {
      if (t.signal.aborted) t.diagnostic(`timed out after ${ingest.summary()}`);
      ingest.close();
      site.close();
      await context.close();
    });
    if (timers === "hurried") await page.addInitScript(hurryTimers);
    const source = { sourceId: "src_test", publicKey: "pk_test", name: "Test", frameworkHint: null };
    const install = installPayload(source, { baseUrl: ingest.url, appUrl: site.url });
    site.showHead(install.browserSnippet);
    const warnings: string[] = [];
    const errors: Error[] = [];
    page.on("console", (message) => message.type() === "warning" && warnings.push(message.text()));
    page.on("pageerror", (error) => errors.push(error));

    await run({
      page,
      site,
      ingest,
      install,
      warnings,
      nextWarning: () => page.waitForEvent("console", (message) => message.type() === "warning"),
      async open(path = "/") {
        const seen = ingest.requests.length;
        await page.goto(site.url + path);
        await ingest.until((requests) => requests.length > seen);
        await untilInPage(page, "window.headwater?.version");
      },
      track: (name, properties) =>
        page.evaluate(([name, properties]) => window.headwater?.("track", name, properties), [
          name,
          properties,
        ] as const),
    });
    assert.deepEqual(errors, [], "the page has no script errors");
  });
}
