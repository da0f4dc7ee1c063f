/** Test setup: the built console, served by the real server with its own ledger, in Chromium. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
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

/**
 * The tests of a process run one after another and share a page, a port and, for stats, a service with its warehouse: a page that
 * stays keeps the compiled scripts of its origin, which are half of the CPU time of a load.
 */
let opened: Promise<Page> | undefined;
let port = "0";
let statsWorld: Promise<World> | undefined;
after(async () => (await statsWorld)?.[Symbol.asyncDispose]());

async function openPage(): Promise<Page> {
  const page = await (await newVisitor()).newPage();
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  return page;
}

/** Leaves the page as a new one, whatever a test did. */
async function reset(page: Page, origin: string): Promise<void> {
  const context = page.context();
  page.removeAllListeners();
  for (const other of context.pages()) if (other !== page) await other.close();
  if (page.isClosed()) {
    await context.close();
    opened = undefined;
    return;
  }
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await context.setOffline(false);
  await page.goto(`${origin}/healthz`);
  await page.evaluate(() => sessionStorage.clear());
  const session = await context.newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  await session.detach();
  await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: null });
  await page.setViewportSize({ width: 1280, height: 720 });
}

type ServiceClock = () => number;

async function openConsole(environment: Record<string, string>, clock?: ServiceClock): Promise<World> {
  const consoleFolder = await buildConsole();
  assert.ok(consoleFolder, "build the console first");
  return openWorld(environment, { consoleFolder, ...(clock && { clock }) });
}

/** Opens a service on the port of the one before, which another process may have taken. */
async function openAgain(environment: Record<string, string>, clock?: ServiceClock): Promise<World> {
  const world = await openConsole({ PORT: port, ...environment }, clock).catch((error) => {
    if (!/^PORT \d+ .* is in use/.test(error.message)) throw error;
    return openConsole(environment, clock);
  });
  ({ port } = new URL(world.url));
  return world;
}

async function openWorldFor({ isApart, hasStats, environment, clock }: ConsoleTestOptions): Promise<World> {
  if (hasStats && !isApart && !environment) {
    statsWorld ??= openConsole(STATS);
    return statsWorld;
  }
  return openAgain({ ...(hasStats ? STATS : {}), ...environment }, clock);
}

async function start(t: TestContext, options: ConsoleTestOptions): Promise<ConsoleWorld> {
  if (!options.isApart) opened ??= openPage();
  const page = await (options.isApart ? openPage() : opened!);
  const context = page.context();
  const world = await openWorldFor(options);
  const origin = world.url;
  t.after(async () => {
    await (options.isApart ? context.close() : reset(page, origin));
    if (world !== (await statsWorld)) await world[Symbol.asyncDispose]();
  });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  // animations of a page of stats are an eighth of the CPU time of its load
  if (options.hasStats) await page.emulateMedia({ reducedMotion: "reduce" });
  const violations: string[] = [];
  watch(page, origin, violations);
  return {
    world,
    context,
    page,
    violations,
    async open(address, given) {
      const token = given ?? (await world.ownerSession());
      // the storage is that of the origin: the smallest page of it will do
      if (!page.url().startsWith(origin)) await page.goto(`${origin}/healthz`);
      await page.evaluate((value) => sessionStorage.setItem("headwater.token", value), token);
      await page.goto(origin + address);
    },
    async shoot(name) {
      if (SHOTS === undefined) return;
      mkdirSync(SHOTS, { recursive: true });
      await page.screenshot({ path: join(SHOTS, `${name}.png`) });
    },
  };
}

/** A test of every page at two widths takes over a minute on a busy machine. */
const TEST_TIMEOUT_MS = 300_000;

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

/** Opens a section of a source's settings. */
export async function openSection(page: Page, title: string): Promise<void> {
  const section = page
    .getByRole("navigation", { name: "Sections" })
    .getByRole("link", { name: title, exact: true });
  await section.click();
  await section.and(page.locator("[aria-current=page]")).waitFor();
}

type Run = (world: ConsoleWorld) => Promise<void>;
interface ConsoleTestOptions {
  /** Runs on a service of its own in a browser context of its own. */
  readonly isApart?: boolean;
  /** Settings of a service of its own. */
  readonly environment?: Record<string, string>;
  readonly hasStats?: boolean;
  /** The time of the service. */
  readonly clock?: ServiceClock;
}
const inConsole = (title: string, run: Run, isLeftOut: string | false, options: ConsoleTestOptions) =>
  test(title, { skip: isLeftOut, timeout: TEST_TIMEOUT_MS }, async (t) => {
    const started = await start(t, options);
    await run(started);
    // an answer that a test was changing arrives after the service has ended
    if (!started.page.isClosed()) await started.page.unrouteAll({ behavior: "ignoreErrors" });
    assert.deepEqual(started.violations, []);
  });

/** A test in the console, on a new service. It fails when the page violates one of the rules of `watch`. */
export const consoleTest = (
  title: string,
  run: Run,
  options: Pick<ConsoleTestOptions, "isApart" | "clock"> = {},
) => void inConsole(title, run, skip, options);

const noWarehouse = !isInstalled() && "left out: the optional package chdb is not installed";
const STATS = { WAREHOUSE: "embedded" };
/** A test in the console with an embedded warehouse, so that there are stats. Tests share the service: each creates its source. */
export const consoleStatsTest = (title: string, run: Run, options: ConsoleTestOptions = {}) =>
  void inConsole(title, run, skip || noWarehouse, { ...options, hasStats: true });
