/** Builds what the HTTP service and the background workers share: caches, the ingest pipeline, the debug recorder, metrics. */
import type { AppliedLimits } from "@headwater/contract";
import type { Logger } from "pino";
import { createAuditTrail } from "./access/audit-trail.ts";
import { type Authenticator, createAuthenticator, type JwtAuthentication } from "./access/authenticate.ts";
import type { OidcClient } from "./access/oidc.ts";
import { createSourceLists, type SourceLists } from "./channels/source-lists.ts";
import { createCompleteness, type WarehouseCompleteness } from "./clickhouse/completeness.ts";
import { createWarehouseHealth } from "./clickhouse/problems.ts";
import type { Warehouse } from "./clickhouse/warehouse.ts";
import { warehouseHint } from "./config/rules.ts";
import type { Config } from "./config/settings.ts";
import { DAY_MS } from "./core/time.ts";
import { createRecorder, type Recorder } from "./debug/recorder.ts";
import { createDailyDelivery } from "./delivery/daily.ts";
import { createDelivery } from "./delivery/route.ts";
import { type RequestIds, toLogIds } from "./http/trace-context.ts";
import type { Attempt } from "./ingest/attempt.ts";
import { createIngest, type Ingest } from "./ingest/ingest.ts";
import { createObserver } from "./ingest/observe.ts";
import { openPlaces, type PlacesFile } from "./ingest/places.ts";
import { createSpamCheck } from "./ingest/visitor.ts";
import { debugUrlOf, type InstallAddresses } from "./install/install.ts";
import { withChangeNotifications } from "./ledger/change-notifications.ts";
import { type Ledger, type LedgerChange, StorageError } from "./ledger/ledger.ts";
import type { SourceRecord } from "./ledger/records.ts";
import { type LimitedMailer, limitMails } from "./mail/mail-limits.ts";
import type { Metrics } from "./monitoring/metrics.ts";
import type { Readiness } from "./monitoring/readiness.ts";
import { type StorageTrouble, watchStorageTrouble } from "./monitoring/storage-trouble.ts";
import type { RequestTracer } from "./monitoring/tracing.ts";
import type { OpenedLedger } from "./open-ledger.ts";
import { queryMemoryBytes } from "./open-warehouse.ts";
import { type BoundedLog, boundLog } from "./overload/bounded-log.ts";
import { Keeper } from "./quarantine/keeper.ts";
import { appliedLimits } from "./sources/render.ts";
import { createReports } from "./stats/reports/reports.ts";
import { FailedDays } from "./stats/rollups/failed-days.ts";
import { createQueryRunner } from "./stats/run-query.ts";
import { createStats } from "./stats/stats.ts";
import { createDeletionTime } from "./workers/deletion-time.ts";
import { createCatalogFlush } from "./workers/event-catalog.ts";

/** A client address can send its bytes of this many seconds at once: a page that was offline, or a batch of a server. */
const CLIENT_BYTES_BURST_SECONDS = 10;

interface ContextDeps {
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
  placesFile: PlacesFile | null;
}

export type ServiceContext = Awaited<ReturnType<typeof createContext>>;

/** Nodes that share the ledger, this one included. */
const nodesOf = (readiness: Readiness) => () => readiness.state().status?.nodes ?? 1;

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
          burst: config.CLIENT_BYTES_PER_SECOND * CLIENT_BYTES_BURST_SECONDS,
        },
  failedAuth: { perSecond: config.FAILED_AUTH_PER_MINUTE / 60, burst: config.FAILED_AUTH_PER_MINUTE },
});

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

/** The OpenID library is imported only when the settings name a provider. */
async function openOidc(config: Config): Promise<OidcClient | null> {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  if (issuer === null || clientId === null) return null;
  const { createOidcClient } = await import("./access/oidc.ts");
  const subjectIsUser = issuer === config.AUTH_ISSUER?.replace(/\/+$/, "");
  return createOidcClient({ issuer, clientId, clientSecret, name: config.OIDC_NAME, subjectIsUser });
}

/** The mail library is imported only when the settings name a mail server. */
async function openMailer({ config, newId, clock, readiness }: ContextDeps): Promise<LimitedMailer | null> {
  const { SMTP_URL: server, MAIL_FROM: from } = config;
  if (server === null || from === null) return null;
  const { createMailer } = await import("./mail/mailer.ts");
  return limitMails(createMailer({ server, from, newId }), nodesOf(readiness), clock);
}

/** The stats queries, and the reports that are made of them. */
async function openStats(deps: ContextDeps, ledger: Ledger, completeness: WarehouseCompleteness) {
  const { config, warehouse, addresses, clock, log } = deps;
  const offHint = warehouseHint(config);
  const runnerOf = createQueryRunner(warehouse, { offHint, memoryBytes: queryMemoryBytes(config) });
  const stats = createStats({ runnerOf, completeness });
  const deliveryDeps = { ledger, runnerOf, secret: config.ALERT_WEBHOOK_SECRET };
  const mailer = await openMailer(deps);
  const { queryStats } = stats;
  return {
    stats,
    getDelivery: createDelivery(deliveryDeps),
    dailyDelivery: createDailyDelivery({ ...deliveryDeps, warehouse }),
    mailer,
    reports: createReports({ ledger, queryStats, mailer, addresses, clock, log }),
  };
}

interface IngestParts extends ContextDeps {
  ledger: Ledger;
  recorder: Recorder;
  keeper: Keeper;
  /** For lines that strangers can cause. */
  boundedLog: BoundedLog;
  storageTrouble: StorageTrouble;
  /** Logs why a request failed: the storage, or a bug. */
  report(error: unknown, ids: RequestIds): void;
  authenticator: Authenticator;
  sourceLists: SourceLists;
  rates: ReturnType<typeof readRates>;
  limitsOf(source: SourceRecord): AppliedLimits;
  /** Nodes that share the ledger, this one included: rate limits are divided by it. */
  nodes(): number;
}

function buildIngest(parts: IngestParts): Ingest {
  const { config, log, readiness, recorder, keeper, storageTrouble, authenticator } = parts;
  const observeLine = createObserver({
    ...parts,
    counters: parts.metrics.ingest,
    logsAnswered: config.LOG_LEVEL === "debug",
  });
  return createIngest({
    ...parts,
    observe: (attempt: Attempt) => {
      if (config.DEBUG_RECORDING === "on") recorder.record(attempt);
      keeper.keep(attempt);
      observeLine(attempt);
      if (attempt.outcome.kind === "answered") storageTrouble.worked();
    },
    placeOf: openPlaces(parts.placesFile, {
      unreadable: (error) =>
        log.error({ err: error }, "GEOIP_FILE can no longer be read; events get no location until a restart"),
      badRecord: (error) =>
        log.warn(
          { err: error },
          "GEOIP_FILE has a record that cannot be read; events from its addresses get no location",
        ),
    }),
    isDataCentre: config.DATA_CENTRES_FILE,
    isSpamReferrer: createSpamCheck(config.REFERRER_SPAM_FILE),
    authenticateSender: authenticator.authenticateSender,
    maxInFlight: config.INGEST_IN_FLIGHT,
    unavailable: () => readiness.ingestRefusal(),
    stopwatch: () => performance.now(),
  });
}

/** The ledger, which tells the caches of this process about changes by this and other nodes. */
function followChanges(opened: Ledger) {
  const listeners: ((change: LedgerChange) => void)[] = [];
  const notifyCaches = (change: LedgerChange) => {
    for (const listener of listeners) listener(change);
  };
  const ledger = withChangeNotifications(opened, notifyCaches);
  ledger.onRemoteChange(notifyCaches);
  const onLedgerChange = (listener: (change: LedgerChange) => void) => void listeners.push(listener);
  return { ledger, onLedgerChange };
}

/** Starts the writers of attempts and of kept events. Both work after the answer was sent. */
function startRecording(deps: ContextDeps & Pick<IngestParts, "ledger" | "boundedLog">) {
  const { clock, log, boundedLog, ledger, openedLedger } = deps;
  const { writeAttempts: write } = openedLedger;
  return {
    recorder: createRecorder({ ledger, clock, log, ...(write && { write }) }),
    keeper: new Keeper({ ledger, clock, log: boundedLog }),
  };
}

export async function createContext(deps: ContextDeps) {
  const { config, clock, log, readiness, openedLedger, addresses } = deps;
  const { ledger, onLedgerChange } = followChanges(openedLedger.ledger);
  const boundedLog = boundLog(log, clock);
  const storageTrouble = watchStorageTrouble(log, clock);
  const recording = startRecording({ ...deps, ledger, boundedLog });
  const report = (error: unknown, ids: RequestIds) => {
    if (error instanceof StorageError) storageTrouble.failed(error, ids);
    else boundedLog.error({ err: error, ...toLogIds(ids) }, "a request failed");
  };
  const jwt = await openJwtAuthentication(config);
  const authenticator = createAuthenticator(ledger, jwt, config.CONSOLE_IDLE_DAYS * DAY_MS);
  const sourceLists = createSourceLists(config.SOURCES_FILE);
  const parts: IngestParts = {
    ...deps,
    ledger,
    ...recording,
    boundedLog,
    storageTrouble,
    report,
    authenticator,
    sourceLists,
    rates: readRates(config),
    limitsOf: (source) => appliedLimits(source.limits, config),
    nodes: nodesOf(readiness),
  };
  const ingest = buildIngest(parts);
  onLedgerChange(ingest.forget);
  onLedgerChange(({ kind }) => {
    if (kind === "everything" || kind === "tokens") authenticator.forget();
  });
  const completeness = createCompleteness();
  const flushCatalog = createCatalogFlush({ ledger, takeLearned: ingest.takeLearned });
  return {
    ...parts,
    completeness,
    warehouseHealth: createWarehouseHealth(),
    failedRollups: new FailedDays(),
    deletionTime: createDeletionTime({ ledger, clock, log }),
    ingest,
    ...(await openStats(deps, ledger, completeness)),
    auditTrail: createAuditTrail(ledger.recordAudit, (error) =>
      log.error({ err: error }, "an entry of the audit log could not be written"),
    ),
    oidc: await openOidc(config),
    /** The address of a source's debug view. */
    debugUrl: (sourceId: string) => debugUrlOf(addresses().appUrl, sourceId),
    onLedgerChange,
    flushCatalog,
    /** Writes everything that was recorded and not stored yet. */
    flush: async () => {
      // without storage, the events of the last seconds are missing in the catalogue
      await flushCatalog().catch(() => undefined);
      await recording.recorder.close();
      await recording.keeper.flush();
      // a last-used time that cannot be written is recorded again when the token is used next
      await authenticator.flush().catch(() => undefined);
    },
  };
}
