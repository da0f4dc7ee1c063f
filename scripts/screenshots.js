// `npm run screenshots`: writes the README's pictures of the console, docs/images/console-light.png and console-dark.png.
// It starts the service on a temporary data folder, seeds made-up traffic, and opens the stats overview in Chromium.
// The traffic and the browser's clock are fixed, so that the pictures change only when the console does.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const HEADWATER = fileURLToPath(new URL("../apps/server/bin/headwater.js", import.meta.url));
const IMAGES = fileURLToPath(new URL("../docs/images/", import.meta.url));
const CHROMIUM = "/usr/bin/chromium";
const OWNER_TOKEN = "the-owner-token-of-the-screenshots-0123456789";
const SITE = "https://shop.example";

/** The last 30 days before this time are shown, and compared with the 30 days before them. */
const UNTIL = "2026-10-01T00:00:00.000Z";
const DATE_RANGE = ["2026-09-01", "2026-10-01"];
const NOW = "2026-09-30T20:00:00.000Z";
const TRAFFIC = ["--events", "90000", "--days", "90", "--seed", "7"];
const LIVE_VISITORS = 12;

const START_TIMEOUT_MS = 300_000;
const PAGE_TIMEOUT_MS = 60_000;

const dataDir = mkdtempSync(join(tmpdir(), "headwater-screenshots-"));
const environment = {
  PATH: process.env.PATH,
  DATA_DIR: dataDir,
  PORT: "0",
  WAREHOUSE: "embedded",
  LOG_LEVEL: "silent",
  OWNER_TOKEN,
};

/** Starts the service. @returns its URL, and a function that stops it */
async function startService() {
  const child = spawn(process.execPath, [HEADWATER, "serve", "--json"], {
    env: environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
  };
  const timeout = setTimeout(stop, START_TIMEOUT_MS);
  const lines = [];
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line);
    const url = /"url":"([^"]+)"/.exec(line)?.[1];
    if (url === undefined) continue;
    clearTimeout(timeout);
    child.stderr.resume();
    return { url, stop };
  }
  throw new Error(`The service did not start:\n${lines.join("\n")}`);
}

/** Calls the API as the owner, or ingest as a page does, without a token. @throws Error when the answer is not a success */
async function callApi(url, path, body) {
  const authorization = path.startsWith("/api/ingest/") ? {} : { Authorization: `Bearer ${OWNER_TOKEN}` };
  const response = await fetch(url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { ...authorization, "Content-Type": "application/json", Origin: SITE },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

async function createSource(url) {
  const { organizations } = await callApi(url, "/api/organizations");
  const { organizationId } = organizations[0];
  const body = { organizationId, name: "Example shop", allowedOrigins: [SITE] };
  return callApi(url, "/api/tracking-sources", body);
}

function seed(sourceId) {
  const words = [HEADWATER, "seed", "--to-warehouse", "--source", sourceId, "--until", UNTIL, ...TRAFFIC];
  const { status } = spawnSync(process.execPath, words, { env: environment, stdio: "inherit" });
  if (status !== 0) throw new Error("Seeding failed.");
}

/** Sends a page view of each of some visitors now, for the count of current visitors. */
async function sendLiveVisits(url, { publicKey }) {
  for (let number = 1; number <= LIVE_VISITORS; number++) {
    const sentAt = new Date().toISOString();
    const page = { url: `${SITE}/`, title: "Shop", referrer: null };
    await callApi(url, `/api/ingest/v2/${publicKey}/bootstrap`, {
      ingestVersion: 2,
      sdkVersion: "headwater-js/0.1.0",
      batchId: `screenshots-${number}`,
      sentAt,
      anonymousId: `visitor-${number}`,
      page,
      context: { userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" },
      events: [{ id: `live-${number}`, type: "page", timestamp: sentAt, page }],
    });
  }
}

/** Opens the stats overview in one color scheme and writes its picture. */
async function takeScreenshot(browser, url, sourceId, colorScheme) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 1000 },
    colorScheme,
    locale: "en-US",
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  await page.clock.setFixedTime(new Date(NOW));
  await page.addInitScript(`sessionStorage.setItem("headwater.token", ${JSON.stringify(OWNER_TOKEN)})`);
  // the page asks for "30d" by the service's clock; the fixed days are those of the seeded traffic
  await page.route("**/api/stats/query", async (route) => {
    const body = route.request().postDataJSON();
    await route.continue({ postData: JSON.stringify({ ...body, dateRange: DATE_RANGE }) });
  });
  await page.goto(`${url}/analytics/stats?sourceId=${sourceId}&range=30d&tz=UTC`);
  await page.getByText(`${LIVE_VISITORS} current visitors`).waitFor();
  await page.getByRole("tabpanel").first().getByRole("row").nth(1).waitFor();
  // key metrics show "…" until their values have loaded
  await page
    .getByRole("region", { name: "Key metrics" })
    .getByText("…")
    .first()
    .waitFor({ state: "detached" });
  await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
  await page.screenshot({ path: join(IMAGES, `console-${colorScheme}.png`), animations: "disabled" });
  await context.close();
}

let service = await startService();
try {
  const source = await createSource(service.url);
  await service.stop();
  seed(source.sourceId);
  service = await startService();
  await sendLiveVisits(service.url, source);
  mkdirSync(IMAGES, { recursive: true });
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    for (const colorScheme of ["light", "dark"])
      await takeScreenshot(browser, service.url, source.sourceId, colorScheme);
  } finally {
    await browser.close();
  }
} finally {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
console.log(`Screenshots written to ${IMAGES}`);
