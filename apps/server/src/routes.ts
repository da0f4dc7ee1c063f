/**
 * The index: which handler answers which operation. The contract's table has the method, path, access and schemas. A handler is
 * exported under the id of its operation.
 */
import { openApiDocument } from "@headwater/contract";
import * as audit from "./access/audit.ts";
import { noted } from "./access/audit-trail.ts";
import * as invitations from "./access/invitations.ts";
import { createUnlock } from "./access/link-passwords.ts";
import * as members from "./access/members.ts";
import { checkName } from "./access/names.ts";
import * as passkeys from "./access/passkeys.ts";
import { getPermissions, type IsOperator } from "./access/permissions.ts";
import * as profile from "./access/profile.ts";
import { forgetSignIn, refreshToken, rememberSignIn } from "./access/remember.ts";
import type { AccessServices } from "./access/services.ts";
import * as signIn from "./access/sign-in.ts";
import * as tokens from "./access/tokens.ts";
import * as workspaces from "./access/workspaces.ts";
import { listAlerts } from "./alerts/route.ts";
import type { Config } from "./config/settings.ts";
import { DOCS_HEADERS, docsPage } from "./http/docs/page.ts";
import { createDocument } from "./http/document.ts";
import type { FieldRules, Handler, Handlers, HandlersWith, WorkspaceOperationId } from "./http/handler.ts";
import { getInstall, type InstallAddresses } from "./install/install.ts";
import * as installChecks from "./install-checks/routes.ts";
import { mcp } from "./mcp/route.ts";
import * as operations from "./monitoring/routes.ts";
import type { Rate } from "./overload/rate-limit.ts";
import * as replays from "./quarantine/replay-routes.ts";
import { getQuarantine, listKeptEvents, type QuarantineServices } from "./quarantine/routes.ts";
import { getEventCatalog } from "./sources/event-catalog.ts";
import { checkSourceFields } from "./sources/fields.ts";
import * as plans from "./sources/plan.ts";
import * as sources from "./sources/routes.ts";
import * as reportLinks from "./stats/reports/link-pages.ts";
import {
  createReport,
  deleteReport,
  listReports,
  previewReport,
  type ReportRouteDeps,
  sendReport,
} from "./stats/reports/routes.ts";
import { checkSavedItem, createSavedItem, deleteSavedItem, listSavedItems } from "./stats/saved-items.ts";
import type { StatsHandlers } from "./stats/stats.ts";
import { getBilling } from "./workspace/billing.ts";
import * as erasures from "./workspace/erasures.ts";
import * as onboarding from "./workspace/onboarding.ts";
import { getUsage } from "./workspace/usage.ts";

/** Rules of single fields that a schema cannot state. The guard checks them with the schema and lists all problems at once. */
export const FIELD_RULES: FieldRules = {
  createSource: [checkSourceFields],
  updateSource: [checkSourceFields],
  createOrganization: [checkName("name")],
  addMember: [checkName("name"), members.checkServiceAccount],
  updateProfile: [checkName("name")],
  acceptInvitation: [checkName("name")],
  addPasskey: [checkName("name")],
  createSavedItem: [checkName("name"), checkSavedItem],
  createToken: [checkName("label"), tokens.checkExpiry, tokens.checkReach],
  eraseVisitor: [erasures.checkVisitor],
};

interface RouteServices
  extends AccessServices,
    installChecks.InstallCheckServices,
    operations.OperationsServices {
  readonly config: Config;
  readonly addresses: () => InstallAddresses;
  readonly isOperator: IsOperator;
  readonly rates: { readonly failedAuth: Rate };
  readonly stats: StatsHandlers;
  readonly getDelivery: Handler<"getDelivery">;
  readonly reportRoutes: ReportRouteDeps;
  readonly quarantine: QuarantineServices & replays.ReplayServices;
  readonly listSources: Handler<"listSources">;
  readonly getDebug: Handler<"getDebug">;
  readonly streamDebug: Handler<"streamDebug">;
  readonly exportEvents: Handler<"exportEvents">;
}

/** Gives handlers the services. What else is exported beside them is not an operation, so nothing calls it. */
const bind = <All extends Partial<HandlersWith<RouteServices>>>(all: All, services: RouteServices) =>
  // each member keeps the id of its operation
  Object.fromEntries(
    Object.entries(all).map(([id, handle]) => [id, (call: never) => handle?.(call, services)]),
  ) as { readonly [Id in keyof All & WorkspaceOperationId]: Handler<Id> };

export const createHandlers = (services: RouteServices): Handlers => ({
  ...bind(
    {
      ...audit,
      ...invitations,
      ...members,
      ...passkeys,
      getPermissions,
      ...profile,
      forgetSignIn,
      refreshToken,
      rememberSignIn,
      ...signIn,
      ...tokens,
      ...workspaces,
      getInstall,
      ...installChecks,
      mcp,
      ...operations,
      getEventCatalog,
      listAlerts,
      ...plans,
      ...sources,
      ...reportLinks,
      getBilling,
      ...erasures,
      ...onboarding,
      getUsage,
    },
    services,
  ),
  updateProfile: profile.createProfileUpdate(services),
  requestSignInLink: signIn.createSignInLinks(services),
  startPasskeySignIn: passkeys.createPasskeySignInStart(services),
  finishOidc: signIn.createOidcCallback(services),
  unlockStats: createUnlock(services),
  testInstall: installChecks.createTestInstall(services),
  ...statsHandlers(services),
  ...readingHandlers(services),
  ...replayHandlers(services),
  ...documents(services),
  listSources: services.listSources,
});

const statsHandlers = ({ catalog, newId, stats, getDelivery, reportRoutes }: RouteServices) =>
  ({
    ...stats,
    getDelivery,
    listSavedItems: listSavedItems(catalog),
    createSavedItem: createSavedItem(catalog, newId),
    deleteSavedItem: deleteSavedItem(catalog),
    listReports: listReports(reportRoutes),
    createReport: createReport(reportRoutes),
    deleteReport: deleteReport(reportRoutes),
    sendReport: sendReport(reportRoutes),
    previewReport: previewReport(reportRoutes),
  }) satisfies Partial<Handlers>;

/** Reads of personal data, which the audit log notes. */
const readingHandlers = ({
  auditTrail,
  stats,
  quarantine,
  getDebug,
  streamDebug,
  exportEvents,
}: RouteServices) =>
  ({
    getQuarantine: getQuarantine(quarantine),
    listKeptEvents: noted(auditTrail, "source.debug_read", listKeptEvents(quarantine)),
    listEvents: noted(auditTrail, "source.events_read", stats.listEvents),
    queryVisits: noted(auditTrail, "source.events_read", stats.queryVisits),
    getDebug: noted(auditTrail, "source.debug_read", getDebug),
    streamDebug: noted(auditTrail, "source.debug_read", streamDebug),
    exportEvents: noted(auditTrail, "source.exported", exportEvents, ({ from, to, format = "ndjson" }) => ({
      from: from ?? null,
      to: to ?? null,
      format,
    })),
  }) satisfies Partial<Handlers>;

const replayHandlers = ({ quarantine }: RouteServices) =>
  ({
    testReplay: replays.testReplay(quarantine),
    startReplay: replays.startReplay(quarantine),
    listReplays: replays.listReplays(quarantine),
    getReplay: replays.getReplay(quarantine),
    stopReplay: replays.stopReplay(quarantine),
    resumeReplay: replays.resumeReplay(quarantine),
  }) satisfies Partial<Handlers>;

function documents({ addresses, build }: RouteServices) {
  const render = () => openApiDocument(addresses(), build.version);
  const openapi = createDocument({
    mediaType: "application/json; charset=utf-8",
    headers: { "Cache-Control": "no-cache" },
    render: () => JSON.stringify(render()),
  });
  const docs = createDocument({
    mediaType: "text/html; charset=utf-8",
    headers: DOCS_HEADERS,
    render: () => docsPage(render()),
  });
  return {
    openapi: async () => ({ document: await openapi() }),
    docs: async () => ({ document: await docs() }),
  } satisfies Partial<Handlers>;
}
