/**
 * Measures how soon the console shows the chart of ten million events, even after clicks that filter, and how smoothly a list of 5,000
 * attempts scrolls.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { connect } from "../../apps/server/src/clickhouse/client.ts";
import { startEmbedded } from "../../apps/server/src/clickhouse/embedded/start.ts";
import { migrate } from "../../apps/server/src/clickhouse/migrate.ts";
import type { WarehouseProcess } from "../../apps/server/src/clickhouse/warehouse.ts";
import { type OpenVisit, ORIGIN } from "../bodies.ts";
import {
  type BenchContext,
  type BenchSection,
  describeTarget,
  figure,
  median,
  type ResultTable,
  spread,
} from "../section.ts";
import { BASE_SETTINGS, type Headwater, newFolder, OWNER_TOKEN, startHeadwater } from "../server.ts";
import {
  buildRollups,
  COMMAND_MS,
  DAY_MS,
  DAYS,
  ENGINE,
  EVENTS,
  fill,
  QUICK_EVENTS,
  UNTIL,
  waitForMerges,
} from "./month.ts";
import { waitForWarehouse, waitUntilShipped } from "./warehouse.ts";

const PAGE_SCRIPT = fileURLToPath(new URL("../console-page.js", import.meta.url));
const CHROMIUM = "/usr/bin/chromium";
const VIEWPORT = { width: 1280, height: 900 };
const WAIT_MS = 60_000;
const ATTEMPTS = 5_000;
const SCROLL_MS = 5_000;
const SCROLL_PIXELS = 120;
const TARGETS = { chartMs: 1_000, filteredMs: 400, framesPerSecond: 50 };
/** The clicks that filter, each on the whole view: the number of a list, and of a row of it. */
const CLICKS = [0, 1, 2, 3].flatMap((list) => [0, 1, 2].map((row) => [list, row] as const)).slice(0, 10);

/** Milliseconds from the start of the page load until each part was first shown. */
interface PageTimes {
  chart: number;
  headline: number;
  lists: number;
}

/** The effect of a click: the milliseconds until the headline and the chart are new, and the layout shift meanwhile. */
interface Filtered {
  ms: number;
  shift: number;
}

/** The functions that `console-page.js` adds to a page. */
interface BenchPage {
  bench: {
    shown(): PageTimes | null;
    filterBy(list: number, row: number): Promise<Filtered>;
    attempts(): number;
    scrollList(durationMs: number, pixels: number): Promise<number[]>;
  };
}

async function openStats(page: Page, address: string): Promise<PageTimes> {
  await page.goto("about:blank");
  await page.goto(address, { waitUntil: "commit" });
  const seen = await page.waitForFunction(() => (globalThis as unknown as BenchPage).bench.shown(), null, {
    timeout: WAIT_MS,
  });
  return (await seen.jsonValue()) as PageTimes;
}

/** Opens the page and selects a row of a list, for each of the clicks. */
async function filterPages(page: Page, address: string): Promise<Filtered[]> {
  const filtered: Filtered[] = [];
  for (const click of CLICKS) {
    await openStats(page, address);
    await page.waitForLoadState("networkidle");
    filtered.push(
      await page.evaluate(
        ([list, row]) => (globalThis as unknown as BenchPage).bench.filterBy(list, row),
        click,
      ),
    );
  }
  return filtered;
}

/** Replaces the attempt stream with a generated one, because the service stores at most 200 attempts per second. @returns the milliseconds of each frame while scrolling */
async function openAttempts(context: BrowserContext, server: Headwater, sourceId: string): Promise<number[]> {
  const debug = await server.ask(`/api/tracking-sources/${sourceId}/debug`);
  const { bootstrapAttempts } = (await debug.json()) as { bootstrapAttempts: object[] };
  const begin = Date.now();
  const body = Array.from({ length: ATTEMPTS }, (_, number) => {
    const receivedAt = new Date(begin + number).toISOString();
    const attempt = { ...bootstrapAttempts[0], attemptId: `att_${number}`, receivedAt };
    return `id: ${number}\nevent: attempt\ndata: ${JSON.stringify(attempt)}\n\n`;
  }).join("");
  const page = await context.newPage();
  await page.route("**/debug/stream*", (route) => route.fulfill({ contentType: "text/event-stream", body }));
  await page.goto(`${server.url}/analytics/setup/debug?sourceId=${sourceId}`);
  await page.waitForFunction(
    (minAttempts) => (globalThis as unknown as BenchPage).bench.attempts() >= minAttempts,
    ATTEMPTS,
    { timeout: WAIT_MS },
  );
  const frames = await page.evaluate(
    ([durationMs, pixels]) => (globalThis as unknown as BenchPage).bench.scrollList(durationMs, pixels),
    [SCROLL_MS, SCROLL_PIXELS] as const,
  );
  await page.close();
  return frames;
}

/** Sends one event of the day after the month, which has no rollup: as the traffic of today. */
async function sendOne(server: Headwater, visit: OpenVisit): Promise<void> {
  const { publicKey, sessionId, anonymousId } = visit;
  const sentAt = new Date().toISOString();
  const timestamp = new Date(UNTIL + DAY_MS / 2).toISOString();
  const event = { id: crypto.randomUUID(), type: "track", name: "bench", timestamp };
  const own = { ingestVersion: 2, sdkVersion: "bench", batchId: crypto.randomUUID(), sentAt };
  const answer = await fetch(`${server.url}/api/ingest/v2/${publicKey}/events`, {
    method: "POST",
    headers: { origin: ORIGIN, "content-type": "application/json", "x-forwarded-for": "93.20.0.1" },
    body: JSON.stringify({ ...own, sessionId, anonymousId, events: [event] }),
  });
  if (!answer.ok)
    throw new Error(`an event was refused with status ${answer.status}: ${await answer.text()}`);
  await waitUntilShipped(server, 1);
}

async function onlySource(server: Headwater): Promise<string> {
  const answer = await server.ask("/api/tracking-sources?organizationId=org_default");
  const { sources } = (await answer.json()) as { sources: { sourceId: string }[] };
  return sources[0]!.sourceId;
}

function chartTable(shown: readonly PageTimes[], events: number): ResultTable {
  const [first, ...later] = shown;
  const row = (name: string, of: readonly PageTimes[], target: string) => [
    name,
    spread(of.map(({ headline }) => headline)),
    spread(of.map(({ chart }) => chart)),
    spread(of.map(({ lists }) => lists)),
    target,
  ];
  const isSoon = median(later.map(({ chart }) => chart)) <= TARGETS.chartMs;
  return {
    columns: [`${figure(events)} events`, "headline ms", "chart ms", "four lists ms", "target"],
    rows: [
      row("first page after the start", [first!], "-"),
      row("later pages", later, describeTarget(isSoon, "the chart within 1 s")),
    ],
  };
}

function filterTable(filtered: readonly Filtered[]): ResultTable {
  const times = filtered.map(({ ms }) => ms);
  return {
    columns: ["a click that filters", "headline and chart ms", "largest layout shift", "target"],
    rows: [
      [
        `${figure(filtered.length)} rows of the first four lists`,
        spread(times),
        figure(Math.max(...filtered.map(({ shift }) => shift))),
        describeTarget(median(times) <= TARGETS.filteredMs, "median ≤ 400 ms"),
      ],
    ],
  };
}

function listTable(frames: readonly number[]): ResultTable {
  const seconds = frames.reduce((sum, ms) => sum + ms, 0) / 1_000;
  const perSecond = frames.length / seconds;
  const slow = [...frames].sort((one, other) => other - one);
  return {
    columns: ["list", "frames/s", "frame time ms, p95", "longest frame ms", "target"],
    rows: [
      [
        `${figure(ATTEMPTS)} attempts`,
        figure(perSecond),
        figure(slow[Math.floor(slow.length / 20)]!),
        figure(slow[0]!),
        describeTarget(perSecond >= TARGETS.framesPerSecond, "≥ 50 frames/s"),
      ],
    ],
  };
}

async function openPages(context: BenchContext, server: Headwater, sourceId: string) {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const visitor = await browser.newContext({ viewport: VIEWPORT });
    await visitor.addInitScript({ content: `sessionStorage.setItem("headwater.token", "${OWNER_TOKEN}")` });
    await visitor.addInitScript({ path: PAGE_SCRIPT });
    const days = [UNTIL - (DAYS - 1) * DAY_MS, UNTIL].map((at) => new Date(at).toISOString().slice(0, 10));
    const address = `${server.url}/analytics/stats?sourceId=${sourceId}&range=${days.join("..")}&tz=UTC`;
    const page = await visitor.newPage();
    const shown: PageTimes[] = [];
    for (let round = 0; round <= context.options.rounds; round++) {
      shown.push(await openStats(page, address));
      const { chart, lists } = shown.at(-1)!;
      context.say(`  page ${round + 1}: chart after ${figure(chart)} ms, lists after ${figure(lists)}`);
    }
    const filtered = await filterPages(page, address);
    return { shown, filtered, frames: await openAttempts(visitor, server, sourceId) };
  } finally {
    await browser.close();
  }
}

export async function consolePages(context: BenchContext): Promise<BenchSection> {
  if (!existsSync(CHROMIUM))
    throw new Error(`Chromium is missing at ${CHROMIUM}. Install it: apt-get install chromium`);
  const events = context.options.quick ? QUICK_EVENTS : EVENTS;
  const engine = await startEmbedded({ folder: join(newFolder(), "warehouse"), ...ENGINE });
  try {
    return await measure(context, events, engine);
  } finally {
    engine.end();
    await engine.ended;
  }
}

/** The service is stopped while the month is generated, because its rollup worker would build rollups of incomplete days. */
async function measure(
  context: BenchContext,
  events: number,
  engine: WarehouseProcess,
): Promise<BenchSection> {
  const dataDir = newFolder();
  const before = await startHeadwater({ settings: BASE_SETTINGS, dataDir, visits: 1 });
  const sourceId = await onlySource(before);
  await before.stop();
  await month(engine, sourceId, events);
  context.say(`  ${figure(events)} events in the warehouse, with rollups of their days`);

  const { username, password, database } = engine.endpoint;
  const address = Object.assign(new URL(`${engine.endpoint.url}/${database}`), { username, password });
  const settings = { ...BASE_SETTINGS, WAREHOUSE: "", CLICKHOUSE_URL: address.href };
  const server = await startHeadwater({ settings, dataDir, sources: 0, visits: 0, command: true });
  try {
    await waitForWarehouse(server);
    await sendOne(server, before.visits[0]!);
    return sectionOf(events, await openPages(context, server, sourceId));
  } finally {
    await server.stop();
  }
}

async function month(engine: WarehouseProcess, sourceId: string, events: number): Promise<void> {
  await migrate(engine.endpoint);
  const client = connect(engine.endpoint, COMMAND_MS);
  await fill(client, sourceId, events);
  await buildRollups(client);
  await waitForMerges(client);
  await client.close();
}

function sectionOf(
  events: number,
  { shown, filtered, frames }: Awaited<ReturnType<typeof openPages>>,
): BenchSection {
  return {
    title: `The console: a chart of ${figure(events)} events, a list of ${figure(ATTEMPTS)} attempts`,
    date: new Date().toISOString(),
    settings: { ...BASE_SETTINGS, WAREHOUSE: "embedded" },
    tables: [chartTable(shown, events), filterTable(filtered), listTable(frames)],
    notes: [
      `Headless Chromium on the same cores as the service and its warehouse. The stats page of one source, for ${DAYS} days, compared with the days before: from the start of the page load until the chart, all figures above it and the first four lists are shown. The last day has an event and no rollup.`,
      "A click on a row of a list filters the page by its value: from the click until the chart and all figures above it are those of the filtered view.",
      `The list: ${figure(ATTEMPTS)} attempts arrive through the live stream, then the list is scrolled by ${SCROLL_PIXELS} pixels per frame for ${SCROLL_MS / 1_000} s. A browser draws at most 60 frames per second.`,
    ],
    data: { shown, filtered, frames },
  };
}
