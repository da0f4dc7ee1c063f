/** The HTTP service: connects the handlers, the guard, the ingest routes and the console to one HTTP server. */
import type { Server } from "node:http";
import { createOperatorCheck, permissionsOf } from "./access/permissions.ts";
import { noteRefusedSignIns, type SignInWays } from "./access/sign-in.ts";
import { ADAPTERS } from "./compat/adapters.ts";
import type { BuildInfo } from "./config/build-info.ts";
import { type ServiceContext, workspaceQuota } from "./context.ts";
import { createCache } from "./core/cache.ts";
import { DAY_MS } from "./core/time.ts";
import { getDebug, streamDebug } from "./debug/routes.ts";
import { createDebugStreams } from "./debug/stream.ts";
import { createDebugView } from "./debug/view.ts";
import { createExport } from "./export/export.ts";
import { createHttpApp } from "./http/app.ts";
import { clientOf } from "./http/client-address.ts";
import { createConsoleFiles } from "./http/console-files.ts";
import { createGuard } from "./http/guard.ts";
import { createRequestObserver } from "./http/observe.ts";
import { createIngestRoute } from "./ingest/routes.ts";
import { createOperations } from "./monitoring/routes.ts";
import { createHandlers, FIELD_RULES, type InstallCheckDeps } from "./routes.ts";

/** Sources whose sites for embedding are known, and for how long: a notice of a change may have been lost. */
const EMBED_CACHE_ENTRIES = 1_000;
const EMBED_CACHE_MS = 60_000;

/** What the service serves besides its answers: built files and facts about itself. */
export interface ServiceAssets {
  build: BuildInfo;
  /** The settings as text, without secrets and paths, for support. */
  settings: Record<string, string>;
  /** The built browser client. */
  sdk: Buffer;
  sdkWithEngagement: Buffer;
  sdkExtras: ReadonlyMap<string, Buffer>;
  /** The folder of the built console; null when no console is served. */
  consoleFolder: string | null;
  /** The answer of `/metrics`. */
  renderMetrics(): Promise<string>;
}

interface HttpService {
  /** Does not listen yet. */
  server: Server;
  /** Ends open streams; other requests are answered. */
  endStreams(): void;
}

function signInWaysOf(context: ServiceContext): SignInWays {
  const {
    config,
    ledger: catalog,
    addresses,
    mailer,
    oidc,
    newId,
    nodes,
    boundedLog: log,
    auditTrail,
  } = context;
  const isOidcOnly = config.SIGN_IN === "oidc";
  const appUrl = () => addresses().appUrl;
  const noteRefusal = noteRefusedSignIns(auditTrail, config.ORGANIZATION_ID);
  return { catalog, mailer, oidc, isOidcOnly, appUrl, newId, nodes, log, noteRefusal };
}

const installCheckDeps = ({ config, ledger, clock, addresses }: ServiceContext): InstallCheckDeps => ({
  apiBaseUrl: () => addresses().baseUrl,
  clock,
  alias: config.INGEST_ALIAS,
  ledger,
});

function buildHandlers(context: ServiceContext, assets: ServiceAssets, stopping: AbortSignal) {
  const { config, ledger, warehouse, completeness, recorder, readiness, clock, newId, addresses, limitsOf } =
    context;
  const view = createDebugView({
    ledger,
    recorder,
    clock,
    limitsOf,
  });
  const openStream = createDebugStreams({ ledger, recorder });
  return createHandlers({
    ledger,
    newId,
    build: assets.build,
    securityContact: config.SECURITY_CONTACT,
    workspaceCreation: config.WORKSPACE_CREATION,
    workspaceQuota: workspaceQuota(config),
    consoleTokenMs: config.CONSOLE_TOKEN_DAYS * DAY_MS,
    consoleIdleMs: config.CONSOLE_IDLE_DAYS * DAY_MS,
    signInWays: signInWaysOf(context),
    auditTrail: context.auditTrail,
    isOperator: createOperatorCheck(ledger, config.ORGANIZATION_ID),
    addresses,
    debug: { get: getDebug(view), stream: streamDebug(openStream, stopping) },
    verify: installCheckDeps(context),
    stats: context.stats,
    reports: {
      catalog: ledger,
      reports: context.reports,
      canMail: context.mailer !== null,
      webhookOrigins: config.REPORT_WEBHOOK_ORIGINS,
      newId,
      nodes: context.nodes,
    },
    unlock: { rate: context.rates.failedAuth, nodes: context.nodes, auditTrail: context.auditTrail },
    exportEvents: createExport({
      warehouse,
      completeness,
      ledger,
      stopping,
      onSlowClient: (ended) =>
        context.log.warn(ended, "an export was ended because its client read too slowly"),
    }),
    operations: createOperations({
      readiness: () => readiness.state(),
      warehouse,
      completeness,
      warehouseHealth: context.warehouseHealth,
      clock,
      failedRollups: context.failedRollups.count,
      clockJumpMs: context.deletionTime.jumpMs,
      metrics: { contentType: context.metrics.contentType, render: assets.renderMetrics },
      sdk: assets.sdk,
      sdkWithEngagement: assets.sdkWithEngagement,
      sdkExtras: assets.sdkExtras,
      settings: assets.settings,
    }),
  });
}

/** The characters of source ids. Any other text needs no look-up. */
const SOURCE_ID = /^\w{1,100}$/;

/** Of a source that does not exist, no origin: neither is looked up again while it is cached. */
function createEmbedOrigins({ ledger, clock, onLedgerChange }: ServiceContext) {
  const cache = createCache({
    lookUp: async (sourceId) => ({
      origins: (await ledger.source({ sourceId, now: clock() }))?.embedOrigins ?? [],
    }),
    maxEntries: EMBED_CACHE_ENTRIES,
    maxAgeMs: EMBED_CACHE_MS,
  });
  onLedgerChange((change) => {
    if (change.kind === "source") cache.delete(change.sourceId);
    if (change.kind === "everything") cache.clear();
  });
  return async (sourceId: string): Promise<readonly string[]> => {
    if (!SOURCE_ID.test(sourceId)) return [];
    const found = cache.get(sourceId) ?? (await cache.load(sourceId));
    return found?.origins ?? [];
  };
}

export function createHttpService(context: ServiceContext, assets: ServiceAssets): HttpService {
  const { config, ledger, readiness, clock, newId, addresses, authenticator, ingest } = context;
  const { consoleFolder: folder } = assets;
  const stopping = new AbortController();
  const appUrl = () => addresses().appUrl;
  const embedOriginsOf = createEmbedOrigins(context);
  const guard = createGuard({
    ledger,
    authenticate: authenticator.authenticate,
    permissionsOf,
    rates: context.rates,
    nodes: context.nodes,
    rules: FIELD_RULES,
  });
  const server = createHttpApp({
    handlers: buildHandlers(context, assets, stopping.signal),
    guard,
    clock,
    newId,
    trust: config.TRUST_PROXY,
    alias: config.INGEST_ALIAS,
    appUrl,
    serveIngest: createIngestRoute({
      trust: config.TRUST_PROXY,
      geoHeader: config.GEO_HEADER,
      clock,
      debugUrl: context.debugUrl,
      adapters: ADAPTERS,
      handleIngest: ingest.handle,
    }),
    isStopping: () => readiness.state().draining,
    consoleFiles:
      folder === null
        ? null
        : createConsoleFiles({
            folder,
            appUrl,
            embedOriginsOf,
            requireRate: (request) =>
              guard.requirePublicRate(clientOf(request, config.TRUST_PROXY).key, clock()),
          }),
    report: context.report,
    onServed: createRequestObserver({
      counters: context.metrics.http,
      log: context.boundedLog,
      accessLog: config.ACCESS_LOG === "on" ? context.log.child({}, { level: "info" }) : null,
      clock,
      trust: config.TRUST_PROXY,
      tracer: context.tracer,
    }),
    stopwatch: () => performance.now(),
  });
  return { server, endStreams: () => stopping.abort() };
}
