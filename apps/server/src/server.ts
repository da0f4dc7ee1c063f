/** The only wiring: opens the stores, builds the rooms, listens; and takes it all down again. */
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { LIMITS } from "@headwater/contract";
import { buildSdk } from "@headwater/sdk/build";
import { type Logger, pino } from "pino";
import type { TSchema } from "typebox";
import { createAuthenticator } from "./access/authenticate.ts";
import { createJwtVerifier } from "./access/jwt.ts";
import { permissionsOf } from "./access/permissions.ts";
import { hashToken } from "./access/tokens.ts";
import type { Attempt } from "./attempt.ts";
import { type Config, ConfigError, describeSettings, type Environment } from "./config.ts";
import { pack } from "./debug/parcel.ts";
import { createRecorder } from "./debug/recorder.ts";
import { getDebug, streamDebug } from "./debug/routes.ts";
import { createDebugStreams } from "./debug/stream.ts";
import { createDebugRoom } from "./debug/view.ts";
import { setUpOnFirstStart } from "./first-start.ts";
import { createGuard } from "./http/guard.ts";
import { createIngestDoor } from "./http/ingest-door.ts";
import { createRateLimiter } from "./http/rate.ts";
import { compile } from "./http/validate.ts";
import { createWorkspaceApp, HTTP_OPTIONS } from "./http/workspace-app.ts";
import { createIds } from "./ids.ts";
import { createIngest } from "./ingest/ingest.ts";
import { createObserver } from "./ingest/observe.ts";
import { openCountries } from "./ingest/visitor.ts";
import { withChangeNotice } from "./ledger/changes.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { SourceRecord } from "./ledger/records.ts";
import type { Durability } from "./ledger/sqlite/database.ts";
import { openSqliteLedger } from "./ledger/sqlite/open.ts";
import { createMetrics } from "./operations/metrics.ts";
import { watchReadiness } from "./operations/readiness.ts";
import { createOperations } from "./operations/routes.ts";
import { createHandlers } from "./routes.ts";
import { compileOrigins } from "./sources/origin.ts";
import { appliedLimits, type LimitDefaults, renderSource } from "./sources/source.ts";

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
}

export interface RunningServer {
  /** Where it listens. */
  url: string;
  firstStart: { token: string | null; signInUrl: string } | null;
  /** What the minute's timer does; tests that drive the clock call it. */
  maintain(): Promise<void>;
  close(): Promise<void>;
}

/** An address for people: what listens on every interface is reached by this machine's name for itself. */
const hostForUrl = (host: string) =>
  host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;

function createLog(level: Config["LOG_LEVEL"]): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ["*.authorization", "*.token"],
  });
}

const limitDefaults = (config: Config): LimitDefaults => ({
  maxBatchSize: config.MAX_BATCH_SIZE,
  maxPayloadBytes: config.MAX_PAYLOAD_BYTES,
  maxEventBytes: config.MAX_EVENT_BYTES,
  clientRatePerSecond: config.CLIENT_RATE_PER_SECOND,
  clientRateBurst: config.CLIENT_RATE_BURST,
  sourceRatePerSecond: config.SOURCE_RATE_PER_SECOND,
  sourceRateBurst: config.SOURCE_RATE_BURST,
});

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

function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        error.code === "EADDRINUSE"
          ? new ConfigError(`PORT ${port} of ${host} is in use; set PORT to a free one.`)
          : error,
      );
    });
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
}

/** Resolves when every connection has ended: idle ones at once, the others with their answers. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const patience = setTimeout(() => server.closeAllConnections(), LIMITS.drainTimeoutMs);
    server.close(() => {
      clearTimeout(patience);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function jwtOf({ AUTH_JWKS_URL: jwksUrl, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience }: Config) {
  return jwksUrl && issuer && audience ? createJwtVerifier({ jwksUrl, issuer, audience }) : null;
}

/**
 * @throws ConfigError on a setting that cannot be used, DataDirInUse when another process serves the folder
 */
export async function startServer(
  config: Config,
  environment: Environment,
  options: StartOptions = {},
): Promise<RunningServer> {
  const clock = options.clock ?? Date.now;
  const log = createLog(config.LOG_LEVEL);
  const newId = createIds(clock);
  const sdk = readFileSync(await buildSdk());
  const stored = await openSqliteLedger({
    dataDir: config.DATA_DIR,
    now: clock(),
    attemptStoreBytes: config.DEBUG_STORE_BYTES,
    attemptsThread: new URL("./attempts-thread.ts", import.meta.url),
    ...(options.durability ? { durability: options.durability } : {}),
  });
  const ledger = withChangeNotice(stored, () => forget());
  const first = await setUp(stored, config, clock, newId, log);

  const readiness = watchReadiness(ledger, clock, config.DISK_LOW_WATER_BYTES, ({ ready, problems }) =>
    ready ? log.info("ready again") : log.error({ problems }, "not ready"),
  );
  await readiness.probe();
  const recorder = createRecorder({
    ledger,
    clock,
    log,
    write: ({ attempts, counts }) => stored.renderAttempts({ parcels: attempts.map(pack), counts }),
  });
  const metrics = createMetrics({
    readiness: readiness.now,
    inFlight: () => ingest.inFlight(),
    debugDropped: recorder.droppedTotal,
  });

  const defaults = limitDefaults(config);
  const limitsOf = (source: SourceRecord) => appliedLimits(source.limits, defaults);
  const observeLine = createObserver(log, metrics.counters, clock, config.LOG_LEVEL === "debug");
  const observe = (attempt: Attempt) => {
    if (config.DEBUG_RECORDING === "on") recorder.record(attempt);
    observeLine(attempt);
  };
  const ingest = createIngest({
    ledger,
    clock,
    newId,
    observe,
    compile: (schema) => compile(schema as TSchema) as never,
    limiter: createRateLimiter,
    rates: {
      client: { perSecond: config.CLIENT_RATE_PER_SECOND, burst: config.CLIENT_RATE_BURST },
      source: { perSecond: config.SOURCE_RATE_PER_SECOND, burst: config.SOURCE_RATE_BURST },
      unknownKey: {
        perSecond: config.UNKNOWN_KEY_RATE_PER_SECOND,
        burst: config.UNKNOWN_KEY_RATE_PER_SECOND,
      },
    },
    rulesOf: (source) => {
      const origins = compileOrigins(source.allowedOrigins);
      return { limits: limitsOf(source), allows: origins.allows, allowsAnyOrigin: origins.any };
    },
    countryOf: openCountries(config.GEOIP_FILE === "off" ? null : (config.GEOIP_FILE ?? COUNTRIES)),
    maxInFlight: config.INGEST_IN_FLIGHT,
    refusal: readiness.refusal,
    report: (error, requestId) => log.error({ err: error, requestId }, "an ingest request failed"),
    stopwatch: () => performance.now(),
  });

  const authenticator = createAuthenticator(ledger, jwtOf(config));
  const forget = () => {
    authenticator.forget();
    ingest.forget();
  };
  ledger.onForeignChange(forget);

  let listening = "";
  const baseUrl = () => config.BASE_URL ?? listening;
  const appUrl = () => config.APP_URL ?? baseUrl();
  const stopping = new AbortController();
  const room = createDebugRoom({
    ledger,
    recorder,
    clock,
    render: (source) => renderSource(source, clock()),
    limitsOf,
  });
  const streams = createDebugStreams({ ledger, recorder });
  const handlers = createHandlers({
    ledger,
    newId,
    version: VERSION,
    addresses: () => ({ baseUrl: baseUrl(), appUrl: appUrl() }),
    debug: { get: getDebug(room), stream: streamDebug(streams, stopping.signal) },
    operations: createOperations({
      readiness: readiness.now,
      metrics,
      sdk,
      settings: () =>
        Object.fromEntries(describeSettings(environment).map(({ name, value }) => [name, value])),
    }),
  });
  const guard = createGuard({
    ledger,
    authenticate: authenticator.authenticate,
    permissionsOf,
    rates: {
      token: { perSecond: config.WORKSPACE_RATE_PER_SECOND, burst: config.WORKSPACE_RATE_BURST },
      failedAuth: { perSecond: config.FAILED_AUTH_PER_MINUTE / 60, burst: config.FAILED_AUTH_PER_MINUTE },
    },
  });
  const door = createIngestDoor({
    trust: config.TRUST_PROXY,
    geoHeader: config.GEO_HEADER,
    clock,
    newId,
    ...ingest,
  });
  const app = createWorkspaceApp({
    handlers,
    guard,
    clock,
    newId,
    trust: config.TRUST_PROXY,
    appUrl,
    isStopping: () => readiness.now().draining,
    log,
    serverFactory: (listener) =>
      createServer(HTTP_OPTIONS, (request, response) => {
        if (!door(request, response)) listener(request, response);
      }),
  });
  await app.ready();
  const { port } = await listen(app.server, config.PORT, config.HOST);
  listening = `http://${hostForUrl(config.HOST)}:${port}`;

  const maintain = () => ledger.maintain({ now: clock() });
  const timer = setInterval(
    () => maintain().catch((error: unknown) => log.error({ err: error }, "maintenance failed")),
    MAINTENANCE_MS,
  );
  timer.unref();
  log.info({ url: listening, version: VERSION }, "listening");

  return {
    url: listening,
    firstStart: first && { token: first.token, signInUrl: `${appUrl()}/sign-in#code=${first.signInCode}` },
    maintain,
    /** In-flight requests are answered; then everything that was recorded is written. */
    close: async () => {
      readiness.drain();
      clearInterval(timer);
      stopping.abort();
      await closeServer(app.server);
      await app.close();
      readiness.stop();
      await recorder.close();
      await authenticator.flush().catch(() => undefined);
      await ledger.close();
      log.info("stopped");
    },
  };
}
