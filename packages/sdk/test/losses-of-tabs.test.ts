/** With several and with closed tabs, each tracked event is stored exactly once. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { BrowserContext } from "playwright-core";
import { storedEvents } from "../../../apps/server/test/ledger/reader.ts";
import { PATIENCE_MS, until } from "../../../apps/server/test/support/until.ts";
import { fine } from "./bad-network.ts";
import { newVisitor, openProfile, skip } from "./chromium.ts";
import { EVENTS, isLong, namesOf, openTrial, storm, trackSlowly, trial } from "./loss-trial.ts";

trial(
  "Two tabs that track at the same time lose nothing, duplicate nothing and share one session.",
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
  // A returning visitor: the tabs share the stored id but have no session yet.
  const anonymousId = "0123456789abcdef0123456789abcdef";
  await context.addInitScript(([key, id]) => localStorage.setItem(`headwater.${key}.visitor`, id), [
    trial.publicKey,
    anonymousId,
  ] as const);
  const pages = await Promise.all([context.newPage(), context.newPage()]);
  await Promise.all(pages.map((page) => page.goto(site.url)));
  const views = () => storedEvents(world.dataDir).filter(({ type }) => type === "page");
  await until("both views are stored", () => views().length === 2);
  assert.equal(new Set(views().map(({ sessionId }) => sessionId)).size, 1);
});

test("Events that a closed tab left are sent when the browser is opened again.", {
  skip,
  timeout: PATIENCE_MS + 60_000,
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

test("A page closed 20 ms after loading, with 300 ms latency, is counted.", {
  skip,
  timeout: PATIENCE_MS + 120_000,
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
    // The browser stays open, but the visitor does not return.
    t.after(() => context.close());
  }
  await until("95 % of the views are stored", () => views() >= visits * 0.95);
  t.diagnostic(`${visits} visits, ${views()} views stored`);
});
