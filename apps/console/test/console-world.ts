/** Test setup: the built console, served by the real server with its own ledger, in Chromium. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { newVisitor, skip } from "../../../packages/sdk/test/chromium.ts";
import { isInstalled } from "../../server/src/clickhouse/embedded/start.ts";
import { openWorld, type World } from "../../server/test/support/world.ts";
import { buildConsole } from "../build.js";

/** With CONSOLE_SHOTS=<folder> the tests write screenshots there. */
const SHOTS = process.env.CONSOLE_SHOTS;

interface ConsoleWorld {
  readonly world: World;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Script errors, violations of the Content-Security-Policy and requests to other hosts. Every test requires that there are none. */
  readonly violations: string[];
  /** Opens a page of the console, signed in. Default: as the owner. */
  open(address: string, token?: string): Promise<void>;
  shoot(name: string): Promise<void>;
}

/** Records everything that a page of the console must not do. */
function watch(page: Page, origin: string, violations: string[]): void {
  page.on("pageerror", (error) => violations.push(`thrown: ${error.message}`));
  page.on("console", (message) => {
    const isRefusal = /status of (?:4|5)\d\d/.test(message.text());
    if (message.type() === "error" && !isRefusal) violations.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== origin) violations.push(`requested ${request.url()}`);
  });
}

async function start(t: TestContext, environment: Record<string, string>): Promise<ConsoleWorld> {
  const consoleFolder = await buildConsole();
  assert.ok(consoleFolder, "build the console first");
  const world = await openWorld(environment, { consoleFolder });
  t.after(() => world[Symbol.asyncDispose]());
  const context = await newVisitor();
  t.after(() => context.close());
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: world.url });
  const page = await context.newPage();
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  const violations: string[] = [];
  watch(page, world.url, violations);
  return {
    world,
    context,
    page,
    violations,
    async open(address, given) {
      const token = given ?? (await world.ownerSession());
      // the storage is that of the origin: the smallest page of it will do
      if (!page.url().startsWith(world.url)) await page.goto(`${world.url}/healthz`);
      await page.evaluate((value) => sessionStorage.setItem("headwater.token", value), token);
      await page.goto(world.url + address);
    },
    async shoot(name) {
      if (SHOTS === undefined) return;
      mkdirSync(SHOTS, { recursive: true });
      await page.screenshot({ path: join(SHOTS, `${name}.png`) });
    },
  };
}

/** A test of every page at two widths takes over a minute on a busy machine. */
const TEST_TIMEOUT_MS = 180_000;

/** The button that names the open workspace and opens the list of all. */
export const workspaceMenu = (page: Page) => page.getByRole("button", { name: /^Workspace: / });

/** Waits until the workspace is the open one. */
export const workspaceOpened = (page: Page, name: string) =>
  page.getByRole("button", { name: `Workspace: ${name}`, exact: true }).waitFor();

/** Opens another workspace of the user. */
export async function openWorkspace(page: Page, name: string): Promise<void> {
  await workspaceMenu(page).click();
  await page.getByRole("button", { name, exact: true }).click();
}

type Run = (world: ConsoleWorld) => Promise<void>;
const inConsole = (title: string, run: Run, isLeftOut: string | false, environment: Record<string, string>) =>
  test(title, { skip: isLeftOut, timeout: TEST_TIMEOUT_MS }, async (t) => {
    const started = await start(t, environment);
    await run(started);
    // an answer that a test was changing arrives after the service has ended
    if (!started.page.isClosed()) await started.page.unrouteAll({ behavior: "ignoreErrors" });
    assert.deepEqual(started.violations, []);
  });

/** A test in the console. It fails when the page violates one of the rules of `watch`. */
export const consoleTest = (title: string, run: Run) => void inConsole(title, run, skip, {});

const noWarehouse = !isInstalled() && "left out: the optional package chdb is not installed";
/** A test in the console with an embedded warehouse, so that there are stats. */
export const consoleStatsTest = (title: string, run: Run, environment: Record<string, string> = {}) =>
  void inConsole(title, run, skip || noWarehouse, { WAREHOUSE: "embedded", ...environment });
