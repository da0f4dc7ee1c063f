/** The rooms, built on an open ledger and joined to one HTTP server; what one needs of another is handed in here. */

import type { Server } from "node:http";
import { compileOrigins, originToAllow } from "@headwater/contract/origin";
import { pathMatcher } from "@headwater/contract/path-pattern";
import type { Logger } from "pino";
import type { TSchema } from "typebox";
import { createAuthenticator } from "./access/authenticate.ts";
import { permissionsOf } from "./access/permissions.ts";
import { createAlerts } from "./alerts/alerts.ts";
import type { Config } from "./config/config.ts";
import type { Attempt } from "./core/attempt.ts";
import { SERVER_LIMITS } from "./core/limits.ts";
import { createRateLimiter } from "./core/rate-limit.ts";
import type { SourceRecord } from "./core/records.ts";
import { compile } from "./core/validate.ts";
import { healthOf, statusOf as healthStatus } from "./debug/health.ts";
import { maskString } from "./debug/mask.ts";
import { createRecorder, type Recorder } from "./debug/recorder.ts";
import { getDebug, streamDebug } from "./debug/routes.ts";
import { createDebugStreams } from "./debug/stream.ts";
import { createDebugRoom } from "./debug/view.ts";
import type { WriteAttempts } from "./debug/write.ts";
import { createExport } from "./export/export.ts";
import { createAlias } from "./http/alias.ts";
import { createConsoleDoor } from "./http/console-door.ts";
import { createGuard } from "./http/guard.ts";
import { createHttpServer } from "./http/http-server.ts";
import { createIngestDoor } from "./http/ingest-door.ts";
import { createWorkspaceApp } from "./http/workspace-app.ts";
import { createIngest, type Ingest } from "./ingest/ingest.ts";
import { createObserver } from "./ingest/observe.ts";
import { openCountries } from "./ingest/visitor.ts";
import type { InstallAddresses } from "./install/install.ts";
import { debugUrlOf } from "./install/install.ts";
import { withChangeNotifications } from "./ledger/change-notifications.ts";
import { type Ledger, type LedgerChange, StorageError } from "./ledger/ledger.ts";
import type { ShippingStatus } from "./monitoring/metrics.ts";
import { createMetrics } from "./monitoring/metrics.ts";
import type { ReadinessWatch } from "./monitoring/readiness.ts";
import { createOperations } from "./monitoring/routes.ts";
import { type StorageTrouble, watchStorageTrouble } from "./monitoring/storage-trouble.ts";
import { createHandlers, FIELD_RULES } from "./routes.ts";
import { appliedLimits, type LimitDefaults, renderSource } from "./sources/render.ts";
import type { AskedWarehouse } from "./stats/run-query.ts";
import { createStats } from "./stats/stats.ts";
import type { EraserDeps } from "./workers/erasures.ts";

export interface ServiceParts {
  config: Config;
  /** As text, for support. */
  settings: Record<string, string>;
  version: string;
  ledger: Ledger;
  /** Default: in this thread. */
  writeAttempts?: WriteAttempts;
  readiness: ReadinessWatch;
  /** null: it has not begun. */
  shipping(): (ShippingStatus & AskedWarehouse) | null;
  clock(): number;
  newId(prefix: string): string;
  log: Logger;
  /** The built browser client. */
  sdk: Buffer;
  sdkExtras: ReadonlyMap<string, Buffer>;
  /** The folder of the built console; null: none is served. */
  consoleFolder: string | null;
  /** A country file; null: none. */
  countries: string | null;
  /** They may follow the port that is listened on. */
  addresses(): InstallAddresses;
}

export interface Service {
  /** Not listening yet. */
  server: Server;
  /** Streams end; requests that are under way are answered. */
  stop(): void;
  /** Looks after the sources; called every minute. */
  alert(at: { now: number }): Promise<void>;
  /** What it remembers of visitors, for whoever erases them. */
  memory: Pick<EraserDeps, "flushAttempts" | "asRecorded" | "forgetSession">;
  /** Everything that was recorded is written. */
  finish(): Promise<void>;
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

/** Its library is loaded only where an identity provider is set. */
async function jwtOf({ AUTH_JWKS_URL: jwksUrl, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience }: Config) {
  if (!jwksUrl || !issuer || !audience) return null;
  const { createJwtVerifier } = await import("./access/jwt.ts");
  return createJwtVerifier({ jwksUrl, issuer, audience });
}

/** How often somebody may ask, from the settings. */
const ratesOf = (config: Config) => ({
  client: { perSecond: config.CLIENT_RATE_PER_SECOND, burst: config.CLIENT_RATE_BURST },
  source: { perSecond: config.SOURCE_RATE_PER_SECOND, burst: config.SOURCE_RATE_BURST },
  unknownKey: { perSecond: config.UNKNOWN_KEY_RATE_PER_SECOND, burst: config.UNKNOWN_KEY_RATE_PER_SECOND },
  token: { perSecond: config.WORKSPACE_RATE_PER_SECOND, burst: config.WORKSPACE_RATE_BURST },
  failedAuth: { perSecond: config.FAILED_AUTH_PER_MINUTE / 60, burst: config.FAILED_AUTH_PER_MINUTE },
});

const nodesOf = (readiness: ReadinessWatch) => () => readiness.now().status?.nodes ?? 1;

/** Where nobody is to be told nobody looks. */
function alertsOf(parts: ServiceParts, debugUrl: (sourceId: string) => string): Service["alert"] {
  const { config, ledger, clock, newId, log } = parts;
  const { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret, ALERT_QUIET_HOURS: quietHours } = config;
  if (url === null || secret === null) return async () => undefined;
  const webhook = { url, secret };
  return createAlerts({ ledger, webhook, quietHours, healthStatus, healthOf, debugUrl, clock, newId, log });
}

type LimitsOf = (source: SourceRecord) => ReturnType<typeof appliedLimits>;

function createIngestRoom(
  parts: ServiceParts,
  recorder: Recorder,
  limitsOf: LimitsOf,
  trouble: StorageTrouble,
) {
  const { config, ledger, clock, newId, log, readiness } = parts;
  const metrics = createMetrics({
    readiness: readiness.now,
    inFlight: () => ingest.inFlight(),
    debugDropped: recorder.droppedTotal,
    shipping: parts.shipping,
    clock,
  });
  const observeLine = createObserver(log, metrics.counters, clock, config.LOG_LEVEL === "debug");
  const ingest: Ingest = createIngest({
    ledger,
    clock,
    newId,
    observe: (attempt: Attempt) => {
      if (config.DEBUG_RECORDING === "on") recorder.record(attempt);
      observeLine(attempt);
      if (attempt.outcome?.kind === "taken") trouble.worked();
    },
    report: (error, requestId) => {
      if (error instanceof StorageError) trouble.failed(error, requestId);
      else log.error({ err: error, requestId }, "an ingest request failed");
    },
    compile: (schema) => compile(schema as TSchema) as never,
    limiter: (rate) => createRateLimiter({ ...rate, nodes: nodesOf(readiness) }),
    rates: ratesOf(config),
    rulesOf: (source) => {
      const { allows, any: allowsAnyOrigin } = compileOrigins(source.allowedOrigins);
      const excludes = pathMatcher(source.excludedPaths);
      return { limits: limitsOf(source), allows, allowsAnyOrigin, originToAllow, excludes };
    },
    countryOf: openCountries(parts.countries, (error) =>
      log.error({ err: error }, "GEOIP_FILE cannot be read any more; events have no country until a restart"),
    ),
    maxInFlight: config.INGEST_IN_FLIGHT,
    refusal: readiness.refusal,
    stopwatch: () => performance.now(),
  });
  return { ingest, metrics };
}

export async function createService(given: ServiceParts): Promise<Service> {
  const { config, clock, newId, log, readiness, addresses } = given;
  let forget: (change: LedgerChange) => void = () => undefined;
  const ledger = withChangeNotifications(given.ledger, (change) => forget(change));
  const parts = { ...given, ledger };
  const defaults = limitDefaults(config);
  const limitsOf: LimitsOf = (source) => appliedLimits(source.limits, defaults);

  const recorder = createRecorder({
    ledger,
    clock,
    log,
    ...(given.writeAttempts ? { write: given.writeAttempts } : {}),
  });
  const trouble = watchStorageTrouble(log, clock);
  const { ingest, metrics } = createIngestRoom(parts, recorder, limitsOf, trouble);
  const authenticator = createAuthenticator(ledger, await jwtOf(config));
  forget = (change) => {
    if (change.kind === "everything" || change.kind === "tokens") authenticator.forget();
    ingest.forget(change);
  };
  ledger.onRemoteChange(forget);

  const stopping = new AbortController();
  const render = (source: SourceRecord) => renderSource(source, clock());
  const view = createDebugRoom({ ledger, recorder, clock, render, limitsOf });
  const streams = createDebugStreams({ ledger, recorder, pollMs: SERVER_LIMITS.streamPollMs });
  const handlers = createHandlers({
    ledger,
    newId,
    version: parts.version,
    addresses,
    debug: { get: getDebug(view), stream: streamDebug(streams, stopping.signal) },
    verify: {
      apiBaseUrl: () => addresses().baseUrl,
      alias: config.INGEST_ALIAS,
      allows: (source, origin) => compileOrigins(source.allowedOrigins).allows(origin),
      keyStateOf: async ({ sourceId }, publicKey, now) => {
        const keyed = await ledger.sourceByKey({ publicKey, now });
        return keyed?.source.sourceId === sourceId ? keyed.keyState : null;
      },
    },
    stats: createStats(parts.shipping),
    exportEvents: createExport({ warehouse: parts.shipping, ledger, stopping: stopping.signal }),
    operations: createOperations({
      readiness: readiness.now,
      shipping: parts.shipping,
      clock,
      metrics,
      sdk: parts.sdk,
      sdkExtras: parts.sdkExtras,
      settings: parts.settings,
    }),
  });
  const { authenticate } = authenticator;
  const guard = createGuard({
    ledger,
    authenticate,
    permissionsOf,
    rates: ratesOf(config),
    nodes: nodesOf(readiness),
    rules: FIELD_RULES,
  });

  const trust = config.TRUST_PROXY;
  const debugUrl = (sourceId: string) => debugUrlOf(addresses().appUrl, sourceId);
  const door = createIngestDoor({ trust, geoHeader: config.GEO_HEADER, clock, newId, debugUrl, ...ingest });
  const served = createAlias(config.INGEST_ALIAS);
  const folder = parts.consoleFolder;
  const consoleDoor =
    folder === null ? () => false : createConsoleDoor({ folder, appUrl: () => addresses().appUrl, newId });
  const app = createWorkspaceApp({
    handlers,
    guard,
    clock,
    newId,
    trust,
    appUrl: () => addresses().appUrl,
    isStopping: () => readiness.now().draining,
    log,
    storageFailed: trouble.failed,
    serverFactory: (listener) =>
      createHttpServer(
        (request, response) => {
          request.url = served(request.url ?? "");
          if (!door(request, response) && !consoleDoor(request, response)) listener(request, response);
        },
        () => newId("req"),
      ),
  });
  await app.ready();
  return {
    server: app.server,
    stop: () => stopping.abort(),
    alert: alertsOf(parts, debugUrl),
    memory: {
      flushAttempts: recorder.flush,
      asRecorded: maskString,
      forgetSession: (session) => {
        ingest.forget({ kind: "session", ...session });
        ledger.notifySessionChanged(session);
      },
    },
    finish: async () => {
      await app.close();
      await recorder.close();
      // a last-used time that is lost is made good by the token's next use
      await authenticator.flush().catch(() => undefined);
    },
  };
}
