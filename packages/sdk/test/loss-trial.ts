/**
 * Compares the events that Chromium pages track over a bad network with the events that the real server stores. Without
 * `TEST_LONG=1` it tracks a tenth of the events.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { installPayload } from "../../../apps/server/src/install/install.ts";
import { storedEvents } from "../../../apps/server/test/ledger/reader.ts";
import { PATIENCE_MS, until } from "../../../apps/server/test/support/until.ts";
import { openWorld, type World } from "../../../apps/server/test/support/world.ts";
import { type BadNetwork, chances, type Fate, fine, startBadNetwork, type Weather } from "./bad-network.ts";
import { hurryTimers } from "./browser.ts";
import { newVisitor, skip } from "./chromium.ts";
import { startSite, type TestSite } from "./server.ts";

export const isLong = Boolean(process.env.TEST_LONG);
export const EVENTS = isLong ? 1000 : 100;

interface Trial {
  readonly network: BadNetwork;
  readonly site: TestSite;
  readonly world: World;
  readonly context: BrowserContext;
  readonly publicKey: string;
  newPage(): Promise<Page>;
  /** The names of all stored events, with repetitions. */
  stored(): string[];
  /** The expected result: every name once, when the network works again and the pages had enough time. */
  arrives(names: readonly string[]): Promise<void>;
}

/** A site with a source of the real server, and the network between both, until the test ends. */
export async function openLossySite(t: TestContext) {
  const resources = new AsyncDisposableStack();
  t.after(() => resources.disposeAsync());
  const world = resources.use(await openWorld());
  const network = resources.use(await startBadNetwork(world.url));
  const site = await startSite();
  resources.defer(site.close);
  const source = await world.createSource({ allowedOrigins: [site.url] });
  return { resources, world, network, site, source };
}

export async function openTrial(t: TestContext, openContext: () => Promise<BrowserContext>): Promise<Trial> {
  const { resources, world, network, site, source } = await openLossySite(t);
  site.showHead(installPayload(source, { baseUrl: network.url, appUrl: site.url }).browserSnippet);
  const context = await openContext();
  resources.defer(() => context.close());
  const stored = () =>
    storedEvents(world.dataDir)
      // a visit that lasts long enough has engagement events too
      .filter(({ type, name }) => type === "track" && name !== "engagement")
      .map(({ name }) => name);
  return {
    network,
    site,
    world,
    context,
    publicKey: source.publicKey,
    stored,
    async newPage() {
      const page = await context.newPage();
      await page.addInitScript(hurryTimers);
      await page.goto(site.url);
      return page;
    },
    async arrives(names) {
      network.weather = fine;
      await until("every event is stored", () => new Set(stored()).size >= names.length);
      assert.deepEqual(stored().sort(), names.toSorted());
    },
  };
}

export const namesOf = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${prefix} ${n}`);

/** Tracks ten events at a time, with pauses in which the client can send. */
export const trackSlowly = (page: Page, names: readonly string[]) =>
  page.evaluate(async (names) => {
    for (const [index, name] of names.entries()) {
      window.headwater?.("track", name);
      if (index % 10 === 9) await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }, names);

/** Repeats the fates in order. */
export const storm = (fates: readonly Fate[], maxDelayMs: number): Weather => {
  const chance = chances(1);
  let next = 0;
  return {
    delayMs: () => chance() * maxDelayMs,
    fate: () => fates[next++ % fates.length]!,
  };
};

export function trial(title: string, run: (trial: Trial, t: TestContext) => Promise<void>): void {
  test(title, { skip, timeout: PATIENCE_MS + 60_000 }, async (t) => {
    const opened = await openTrial(t, newVisitor);
    await run(opened, t);
    t.diagnostic(
      `${EVENTS} events tracked, ${opened.stored().length} stored, ${opened.network.requests} requests`,
    );
  });
}
