/** Starts the service: opens its stores, builds its parts in order, listens, and closes all of it in reverse order. */

import type { Server } from "node:http";
import { fileURLToPath } from "node:url";
import { type Logger, pino } from "pino";
import { setUpOnFirstStart } from "./access/first-start.ts";
import { startBackgroundWorkers } from "./background.ts";
import { type BuildInfo, readBuild, readVersion } from "./config/build-info.ts";
import {
  addressesOf,
  ConfigError,
  changedSettings,
  type Environment,
  localUrl,
  misspeltSettings,
  nodeUrl,
  publicSettings,
} from "./config/config.ts";
import type { Config } from "./config/settings.ts";
import { createContext, type ServiceContext } from "./context.ts";
import { HEADWATER } from "./core/command-name.ts";
import { createIds } from "./core/ids.ts";
import { releaseMemory, withGcEnabled } from "./core/memory.ts";
import { hashToken } from "./core/token.ts";
import { listenFor } from "./http/listening.ts";
import { readScripts } from "./http/scripts.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { Durability } from "./ledger/sqlite/database.ts";
import { lastBackupMs } from "./ledger/sqlite/folder-mark.ts";
import { createMetrics } from "./monitoring/metrics.ts";
import { Readiness } from "./monitoring/readiness.ts";
import { type OpenedLedger, openLedger } from "./open-ledger.ts";
import { openWarehouse } from "./open-warehouse.ts";
import { priorityRefusal } from "./overload/priority.ts";
import { createHttpService, type ServiceAssets } from "./service.ts";

export interface StartOptions {
  /** Milliseconds since the epoch; tests drive it. */
  clock?: () => number;
  /** `off` is for the control run of the power-loss test. */
  durability?: Durability;
  /** The folder of the built console; null or absent: no console is served. */
  consoleFolder?: string | null;
  /** Whether the first start makes a one-time sign-in link. Default: it does. */
  signInLink?: boolean;
  /** Whether the first start makes a token of the owner when OWNER_TOKEN is not set. Default: it does. */
  ownerToken?: boolean;
  /** For tests: replaces methods of the ledger, to see how its failures are answered. */
  changeLedger?: (ledger: Ledger) => Ledger;
  /** For tests: receives the log lines. Default: standard output. */
  logStream?: { write(line: string): void };
}

export interface RunningServer {
  /** The address that the service listens on. */
  url: string;
  /** The console's sign-in page. */
  signInUrl: string;
  /** `signInUrl` has a one-time code unless `signInLink` is off. */
  firstStart: { token: string | null; signInUrl: string } | null;
  /** Runs the workers that run every minute. For tests that drive the clock. */
  maintain(): Promise<void>;
  /** Returns memory that only the start needed to the operating system. Call it when this process does nothing else. */
  releaseMemory(): Promise<void>;
  /** Calls back when the service can only continue in a new process. It answers 503 until it is closed. */
  onBroken(listener: (cause: Error) => void): void;
  close(): Promise<void>;
}

const COUNTRIES = fileURLToPath(
  import.meta.resolve("@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb"),
);

function createLog(level: Config["LOG_LEVEL"], stream: StartOptions["logStream"]): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ["*.authorization", "*.token", "*.cause.authorization", "*.cause.token"],
    // the default appends the cause's message, which often is the same
    serializers: { err: pino.stdSerializers.errWithCause },
  };
  return stream ? pino(options, stream) : pino(options);
}

async function readAssets(
  environment: Environment,
  { consoleFolder = null }: StartOptions,
  { build }: ServiceParts,
): Promise<ServiceAssets> {
  return {
    build: await build,
    settings: publicSettings(environment),
    changedSettings: changedSettings(environment),
    scripts: await readScripts(),
    consoleFolder,
  };
}

/** On an empty ledger, creates the workspace and its owner. */
async function setUpLedger(context: ServiceContext, { signInLink = true, ownerToken = true }: StartOptions) {
  const { ledger, config, log } = context;
  const first = await setUpOnFirstStart(context, { token: ownerToken, signInCode: signInLink });
  const { OWNER_TOKEN: given } = config;
  if (!first && given !== null && !(await ledger.tokenByHash({ hash: hashToken(given) }))) {
    log.warn(
      `OWNER_TOKEN is used only for an empty ledger, so this value is ignored. To create another token for the owner, run \`${HEADWATER} token create --owner\`.`,
    );
  }
  return first;
}

async function listen(server: Server, { PORT, HOST }: Config) {
  try {
    return await listenFor(server, { port: PORT, host: HOST });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    throw new ConfigError(
      `PORT ${PORT} on ${HOST} is in use, perhaps by another Headwater process. Stop it, or set PORT to a free port, such as PORT=${PORT + 1}.`,
    );
  }
}

function logStart(log: Logger, facts: BuildInfo & { url: string }, environment: Environment): void {
  log.info(facts, "listening");
  for (const problem of misspeltSettings(environment)) log.warn(problem);
  const refusal = priorityRefusal();
  if (refusal !== null) log.debug({ reason: refusal }, "background work runs with the priority of ingest");
}

/** OpenTelemetry is imported only when the settings name a collector. */
async function openTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }: Config) {
  if (endpoint === null) return null;
  const { openTracer } = await import("./monitoring/tracing.ts");
  return openTracer({ endpoint, version: readVersion() });
}

type ServiceParts = Awaited<ReturnType<typeof buildContext>>;

/** Probes the ledger once. */
async function openReadiness(
  { ledger }: OpenedLedger,
  { config, clock, log }: Pick<ServiceContext, "config" | "clock" | "log">,
): Promise<Readiness> {
  const readiness = new Readiness({
    ledger,
    clock,
    lowWaterBytes: config.DISK_LOW_WATER_BYTES,
    onChange: ({ ready, problems }, cause) =>
      ready
        ? log.info("the service is ready again")
        : log.error({ problems, err: cause ?? undefined }, "the service is not ready"),
  });
  await readiness.probe();
  return readiness;
}

/** Opens the ledger and the warehouse, and builds what the service and its workers share. */
async function buildContext(
  config: Config,
  { clock = Date.now, durability, changeLedger, logStream }: StartOptions,
  cleanup: AsyncDisposableStack,
) {
  const log = createLog(config.LOG_LEVEL, logStream);
  const warn = (message: string) => log.warn(message);
  // git answers while the ledger is opened
  const build = readBuild();
  const metrics = createMetrics(build);
  const tracer = await openTracing(config);
  if (tracer) cleanup.defer(tracer.close);
  const onGroup = (requests: number) => {
    const startedAt = performance.now();
    return () => metrics.commitGroup(requests, performance.now() - startedAt);
  };
  const opened = await openLedger(config, {
    now: clock(),
    warn,
    onGroup,
    ...(durability && { durability }),
  });
  const openedLedger = changeLedger ? { ...opened, ledger: changeLedger(opened.ledger) } : opened;
  cleanup.defer(() => openedLedger.ledger.close());
  const readiness = await openReadiness(openedLedger, { config, clock, log });
  // with PORT=0 the system chooses it when the service listens
  const bound = { port: config.PORT };
  const { warehouse, startMonitor } = await openWarehouse(
    config,
    {
      ledger: openedLedger.ledger,
      log,
      url: () => nodeUrl(config.HOST, bound.port),
      nodeUrl: () => readiness.state().status?.warehouseUrl ?? null,
      isLost: () => readiness.state().status?.isWarehouseLost ?? false,
    },
    cleanup,
  );
  const context = await createContext({
    config,
    clock,
    newId: createIds(clock),
    log,
    openedLedger,
    warehouse,
    readiness,
    metrics,
    tracer,
    addresses: () => addressesOf(config, bound.port),
    placesFile:
      config.GEOIP_FILE === "off"
        ? null
        : { path: config.GEOIP_FILE ?? COUNTRIES, mayHaveCities: config.GEOIP_FILE !== null },
  });
  cleanup.defer(context.flush);
  return { build, context, openedLedger, startMonitor, bound };
}

/** Starts the monitor of the warehouse and the workers, and registers the metrics that are read from them. */
async function startWorkers(
  { context, openedLedger, startMonitor }: ServiceParts,
  cleanup: AsyncDisposableStack,
  { releaseMemory, onUnusable }: { releaseMemory(): Promise<void>; onUnusable(cause: Error): void },
) {
  const { config, metrics } = context;
  const monitor = startMonitor?.(onUnusable) ?? null;
  if (monitor) cleanup.use(monitor);
  const workers = await startBackgroundWorkers(context, releaseMemory);
  metrics.registerSources({
    ...context,
    ledgerLoad: openedLedger.load,
    shipped: workers.shipped,
    lastBackupMs: () => (config.DATABASE_URL === null ? lastBackupMs(config.DATA_DIR) : null),
    workers: () => [...(monitor ? [monitor.status()] : []), ...workers.statuses()],
  });
  return workers;
}

/** Collects what ends the process: a thread of the ledger that has ended, and a warehouse that this version cannot use. */
function watchFailures({ openedLedger, context: { log } }: ServiceParts) {
  const unusable = Promise.withResolvers<Error>();
  openedLedger.onBroken((cause) => log.fatal({ err: cause }, "a thread has ended; the process stops"));
  void unusable.promise.then((cause) =>
    log.fatal({ err: cause }, "the warehouse cannot be used; the process stops"),
  );
  const onBroken: RunningServer["onBroken"] = (listener) => {
    openedLedger.onBroken(listener);
    void unusable.promise.then(listener);
  };
  return { onBroken, onUnusable: unusable.resolve };
}

/**
 * @throws ConfigError when a setting cannot be used, and what `openLedger` throws; nothing is left open then
 */
export async function startServer(
  config: Config,
  environment: Environment,
  options: StartOptions = {},
): Promise<RunningServer> {
  await using cleanup = new AsyncDisposableStack();
  const parts = await buildContext(config, options, cleanup);
  const { context, openedLedger, bound } = parts;
  const { log, readiness } = context;

  const assets = await readAssets(environment, options, parts);
  const http = createHttpService(context, assets);
  const listening = await listen(http.server, config);
  cleanup.defer(listening.close);
  bound.port = listening.port;
  const url = localUrl(config.HOST, listening.port);
  // after everything that can fail: a token that was stored and never printed would be lost
  const firstStart = await setUpLedger(context, options);
  logStart(log, { url, ...assets.build }, environment);

  let lastRelease = Promise.resolve();
  const release = () => {
    const releaseAll = async () => {
      await openedLedger.releaseMemory();
      releaseMemory();
    };
    lastRelease = lastRelease.catch(() => undefined).then(() => withGcEnabled(releaseAll));
    return lastRelease;
  };
  // workers start last, so that they do not slow the start down
  const { onBroken, onUnusable } = watchFailures(parts);
  const workers = await startWorkers(parts, cleanup, { releaseMemory: release, onUnusable });
  // a new ledger holds nothing that could be damaged
  if (!firstStart) void openedLedger.check().then(() => readiness.probe());

  cleanup.defer(async () => {
    readiness.drain();
    http.endStreams();
    // workers stop while the last requests are answered, so that the service stops in time
    await Promise.all([listening.close(), workers.stop()]);
  });
  const whileRunning = cleanup.move();
  const signInPage = `${context.addresses().appUrl}/sign-in`;
  return {
    url,
    signInUrl: signInPage,
    firstStart: firstStart && {
      token: firstStart.token,
      signInUrl: firstStart.signInCode === null ? signInPage : `${signInPage}#code=${firstStart.signInCode}`,
    },
    maintain: workers.maintain,
    releaseMemory: release,
    onBroken,
    close: async () => {
      await whileRunning.disposeAsync();
      log.info("stopped");
    },
  };
}
