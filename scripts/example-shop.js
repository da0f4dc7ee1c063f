// A service with made-up traffic on a temporary data folder, for the pictures of the console. The traffic and the service's
// clock are fixed, so that everything that it shows is the same in every run.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildConsole } from "../apps/console/build.js";
import { readConfig } from "../apps/server/src/config/config.ts";
import { startServer } from "../apps/server/src/server.ts";
import { generateVisits } from "../apps/server/tools/seed/traffic.ts";

const HEADWATER = fileURLToPath(new URL("../apps/server/bin/headwater.js", import.meta.url));
export const OWNER_TOKEN = "the-owner-token-of-the-example-shop-0123456789";
export const SITE = "https://shop.example";
/** The time of the service when everything has happened. */
export const NOW = Date.parse("2026-09-30T20:00:00.000Z");
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Visits of the last day are sent to ingest, so that they are in the debug history; older ones are only in the warehouse. */
const INGEST_SINCE = NOW - DAY_MS;
const HISTORY = ["--events", "90000", "--days", "90", "--seed", "7"];
const LAST_DAY = { seed: 7, events: 1_100, days: 1, until: NOW - MINUTE_MS, site: SITE };
const OTHER_SITE_SHARE = 4;

const dayBefore = (days) => new Date(NOW - days * DAY_MS).toISOString().slice(0, 10);

/** Calls the API as the owner. @throws Error when the answer is not a success */
async function callApi(url, path, body, method = body === undefined ? "GET" : "POST") {
  const response = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${OWNER_TOKEN}`, "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/** Sends a batch as a browser does. Its answer may be a refusal. */
async function sendBatch(url, source, { site = SITE, visitor, events, id }) {
  const response = await fetch(`${url}/api/ingest/v2/${source.publicKey}/bootstrap`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Origin: site,
      "User-Agent": visitor.userAgent,
      "X-Country": visitor.country,
    },
    body: JSON.stringify({
      ingestVersion: 2,
      sdkVersion: "example",
      anonymousId: visitor.anonymousId,
      userId: visitor.userId,
      page: events[0].page,
      context: { locale: visitor.locale, timezone: visitor.timezone },
      batchId: `batch-${id}`,
      sentAt: events.at(-1).timestamp,
      events,
    }),
  });
  await response.arrayBuffer();
}

const PURCHASE_SCHEMA = {
  type: "object",
  properties: { revenue: { type: "object" }, order: { type: "string" } },
  required: ["revenue", "order"],
};
const SIGNUP_SCHEMA = {
  type: "object",
  properties: { plan: { enum: ["free", "pro"] }, coupon: { type: "string" } },
  required: ["plan"],
};

async function createSources(url) {
  const { organizations } = await callApi(url, "/api/organizations");
  const { organizationId } = organizations[0];
  const create = (fields) => callApi(url, "/api/tracking-sources", { organizationId, ...fields });
  const shop = await create({
    name: "Example shop",
    allowedOrigins: [SITE],
    goals: [
      { name: "Purchase", event: "purchase" },
      { name: "Sign-up", event: "signup" },
      { name: "Saw the pricing", path: "/pricing" },
    ],
  });
  const help = await create({ name: "Help center", allowedOrigins: ["https://help.shop.example"] });
  const beta = await create({ name: "Beta shop", allowedOrigins: ["https://beta.shop.example"] });
  await create({ name: "Investor site", allowedOrigins: ["https://investors.shop.example"] });
  return { organizationId, shop, help, beta };
}

/** Saves items as members do: funnel, segments, an annotation and a tracking plan. */
async function saveSettings(url, { organizationId, shop }) {
  const saved = (body) =>
    callApi(url, `/api/tracking-sources/${shop.sourceId}/saved`, { organizationId, shared: true, ...body });
  await saved({ kind: "annotation", name: "Autumn sale begins", day: dayBefore(14) });
  await saved({
    kind: "funnel",
    name: "Searching",
    steps: [{ page: "/" }, { page: "/products" }, { event: "search" }],
    windowSeconds: 2_592_000,
  });
  await saved({
    kind: "segment",
    name: "Paid visits from Europe",
    filters: [
      { dimension: "channel", operator: "contains", value: "Paid" },
      { dimension: "country", operator: "in", value: ["DE", "FR", "NL", "ES", "PL"] },
    ],
  });
  await callApi(url, "/api/onboarding", { organizationId }, "POST");
  const plan = {
    mode: "warn",
    unknownEvents: "allow",
    events: { purchase: { schema: PURCHASE_SCHEMA }, signup: { schema: SIGNUP_SCHEMA, mode: "reject" } },
  };
  await callApi(url, `/api/tracking-sources/${shop.sourceId}/plan`, { organizationId, plan }, "PUT");
}

const PROBLEM_VISITOR = {
  anonymousId: "visitor-of-a-problem",
  userId: null,
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
  country: "DE",
  locale: "de-DE",
  timezone: "Europe/Berlin",
};
/** Requests of the last hour that are refused or partly rejected, by minutes before the end. */
const PROBLEMS = [
  ...Array.from({ length: 14 }, (_, at) => ({
    minutesAgo: 44 - at * 3,
    site: "https://staging.shop.example",
  })),
  ...Array.from({ length: 5 }, (_, at) => ({
    minutesAgo: 21 - at * 2,
    site: "https://shop-preview.example.net",
  })),
  ...Array.from({ length: 6 }, (_, at) => ({ minutesAgo: 38 - at * 5, plan: "team" })),
];

function toProblem({ minutesAgo, site, plan }, number) {
  const at = NOW - minutesAgo * MINUTE_MS;
  const timestamp = new Date(at).toISOString();
  const page = { url: `${site ?? SITE}/pricing`, title: "Pricing – Example Shop", referrer: null };
  const view = { id: `view-${number}`, type: "page", timestamp, page };
  const signup = {
    id: `signup-${number}`,
    type: "track",
    name: "signup",
    timestamp,
    page,
    properties: { plan },
  };
  const events = plan === undefined ? [view] : [view, signup];
  return { at, site, visitor: PROBLEM_VISITOR, events, id: `problem-${number}` };
}

/** The batches of the last day in the order in which they arrive. */
const lastDay = () =>
  [
    ...generateVisits(LAST_DAY).map(({ sessionId, visitor, events }) => ({
      at: events.at(-1).at,
      visitor,
      events: events.map(({ event }) => event),
      id: sessionId,
    })),
    ...PROBLEMS.map(toProblem),
  ].sort((one, other) => one.at - other.at);

/** @returns the service's URL, its sources, and a function that stops it and removes its data */
export async function startExampleShop() {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-example-"));
  const environment = {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    PORT: "0",
    WAREHOUSE: "embedded",
    LOG_LEVEL: "silent",
    OWNER_TOKEN,
    BASE_URL: "https://stats.shop.example",
    WORKSPACE_EVENTS_PER_DAY: "5000",
    TRUST_PROXY: "127.0.0.1",
    GEO_HEADER: "x-country",
    CLIENT_RATE_PER_SECOND: "100000",
    CLIENT_RATE_BURST: "100000",
  };
  let time = INGEST_SINCE;
  const consoleFolder = await buildConsole(console.error);
  const start = () =>
    startServer(readConfig(environment), environment, {
      consoleFolder,
      clock: () => time,
      signInLink: false,
    });
  let server = await start();
  const sources = await createSources(server.url);
  await server.close();
  const until = new Date(INGEST_SINCE).toISOString();
  const words = [HEADWATER, "seed", "--to-warehouse", "--source", sources.shop.sourceId, "--until", until];
  const { status } = spawnSync(process.execPath, [...words, ...HISTORY], {
    env: environment,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("Seeding failed.");
  server = await start();
  const { url } = server;
  await saveSettings(url, sources);
  for (const [number, batch] of lastDay().entries()) {
    time = Math.max(time, batch.at);
    await sendBatch(url, sources.shop, batch);
    const id = `help-${number}`;
    if (number % OTHER_SITE_SHARE === 0 && batch.site === undefined) {
      const events = batch.events.map((event) => ({ ...event, id: `${id}-${event.id}` }));
      await sendBatch(url, sources.help, { ...batch, events, id, site: "https://help.shop.example" });
    }
    if (number % OTHER_SITE_SHARE === 2)
      await sendBatch(url, sources.beta, { ...batch, id: `beta-${number}` });
  }
  time = NOW;
  return {
    url,
    ...sources,
    callApi: (path, body, method) => callApi(url, path, body, method),
    stop: async () => {
      await server.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
