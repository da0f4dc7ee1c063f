// `npm run screenshots`: writes the pictures of docs/screenshots/ and their page, docs/screenshots/README.md. It shows an
// example shop (scripts/example-shop.js) in Chromium. Its traffic and its clock are fixed, so that the pictures change only
// when the console does. `npm run screenshots -- debug paths` writes the named pictures only.
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { NOW, OWNER_TOKEN, startExampleShop } from "./example-shop.js";

const FOLDER = fileURLToPath(new URL("../docs/screenshots/", import.meta.url));
const CHROMIUM = "/usr/bin/chromium";
const PAGE_TIMEOUT_MS = 60_000;
const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** Bytes of all pictures together: everyone who clones the repository downloads them. */
const MAX_BYTES = 3_000_000;

const stats = (search) => (shop) => `/analytics/stats?sourceId=${shop.sourceId}&tz=UTC&range=28d&${search}`;
const ofSource = (path) => (shop) => `${path}?sourceId=${shop.sourceId}`;
const scrollTo = (label) => async (page) => {
  const panel = page.getByRole("region", { name: label, exact: true });
  await panel.evaluate((element) => element.scrollIntoView({ block: "start" }));
  await page.mouse.wheel(0, -16);
};

/** Each picture: its page, what it shows, and what is done on the page before it is taken. */
const PICTURES = [
  {
    name: "stats-light",
    text: "Stats: the last 28 days, compared with the 28 days before",
    path: stats("compare=previous"),
  },
  {
    name: "stats-dark",
    text: "Dark",
    path: stats("compare=previous"),
    isDark: true,
  },
  {
    name: "locations",
    text: "Places, goals and events",
    path: stats("places=map&with=browser"),
    prepare: scrollTo("Devices"),
  },
  {
    name: "funnel",
    text: "A funnel by device",
    path: stats("view=funnel&step1=page:/&step2=page:/products&step3=event:search&within=month"),
    prepare: async (page) => {
      await page.getByLabel("Break down by").selectOption({ label: "Device" });
      await page.getByRole("region", { name: "Funnel by Device" }).waitFor();
    },
  },
  {
    name: "paths",
    text: "Paths",
    path: stats("view=paths"),
    prepare: async (page, waitUntilLoaded) => {
      for (const name of ["/", "/products", "/pricing"]) {
        await page.getByRole("button", { name, exact: true }).last().click();
        await waitUntilLoaded();
      }
    },
  },
  { name: "realtime", text: "The last 30 minutes", path: stats("view=realtime"), isDark: true },
  { name: "sources", text: "Sources", path: () => "/sources" },
  {
    name: "install",
    text: "Install",
    path: ofSource("/analytics/setup/install"),
  },
  {
    name: "debug",
    text: "Debug: every request with its answer",
    path: ofSource("/analytics/setup/debug"),
  },
  {
    name: "request",
    text: "A request: received, answered, stored",
    path: ofSource("/analytics/setup/debug"),
    prepare: async (page) => {
      const attempts = page.getByRole("listbox", { name: "Requests" });
      await attempts.getByRole("option").filter({ hasText: "partial" }).first().click();
      await page.getByRole("region", { name: "Received, JSON" }).waitFor();
      await scrollTo("Request")(page);
    },
    isDark: true,
  },
  { name: "events", text: "The event catalogue and the tracking plan", path: ofSource("/sources/events") },
  {
    name: "phone",
    text: "Stats on a phone",
    path: stats("compare=previous"),
    viewport: PHONE,
    isDark: true,
  },
];

/** The time without a request after which a page has loaded. */
const QUIET_MS = 1_000;
/** A request that runs longer is a stream. */
const STREAM_MS = 10_000;

/** @returns a function that waits until the page has loaded everything that it shows */
function watchRequests(page) {
  const running = new Map();
  let changedAt = Date.now();
  page.on("request", (request) => {
    changedAt = Date.now();
    running.set(request, changedAt);
  });
  for (const end of ["requestfinished", "requestfailed"])
    page.on(end, (request) => {
      changedAt = Date.now();
      running.delete(request);
    });
  const isQuiet = () =>
    Date.now() - changedAt > QUIET_MS &&
    [...running.values()].every((startedAt) => Date.now() - startedAt > STREAM_MS);
  return async () => {
    while (!isQuiet()) await setTimeout(QUIET_MS / 10);
    await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
  };
}

async function takePicture(browser, shop, { name, path, prepare, viewport = DESKTOP, isDark = false }) {
  const context = await browser.newContext({
    viewport,
    colorScheme: isDark ? "dark" : "light",
    locale: "en-US",
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  await page.clock.setFixedTime(new Date(NOW));
  await page.addInitScript(`sessionStorage.setItem("headwater.token", ${JSON.stringify(OWNER_TOKEN)})`);
  const waitUntilLoaded = watchRequests(page);
  await page.goto(shop.url + path(shop));
  await waitUntilLoaded();
  await prepare?.(page, waitUntilLoaded);
  await waitUntilLoaded();
  const file = join(FOLDER, `${name}.png`);
  await page.screenshot({ path: file, animations: "disabled" });
  await context.close();
  return statSync(file).size;
}

const section = ({ name, text }) => `## ${text}\n\n![${name}](${name}.png)\n`;
const README = `# Pictures of the console

\`npm run screenshots\` writes them. They show made-up traffic.

${PICTURES.map(section).join("\n")}`;

const wanted = process.argv.slice(2);
const chosen = PICTURES.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
mkdirSync(FOLDER, { recursive: true });
writeFileSync(join(FOLDER, "README.md"), README);
const example = await startExampleShop();
try {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    let bytes = 0;
    for (const picture of chosen) {
      const size = await takePicture(browser, { url: example.url, ...example.shop }, picture);
      console.log(`${picture.name}: ${size} bytes`);
      bytes += size;
    }
    if (bytes > MAX_BYTES) throw new Error(`The pictures have ${bytes} bytes, more than ${MAX_BYTES}.`);
  } finally {
    await browser.close();
  }
} finally {
  await example.stop();
}
console.log(`Pictures written to ${FOLDER}`);
