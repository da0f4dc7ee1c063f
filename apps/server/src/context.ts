/** Builds what the HTTP service and the background workers share: caches, the ingest pipeline, the debug recorder, metrics. */
import type { DailyQuota } from "@headwater/contract";
import type { Logger } from "pino";
import { type Authenticator, createAuthenticator, type JwtAuthentication } from "./access/authenticate.ts";
import { createCompleteness, type WarehouseCompleteness } from "./clickhouse/completeness.ts";
import type { Warehouse } from "./clickhouse/warehouse.ts";
import type { Config } from "./config/settings.ts";
import type { Attempt } from "./core/attempt.ts";
import { SERVER_LIMITS } from "./core/limits.ts";
import type { SourceRecord } from "./core/records.ts";
import { DAY_MS } from "./core/time.ts";
import { type RequestIds, toLogIds } from "./core/trace-context.ts";
import { createRecorder, type Recorder } from "./debug/recorder.ts";
import { createIngest, type Ingest } from "./ingest/ingest.ts";
import { createObserver } from "./ingest/observe.ts";
import { createSpamCheck, openCountries } from "./ingest/visitor.ts";
import { debugUrlOf, type InstallAddresses } from "./install/install.ts";
import { withChangeNotifications } from "./ledger/change-notifications.ts";
import { type Ledger, type LedgerChange, StorageError } from "./ledger/ledger.ts";
import type { Metrics } from "./monitoring/metrics.ts";
import type { Readiness } from "./monitoring/readiness.ts";
import { type StorageTrouble, watchStorageTrouble } from "./monitoring/storage-trouble.ts";
import type { RequestTracer } from "./monitoring/tracing.ts";
import type { OpenedLedger } from "./open-ledger.ts";
import { appliedLimits } from "./sources/render.ts";
import { createDeletionTime, type DeletionTime } from "./workers/deletion-time.ts";

export interface ContextDeps {
  config: Config;
  clock(): number;
  newId(prefix: string): string;
  log: Logger;
  openedLedger: OpenedLedger;
  warehouse: Warehouse;
  readiness: Readiness;
  metrics: Metrics;
  /** Null: no OTEL_EXPORTER_OTLP_ENDPOINT. */
  tracer: RequestTracer | null;
  /** The service's public addresses. Read them per request: with PORT=0 they are known only once the service listens. */
  addresses(): InstallAddresses;
  /** The file with countries by address; null for none. */
  countriesFile: string | null;
}

export interface ServiceContext extends Omit<ContextDeps, "openedLedger" | "countriesFile"> {
  /** The ledger. Changes made through it are announced to the caches of this process. */
  ledger: Ledger;
  /** Whether the warehouse holds what was shipped to it. */
  completeness: WarehouseCompleteness;
  /** The time of every deletion by age. */
  deletionTime: DeletionTime;
  storageTrouble: StorageTrouble;
  /** Logs why a request failed: the storage, or a bug. */
  report(error: unknown, ids: RequestIds): void;
  recorder: Recorder;
  authenticator: Authenticator;
  ingest: Ingest;
  rates: Rates;
  limitsOf: LimitsOf;
  /** Nodes that share the ledger, this one included: rate limits are divided by it. */
  nodes(): number;
  /** The address of a source's debug view. */
  debugUrl(sourceId: string): string;
  /** Writes everything that was recorded and not stored yet. */
  flush(): Promise<void>;
}

type Rates = ReturnType<typeof readRates>;
type LimitsOf = (source: SourceRecord) => ReturnType<typeof appliedLimits>;

/** Rate limits from the settings. */
const readRates = (config: Config) => ({
  client: { perSecond: config.CLIENT_RATE_PER_SECOND, burst: config.CLIENT_RATE_BURST },
  source: { perSecond: config.SOURCE_RATE_PER_SECOND, burst: config.SOURCE_RATE_BURST },
  unknownKey: { perSecond: config.UNKNOWN_KEY_RATE_PER_SECOND, burst: config.UNKNOWN_KEY_RATE_PER_SECOND },
  token: { perSecond: config.WORKSPACE_RATE_PER_SECOND, burst: config.WORKSPACE_RATE_BURST },
  clientBytes:
    config.CLIENT_BYTES_PER_SECOND === null
      ? null
      : {
          perSecond: config.CLIENT_BYTES_PER_SECOND,
          burst: config.CLIENT_BYTES_PER_SECOND * SERVER_LIMITS.clientBytesBurstSeconds,
        },
  failedAuth: { perSecond: config.FAILED_AUTH_PER_MINUTE / 60, burst: config.FAILED_AUTH_PER_MINUTE },
});

export const workspaceQuota = (config: Config): DailyQuota => ({
  events: config.WORKSPACE_EVENTS_PER_DAY,
  bytes: config.WORKSPACE_BYTES_PER_DAY,
});

function createLimitsOf(config: Config): LimitsOf {
  const defaults = {
    maxBatchSize: config.MAX_BATCH_SIZE,
    maxPayloadBytes: config.MAX_PAYLOAD_BYTES,
    maxEventBytes: config.MAX_EVENT_BYTES,
    clientRatePerSecond: config.CLIENT_RATE_PER_SECOND,
    clientRateBurst: config.CLIENT_RATE_BURST,
    sourceRatePerSecond: config.SOURCE_RATE_PER_SECOND,
    sourceRateBurst: config.SOURCE_RATE_BURST,
    clientBytesPerSecond: config.CLIENT_BYTES_PER_SECOND,
    dailyQuota: {
      source: { events: config.SOURCE_EVENTS_PER_DAY, bytes: config.SOURCE_BYTES_PER_DAY },
      workspace: workspaceQuota(config),
    },
  };
  return (source) => appliedLimits(source.limits, defaults);
}

/** The JWT library is imported only when the settings name an identity provider. */
async function openJwtAuthentication(config: Config): Promise<JwtAuthentication | null> {
  const { AUTH_JWKS_URL: jwksUrl, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience } = config;
  if (!jwksUrl || !issuer || !audience) return null;
  const { createJwtVerifier } = await import("./access/jwt.ts");
  return {
    verify: createJwtVerifier({ jwksUrl, issuer, audience }),
    maxTokenMs: config.JWT_TOKEN_MAX_DAYS * DAY_MS,
  };
}

function buildIngest(
  deps: ContextDeps &
    Pick<ServiceContext, "ledger" | "recorder" | "storageTrouble" | "report" | "authenticator">,
  settings: Pick<ServiceContext, "rates" | "limitsOf" | "nodes">,
): Ingest {
  const { config, clock, newId, log, readiness, recorder, storageTrouble } = deps;
  const observeLine = createObserver({
    log,
    counters: deps.metrics.ingest,
    clock,
    logsAnswered: config.LOG_LEVEL === "debug",
  });
  return createIngest({
    ledger: deps.ledger,
    readUsage: deps.ledger.usage,
    clock,
    newId,
    observe: (attempt: Attempt) => {
      if (config.DEBUG_RECORDING === "on") recorder.record(attempt);
      observeLine(attempt);
      if (attempt.outcome.kind === "answered") storageTrouble.worked();
    },
    report: deps.report,
    ...settings,
    countryOf: openCountries(deps.countriesFile, (error) =>
      log.error({ err: error }, "GEOIP_FILE can no longer be read; events have no country until a restart"),
    ),
    isDataCentre: config.DATA_CENTRES_FILE,
    isSpamReferrer: createSpamCheck(config.REFERRER_SPAM_FILE),
    authenticateSender: deps.authenticator.authenticateSender,
    maxInFlight: config.INGEST_IN_FLIGHT,
    unavailable: readiness.ingestRefusal,
    stopwatch: () => performance.now(),
  });
}

export async function createContext(deps: ContextDeps): Promise<ServiceContext> {
  const { config, clock, log, readiness, openedLedger, addresses } = deps;
  const cacheListeners: ((change: LedgerChange) => void)[] = [];
  const notifyCaches = (change: LedgerChange) => {
    for (const listener of cacheListeners) listener(change);
  };
  const ledger = withChangeNotifications(openedLedger.ledger, notifyCaches);
  ledger.onRemoteChange(notifyCaches);

  const storageTrouble = watchStorageTrouble(log, clock);
  const { writeAttempts } = openedLedger;
  const recorder = createRecorder({ ledger, clock, log, ...(writeAttempts && { write: writeAttempts }) });
  const settings = {
    rates: readRates(config),
    limitsOf: createLimitsOf(config),
    nodes: () => readiness.state().status?.nodes ?? 1,
  };
  const report = (error: unknown, ids: RequestIds) => {
    if (error instanceof StorageError) storageTrouble.failed(error, ids);
    else log.error({ err: error, ...toLogIds(ids) }, "a request failed");
  };
  const authenticator = createAuthenticator(ledger, await openJwtAuthentication(config));
  const ingest = buildIngest({ ...deps, ledger, recorder, storageTrouble, report, authenticator }, settings);
  cacheListeners.push(ingest.forget, ({ kind }) => {
    if (kind === "everything" || kind === "tokens") authenticator.forget();
  });
  return {
    ...deps,
    ...settings,
    ledger,
    completeness: createCompleteness(),
    deletionTime: createDeletionTime({ ledger, clock, log }),
    storageTrouble,
    report,
    recorder,
    authenticator,
    ingest,
    debugUrl: (sourceId) => debugUrlOf(addresses().appUrl, sourceId),
    flush: async () => {
      await recorder.close();
      // a last-used time that cannot be written is recorded again when the token is used next
      await authenticator.flush().catch(() => undefined);
    },
  };
}
