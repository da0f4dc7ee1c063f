/**
 * What pages of a real Chromium track, over a bad network, and what the real server has stored of it in the end: each
 * event once. A tenth of the events that `TEST_LONG=1` tracks.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { installPayload } from "../../../apps/server/src/install/install.ts";
import { until } from "../../../apps/server/test/faults/child.ts";
import { storedEvents } from "../../../apps/server/test/ledger-reader.ts";
import { openWorld, type World } from "../../../apps/server/test/world.ts";
import { type BadNetwork, chances, type Fate, fine, startBadNetwork, type Weather } from "./bad-network.ts";
import { hurryTimers } from "./browser.ts";
import { newVisitor, openProfile, skip } from "./chromium.ts";
import { type Site, startSite } from "./server.ts";

const isLong = Boolean(process.env.TEST_LONG);
const EVENTS = isLong ? 1000 : 100;
const DEADLINE_MS = isLong ? 240_000 : 60_000;

interface Trial {
  readonly network: BadNetwork;
  readonly site: Site;
  readonly world: World;
  readonly context: BrowserContext;
  newPage(): Promise<Page>;
  /** The names of all tracked events that are stored, a name as often as it is. */
  stored(): string[];
  /** Every name once, when the network is fine and the pages had the time they need. */
  arrives(names: readonly string[]): Promise<void>;
}

async function openTrial(t: TestContext, openContext: () => Promise<BrowserContext>): Promise<Trial> {
  const resources = new AsyncDisposableStack();
  t.after(() => resources.disposeAsync());
  const world = resources.use(await openWorld());
  const network = resources.use(await startBadNetwork(world.url));
  const site = await startSite();
  resources.defer(site.close);
  const source = await world.createSource({ allowedOrigins: [site.url] });
  site.showHead(installPayload(source, { baseUrl: network.url, appUrl: site.url }).browserSnippet);
  const context = await openContext();
  resources.defer(() => context.close());
  const stored = () =>
    storedEvents(world.dataDir)
      .filter(({ type }) => type === "track")
      .map(({ name }) => name);
  return {
    network,
    site,
    world,
    context,
    stored,
    async newPage() {
      const page = await context.newPage();
      await page.addInitScript(hurryTimers);
      await page.goto(site.url);
      return page;
    },
    async arrives(names) {
      network.weather = fine;
      await until("every event is stored", DEADLINE_MS, () => new Set(stored()).size >= names.length);
      assert.deepEqual(stored().sort(), names.toSorted());
    },
  };
}

const namesOf = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix} ${n}`);

/** Ten at a time, as pages do, with a pause that lets the client send meanwhile. */
const trackSlowly = (page: Page, names: readonly string[]) =>
  page.evaluate(async (names) => {
    for (const [index, name] of names.entries()) {
      window.headwater?.("track", name);
      if (index % 10 === 9) await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }, names);

/** The fates in their order, over and over. */
const storm = (fates: readonly Fate[], maxDelayMs: number): Weather => {
  const chance = chances(1);
  let next = 0;
  return {
    delayMs: () => chance() * maxDelayMs,
    fate: () => fates[next++ % fates.length]!,
  };
};

function trial(title: string, run: (trial: Trial, t: TestContext) => Promise<void>): void {
  test(title, { skip, timeout: DEADLINE_MS + 60_000 }, async (t) => {
    const opened = await openTrial(t, newVisitor);
    await run(opened, t);
    t.diagnostic(
      `${EVENTS} events tracked, ${opened.stored().length} stored, ${opened.network.requests} requests`,
    );
  });
}

for (const [what, weather] of [
  ["that delays each request by up to a second", storm(["pass"], 500)],
  ["that cuts every other request", storm(["cut", "pass"], 20)],
  ["whose server answers every other request with 503", storm(["503", "pass"], 20)],
  ["that swallows every other answer after the events were stored", storm(["swallow", "pass"], 20)],
  ["that does all of it at once", storm(["cut", "503", "swallow", "pass"], 200)],
] as const) {
  trial(`No event is lost and none is stored twice by a network ${what}.`, async (trial) => {
    const { network, newPage, arrives } = trial;
    network.weather = weather;
    const page = await newPage();
    const names = namesOf("event", EVENTS);
    await trackSlowly(page, names);
    await arrives(names);
  });
}

trial(
  "No event is lost and none is stored twice when the visitor goes offline and comes back.",
  async (trial) => {
    const { context, newPage, arrives } = trial;
    const page = await newPage();
    for (let part = 0; part < 4; part += 1) {
      await context.setOffline(part % 2 === 0);
      await trackSlowly(page, namesOf(`part ${part}`, EVENTS / 4));
    }
    await context.setOffline(false);
    await arrives([0, 1, 2, 3].flatMap((part) => namesOf(`part ${part}`, EVENTS / 4)));
  },
);

trial("No event is lost and none is stored twice when the page is reloaded in the middle.", async (trial) => {
  const { network, newPage, arrives } = trial;
  network.weather = storm(["pass", "cut", "503", "swallow"], 100);
  const page = await newPage();
  for (let part = 0; part < 10; part += 1) {
    await page.waitForFunction(() => window.headwater?.version);
    await trackSlowly(page, namesOf(`part ${part}`, EVENTS / 10));
    await page.reload();
  }
  await arrives(namesOf("", 10).flatMap((_, part) => namesOf(`part ${part}`, EVENTS / 10)));
});

trial("The queue survives a reload: what an offline page tracked is sent by the next one.", async (trial) => {
  const { network, newPage, arrives, stored } = trial;
  // With the page view they are as many as the queue holds.
  const names = namesOf("event", EVENTS - 1);
  const page = await newPage();
  network.weather = { delayMs: () => 0, fate: () => "cut" };
  await trackSlowly(page, names);
  await page.goto("about:blank");
  assert.deepEqual(stored(), []);
  network.weather = fine;
  await page.goto(trial.site.url);
  await arrives(names);
});

trial(
  "Two tabs that track at once lose nothing, store nothing twice and share one session.",
  async (trial, t) => {
    const { network, newPage, arrives, world } = trial;
    network.weather = storm(["pass", "pass", "cut", "503"], 100);
    const pages = [await newPage(), await newPage()];
    const halves = ["left", "right"].map((tab) => namesOf(tab, EVENTS / 2));
    await Promise.all(pages.map((page, tab) => trackSlowly(page, halves[tab]!)));
    await arrives(halves.flat());
    const events = storedEvents(world.dataDir);
    assert.equal(new Set(events.map(({ sessionId }) => sessionId)).size, 1);
    assert.equal(events.filter(({ type }) => type === "page").length, 2);
    t.diagnostic(`${network.bootstraps} bootstraps`);
  },
);

trial("Two tabs that open at once, where there are no Web Locks, share one session.", async (trial) => {
  const { site, world, context } = trial;
  await context.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, "locks"));
  // A visitor who was here before: tabs share the id that is stored, and no session.
  const anonymousId = "0123456789abcdef0123456789abcdef";
  await context.addInitScript((id) => localStorage.setItem("headwater.anonymousId", id), anonymousId);
  const pages = await Promise.all([context.newPage(), context.newPage()]);
  await Promise.all(pages.map((page) => page.goto(site.url)));
  const views = () => storedEvents(world.dataDir).filter(({ type }) => type === "page");
  await until("both views are stored", DEADLINE_MS, () => views().length === 2);
  assert.equal(new Set(views().map(({ sessionId }) => sessionId)).size, 1);
});

test("What a closed tab had not sent is sent when the browser is opened again.", {
  skip,
  timeout: DEADLINE_MS + 60_000,
}, async (t) => {
  const profile = await mkdtemp(join(tmpdir(), "headwater-profile-"));
  let again: BrowserContext | undefined;
  t.after(async () => {
    await again?.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  const trial = await openTrial(t, () => openProfile(profile));
  const names = namesOf("event", EVENTS - 1);
  const page = await trial.newPage();
  trial.network.weather = { delayMs: () => 0, fate: () => "cut" };
  await trackSlowly(page, names);
  await page.close({ runBeforeUnload: false });
  await trial.context.close();
  assert.deepEqual(trial.stored(), []);

  trial.network.weather = fine;
  again = await openProfile(profile);
  const reopened = await again.newPage();
  await reopened.goto(trial.site.url);
  await trial.arrives(names);
  t.diagnostic(`${names.length} events tracked, ${trial.stored().length} stored`);
});

test("A page that is closed 20 ms after it has loaded, 300 ms away, and never opened again, is a view.", {
  skip,
  timeout: DEADLINE_MS + 120_000,
}, async (t) => {
  const visits = isLong ? 100 : 20;
  const trial = await openTrial(t, newVisitor);
  trial.network.weather = { delayMs: () => 150, fate: () => "pass" };
  const views = () => storedEvents(trial.world.dataDir).filter(({ type }) => type === "page").length;
  for (let visit = 0; visit < visits; visit += 1) {
    const context = await newVisitor();
    const page = await context.newPage();
    await page.goto(trial.site.url);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 20)));
    await page.close();
    // The browser lives on, as a visitor's does; this visitor never comes back.
    t.after(() => context.close());
  }
  await until("95 % of the views are stored", 20_000, () => views() >= visits * 0.95);
  t.diagnostic(`${visits} visits, ${views()} views stored`);
});
