/** Opens the ledger, builds the service on it, listens; and takes it all down again. */
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { fileURLToPath } from "node:url";
import { type Logger, pino } from "pino";
import { buildSdk, builtExtras } from "../../../packages/sdk/build.js";
import { setUpOnFirstStart } from "./access/first-start.ts";
import { type Config, ConfigError, type Environment, localUrl, publicSettings } from "./config/config.ts";
import { createIds } from "./core/ids.ts";
import { releaseMemory, whileCollectable } from "./core/memory.ts";
import { DAY_MS } from "./core/time.ts";
import { hashToken } from "./core/token.ts";
import { type Listening, listenFor } from "./http/listening.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { Durability } from "./ledger/sqlite/database.ts";
import { type ReadinessWatch, watchReadiness } from "./monitoring/readiness.ts";
import { type OpenedLedger, openLedger } from "./open-ledger.ts";
import { type Shipping, startShipping } from "./open-warehouse.ts";
import { createService, type Service } from "./service.ts";

const VERSION = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }
).version;
const COUNTRIES = fileURLToPath(
  import.meta.resolve("@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb"),
);
const MAINTENANCE_MS = 60_000;

export interface StartOptions {
  /** Milliseconds since the epoch; tests drive it. */
  clock?: () => number;
  /** `off` is for the control run of the power-loss test. */
  durability?: Durability;
  /** The folder of the built console; absent: none is served. */
  consoleFolder?: string | null;
}

export interface RunningServer {
  /** Where it listens. */
  url: string;
  firstStart: { token: string | null; signInUrl: string } | null;
  /** What the minute's timer does; tests that drive the clock call it. */
  maintain(): Promise<void>;
  /** Gives back what the start has used and nothing uses any more; for a process that does nothing else. */
  releaseMemory(): Promise<void>;
  /** Calls back when a part is broken that only a new process mends; requests are answered 503 until `close`. */
  onBroken(listener: (cause: Error) => void): void;
  close(): Promise<void>;
}

function createLog(level: Config["LOG_LEVEL"]): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ["*.authorization", "*.token"],
  });
}

/** The first start, or a word about an OWNER_TOKEN that has no effect any more. */
async function setUp(
  ledger: Ledger,
  config: Config,
  clock: () => number,
  newId: (prefix: string) => string,
  log: Logger,
) {
  const { ORGANIZATION_ID: organizationId, OWNER_TOKEN: ownerToken } = config;
  const first = await setUpOnFirstStart(ledger, { organizationId, ownerToken, now: clock(), newId });
  if (!first && ownerToken !== null && !(await ledger.tokenByHash({ hash: hashToken(ownerToken) }))) {
    log.warn(
      "OWNER_TOKEN is read on an empty ledger only; the one given now is ignored. `headwater token create --owner` makes another.",
    );
  }
  return first;
}

async function listen(server: Server, { PORT, HOST }: Config): Promise<Listening> {
  try {
    return await listenFor(server, { port: PORT, host: HOST });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new ConfigError(`PORT ${PORT} of ${HOST} is in use; set PORT to a free one.`);
  }
}

/** What is open, and how it is closed again: in-flight requests are answered, then everything recorded is written. */
async function closeAll(
  service: Service,
  listening: Listening,
  shipping: Shipping,
  readiness: ReadinessWatch,
  ledger: Ledger,
): Promise<void> {
  readiness.drain();
  service.stop();
  await Promise.all([listening.close(), shipping.stop()]);
  await service.finish();
  readiness.stop();
  await ledger.close();
}

async function openOn(
  { ledger, writeAttempts, ...parts }: OpenedLedger,
  config: Config,
  environment: Environment,
  { clock, consoleFolder }: { clock: () => number; consoleFolder: string | null },
  log: Logger,
): Promise<RunningServer> {
  const newId = createIds(clock);
  const readiness = watchReadiness(ledger, clock, config.DISK_LOW_WATER_BYTES, ({ ready, problems }) =>
    ready ? log.info("ready again") : log.error({ problems }, "not ready"),
  );
  await readiness.probe();

  let url = "";
  const addresses = () => {
    const baseUrl = config.BASE_URL ?? url;
    return { baseUrl, appUrl: config.APP_URL ?? baseUrl, alias: config.INGEST_ALIAS };
  };
  let shipping: Shipping | null = null;
  const service = await createService({
    config,
    shipping: () => shipping,
    settings: publicSettings(environment),
    version: VERSION,
    ledger,
    ...(writeAttempts ? { writeAttempts } : {}),
    readiness,
    clock,
    newId,
    log,
    sdk: readFileSync(await buildSdk()),
    sdkExtras: new Map((await builtExtras()).map(({ name, path }) => [`${name}.js`, readFileSync(path)])),
    consoleFolder,
    countries: config.GEOIP_FILE === "off" ? null : (config.GEOIP_FILE ?? COUNTRIES),
    addresses,
  });
  const listening = await listen(service.server, config);
  url = localUrl(config.HOST, listening.port);
  // after all that can fail: a token that was stored and never printed opens nothing
  const first = await setUp(ledger, config, clock, newId, log);
  log.info({ url, version: VERSION }, "listening");

  // after the start, which is not to be slower for it
  const release = () =>
    whileCollectable(async () => {
      await parts.releaseMemory();
      releaseMemory();
    });
  const { memory } = service;
  // a thread that has ended is told elsewhere
  const onCaughtUp = () => void release().catch(() => undefined);
  const begun = await startShipping({ config, ledger, clock, newId, log, memory, onCaughtUp });
  shipping = begun;
  const upkeep = [
    () => ledger.maintain({ now: clock() }),
    () => ledger.expireAudit({ before: clock() - config.AUDIT_RETENTION_DAYS * DAY_MS }),
    () => service.alert({ now: clock() }),
    () => begun.expire({ now: clock() }),
  ];
  // what fails of it keeps nothing else from being done
  const maintain = async () => {
    const failures: unknown[] = [];
    for (const step of upkeep) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures);
  };
  const maintained = () =>
    void maintain().catch((error: unknown) => log.error({ err: error }, "maintenance failed"));
  const timer = setInterval(maintained, MAINTENANCE_MS).unref();
  parts.onBroken((cause) => log.fatal({ err: cause }, "a thread has ended; the process stops"));
  const signInUrl = `${addresses().appUrl}/sign-in#code=${first?.signInCode}`;
  return {
    url,
    firstStart: first && { token: first.token, signInUrl },
    maintain,
    releaseMemory: release,
    onBroken: parts.onBroken,
    close: async () => {
      clearInterval(timer);
      await closeAll(service, listening, begun, readiness, ledger);
      log.info("stopped");
    },
  };
}

/**
 * @throws ConfigError on a setting that cannot be used, and what `openLedger` throws; nothing is left open then
 */
export async function startServer(
  config: Config,
  environment: Environment,
  options: StartOptions = {},
): Promise<RunningServer> {
  const clock = options.clock ?? Date.now;
  const { durability, consoleFolder = null } = options;
  const opened = await openLedger(config, { now: clock(), ...(durability ? { durability } : {}) });
  try {
    return await openOn(opened, config, environment, { clock, consoleFolder }, createLog(config.LOG_LEVEL));
  } catch (error) {
    await opened.ledger.close();
    throw error;
  }
}
