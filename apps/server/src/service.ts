/** The HTTP service: connects the handlers, the guard, the ingest routes and the console to one HTTP server. */
import { OPERATIONS } from "@headwater/contract";
import { createOperatorCheck } from "./access/permissions.ts";
import { ADAPTERS } from "./compat/adapters.ts";
import { strayAdapter } from "./compat/stray.ts";
import type { BuildInfo } from "./config/build-info.ts";
import type { ServiceContext } from "./context.ts";
import { createCache } from "./core/cache.ts";
import { getDebug, streamDebug } from "./debug/routes.ts";
import { listSources } from "./debug/source-list.ts";
import { createDebugStreams } from "./debug/stream.ts";
import { createDebugView } from "./debug/view.ts";
import { createExport } from "./export/export.ts";
import { createHttpApp } from "./http/app.ts";
import { clientOf } from "./http/client-address.ts";
import { createConsoleFiles } from "./http/console-files.ts";
import { Guard } from "./http/guard.ts";
import { createRequestObserver } from "./http/observe.ts";
import type { ServedScripts } from "./http/scripts.ts";
import { createWorkspaceRoute } from "./http/workspace-routes.ts";
import { createIngestRoutes } from "./ingest/routes.ts";
import { createHandlers, FIELD_RULES } from "./routes.ts";

/** Sources whose sites for embedding are known, and for how long: a notice of a change may have been lost. */
const EMBED_CACHE_ENTRIES = 1_000;
const EMBED_CACHE_MS = 60_000;

/** The assets of the service: built files and facts about itself. */
export interface ServiceAssets {
  build: BuildInfo;
  /** The settings as text, without secrets and paths, for support. */
  settings: Record<string, string>;
  /** The names of those that are not at their defaults. */
  changedSettings: string[];
  scripts: ServedScripts;
  /** The folder of the built console; null when no console is served. */
  consoleFolder: string | null;
}

function buildHandlers(context: ServiceContext, assets: ServiceAssets, stopping: AbortSignal) {
  const { config, ledger } = context;
  const view = createDebugView(context);
  return createHandlers({
    ...context,
    ...assets,
    catalog: ledger,
    isOperator: createOperatorCheck(ledger, config.ORGANIZATION_ID),
    quarantine: context,
    listSources: listSources(context),
    getDebug: getDebug(view),
    streamDebug: streamDebug(createDebugStreams(context), stopping),
    reportRoutes: {
      ...context,
      catalog: ledger,
      canMail: context.mailer !== null,
      webhookOrigins: config.REPORT_WEBHOOK_ORIGINS,
    },
    exportEvents: createExport({
      ...context,
      stopping,
      onSlowClient: (ended) =>
        context.log.warn(ended, "an export was ended because its client read too slowly"),
    }),
  });
}

/** The characters of source ids. Any other text needs no look-up. */
const SOURCE_ID = /^\w{1,100}$/;

/** Looks up the embed origins of a source; an unknown source has none. Both answers are cached. */
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

/** The server does not listen yet. `endStreams` ends open streams; other requests are answered. */
export function createHttpService(context: ServiceContext, assets: ServiceAssets) {
  const { config, clock, addresses, authenticator, log } = context;
  const { consoleFolder: folder } = assets;
  const stopping = new AbortController();
  const embedOriginsOf = createEmbedOrigins(context);
  const guard = new Guard({ ...context, authenticate: authenticator.authenticate, rules: FIELD_RULES });
  const server = createHttpApp({
    ...context,
    serveWorkspace: createWorkspaceRoute(
      { ...context, handlers: buildHandlers(context, assets, stopping.signal), guard },
      OPERATIONS,
    ),
    ...createIngestRoutes({ ...context, adapters: ADAPTERS, strayAdapter }),
    otherPaths:
      folder === null
        ? null
        : createConsoleFiles({
            folder,
            appUrl: () => addresses().appUrl,
            embedOriginsOf,
            requireRate: (request) =>
              guard.requirePublicRate(clientOf(request, config.TRUST_PROXY).key, clock()),
          }),
    onServed: createRequestObserver({
      ...context,
      accessLog: config.ACCESS_LOG === "on" ? log.child({}, { level: "info" }) : null,
    }),
    stopwatch: () => performance.now(),
  });
  return { server, endStreams: () => stopping.abort() };
}
