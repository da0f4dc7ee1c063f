/** Wires the test server: the HTTP pipeline, ingest and the adapters of the service over a ledger in memory. */
import type { TrackingPlan } from "@headwater/contract";
import { createSourceLists } from "../../src/channels/source-lists.ts";
import { ADAPTERS } from "../../src/compat/adapters.ts";
import { strayAdapter } from "../../src/compat/stray.ts";
import { localUrl, readConfig } from "../../src/config/config.ts";
import { createIds } from "../../src/core/ids.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { createHttpApp } from "../../src/http/app.ts";
import { listenFor } from "../../src/http/listening.ts";
import { type ServeRoute, sendAnswer } from "../../src/http/reply.ts";
import { findClient, findExtra, readScripts, type ServedScripts } from "../../src/http/scripts.ts";
import { createIngest } from "../../src/ingest/ingest.ts";
import { NO_PLACE } from "../../src/ingest/places.ts";
import { createIngestRoutes } from "../../src/ingest/routes.ts";
import { appliedLimits } from "../../src/sources/render.ts";
import { type PlanFolder, placeInPlan } from "../plan/plan-folder.ts";
import { MemoryLedger } from "./memory-ledger.ts";
import { ReceivedEvents } from "./received.ts";
import { createTestRoutes } from "./test-routes.ts";

const HOST = "127.0.0.1";
const UNLIMITED = 1_000_000;
const RATE = { perSecond: UNLIMITED, burst: UNLIMITED };
const RATES = {
  client: RATE,
  source: RATE,
  unknownKey: RATE,
  failedAuth: RATE,
  clientBytes: null,
};

export interface TestServer {
  readonly url: string;
  close(): Promise<void>;
}

/** A test must see every violation, also of what the service only warns of. */
const asRejecting = ({ unknownEvents, events }: TrackingPlan): TrackingPlan => ({
  mode: "reject",
  unknownEvents: unknownEvents === "warn" ? "reject" : unknownEvents,
  events: Object.fromEntries(
    Object.entries(events).map(([name, { mode, schema }]) => [
      name,
      { mode: mode === "off" ? mode : null, schema },
    ]),
  ),
});

const report = (error: unknown) =>
  void process.stderr.write(`A request failed: ${error instanceof Error ? error.stack : error}\n`);

/** The browser client, and what a test runner may ask to see whether the server is up. There is no workspace. */
function createPublicRoutes(): ServeRoute {
  let scripts: Promise<ServedScripts> | undefined;
  // built at the first request, if their sources have changed
  const load = () => {
    scripts ??= readScripts();
    return scripts;
  };
  return async (exchange, { id }, { file = "" }) => {
    const ok = { status: 200 };
    if (id === "healthz" || id === "readyz") return sendAnswer(exchange, { body: { status: "ok" } }, ok);
    if (id === "sdkExtra") return sendAnswer(exchange, { document: await findExtra(await load(), file) }, ok);
    if (id !== "sdk") throw new Refusal("route_not_found");
    const extra = new URLSearchParams(exchange.queryText).get("with");
    sendAnswer(exchange, { document: await findClient(await load(), extra) }, ok);
  };
}

function createTestIngest(ledger: MemoryLedger, received: ReceivedEvents, newId: (prefix: string) => string) {
  const config = readConfig({ CLIENT_RATE_PER_SECOND: `${UNLIMITED}`, CLIENT_RATE_BURST: `${UNLIMITED}` });
  const ingest = createIngest({
    ledger,
    sourceLists: createSourceLists(),
    clock: Date.now,
    newId,
    stopwatch: () => performance.now(),
    rates: RATES,
    nodes: () => 1,
    limitsOf: ({ limits }) => appliedLimits(limits, config),
    maxInFlight: config.INGEST_IN_FLIGHT,
    placeOf: () => NO_PLACE,
    isDataCentre: null,
    isSpamReferrer: () => false,
    // any token will do
    authenticateSender: async () => undefined,
    unavailable: () => null,
    observe: (attempt) => received.add(attempt),
    report,
  });
  return { ingest, config };
}

/** @throws Error of `listen` in `node:net`, such as EADDRINUSE */
export async function startTestServer(port: number, folder: PlanFolder | null): Promise<TestServer> {
  const received = new ReceivedEvents((event, violation) => folder && placeInPlan(folder, event, violation));
  const ledger = new MemoryLedger(folder && asRejecting(folder.plan));
  const newId = createIds(Date.now);
  const { ingest, config } = createTestIngest(ledger, received, newId);
  let url = "";
  const addresses = () => ({ baseUrl: url, appUrl: url });
  const server = createHttpApp({
    config,
    newId,
    report,
    addresses,
    serveWorkspace: createPublicRoutes(),
    ...createIngestRoutes({
      config,
      ingest,
      addresses,
      clock: Date.now,
      debugUrl: () => `${url}/rejected`,
      adapters: ADAPTERS,
      strayAdapter,
    }),
    otherPaths: createTestRoutes(received, () => ledger.forgetEvents()),
    onServed: () => undefined,
    stopwatch: () => performance.now(),
  });
  const listening = await listenFor(server, { port, host: HOST });
  url = localUrl(HOST, listening.port);
  return { url, close: listening.close };
}
