/** The index: which handler answers which operation. The contract's table has the method, path, access and schemas. */
import { type DailyQuota, openApiDocument } from "@headwater/contract";
import { listAudit } from "./access/audit.ts";
import { type AuditTrail, noted } from "./access/audit-trail.ts";
import {
  acceptInvitation,
  createInvitation,
  joinWorkspace,
  listInvitations,
  readInvitation,
  revokeInvitation,
} from "./access/invitations.ts";
import { createUnlock, type UnlockDeps } from "./access/link-passwords.ts";
import { addMember, checkServiceAccount, listMembers, removeMember, updateMember } from "./access/members.ts";
import { checkName } from "./access/names.ts";
import { getPermissions, type IsOperator } from "./access/permissions.ts";
import {
  confirmEmail,
  endSession,
  getProfile,
  listSessions,
  requestEmail,
  restoreEmail,
  updateProfile,
} from "./access/profile.ts";
import {
  finishOidc,
  getSignInMethods,
  requestSignInLink,
  type SignInWays,
  startOidc,
} from "./access/sign-in.ts";
import {
  checkExpiry,
  checkReach,
  createToken,
  listTokens,
  readSignInCode,
  revokeToken,
  signIn,
  signOut,
} from "./access/tokens.ts";
import { createOrganization, listOrganizations, type WorkspaceCreation } from "./access/workspaces.ts";
import type { BuildInfo } from "./config/build-info.ts";
import { DOCS_HEADERS, docsPage } from "./http/docs/page.ts";
import { createDocument } from "./http/document.ts";
import type { FieldRules, Handler, Handlers } from "./http/handler.ts";
import { createSecurityTxt } from "./http/security-txt.ts";
import { getInstall, type InstallAddresses } from "./install/install.ts";
import { createTestInstall, type TestInstallDeps } from "./install-checks/test-install.ts";
import { type VerifyDeps, verifyInstall } from "./install-checks/verify.ts";
import type { Catalog } from "./ledger/ledger.ts";
import { createMcpRoute } from "./mcp/route.ts";
import { getEventCatalog } from "./sources/event-catalog.ts";
import { checkSourceFields } from "./sources/fields.ts";
import { getPlan, getPlanProposal, listPlanVersions, savePlan } from "./sources/plan.ts";
import {
  createSource,
  deleteSource,
  getSource,
  listSources,
  regenerateKey,
  restoreKey,
  updateSource,
} from "./sources/routes.ts";
import {
  askReportConsent,
  confirmUnsubscribe,
  giveReportConsent,
  unsubscribe,
} from "./stats/reports/link-pages.ts";
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
import { checkVisitor, eraseVisitor, getErasure } from "./workspace/erasures.ts";
import { completeOnboarding, getOnboarding } from "./workspace/onboarding.ts";
import { getSupport, type SupportFacts } from "./workspace/support.ts";
import { getUsage } from "./workspace/usage.ts";

/** Rules of single fields that a schema cannot state. The guard checks them with the schema and lists all problems at once. */
export const FIELD_RULES: FieldRules = {
  createSource: [checkSourceFields],
  updateSource: [checkSourceFields],
  createOrganization: [checkName("name")],
  addMember: [checkName("name"), checkServiceAccount],
  updateProfile: [checkName("name")],
  acceptInvitation: [checkName("name")],
  createSavedItem: [checkName("name"), checkSavedItem],
  createToken: [checkName("label"), checkExpiry, checkReach],
  eraseVisitor: [checkVisitor],
};

export type InstallCheckDeps = VerifyDeps & TestInstallDeps;

interface RoutesDeps {
  readonly ledger: Catalog;
  readonly newId: (prefix: string) => string;
  readonly build: BuildInfo;
  /** SECURITY_CONTACT, as a URI. */
  readonly securityContact: string | null;
  readonly workspaceCreation: WorkspaceCreation;
  readonly consoleTokenMs: number;
  readonly consoleIdleMs: number;
  readonly signInWays: SignInWays;
  readonly auditTrail: AuditTrail;
  readonly isOperator: IsOperator;
  readonly workspaceQuota: DailyQuota;
  /** A function, because the addresses may contain the port, which is not known before the server listens. */
  readonly addresses: () => InstallAddresses;
  readonly debug: { readonly get: Handler<"getDebug">; readonly stream: Handler<"streamDebug"> };
  readonly verify: InstallCheckDeps;
  readonly stats: StatsHandlers;
  readonly reports: ReportRouteDeps;
  readonly unlock: Omit<UnlockDeps, "tokenByHash">;
  readonly exportEvents: Handler<"exportEvents">;
  readonly operations: {
    readonly readyz: Handler<"readyz">;
    readonly metrics: Handler<"metrics">;
    readonly sdk: Handler<"sdk">;
    readonly sdkExtra: Handler<"sdkExtra">;
    readonly support: () => Promise<SupportFacts>;
  };
}

export const createHandlers = (deps: RoutesDeps): Handlers => ({
  ...sourceHandlers(deps),
  ...deps.stats,
  listEvents: noted(deps.auditTrail, "source.events_read", deps.stats.listEvents),
  ...reportHandlers(deps),
  ...accessHandlers(deps),
  ...accountHandlers(deps),
  ...workspaceHandlers(deps),
  ...publicHandlers(deps),
});

const sourceHandlers = ({ ledger, newId, addresses, verify, debug, exportEvents, auditTrail }: RoutesDeps) =>
  ({
    listSources: listSources(ledger),
    createSource: createSource(ledger, newId),
    getSource,
    updateSource: updateSource(ledger),
    deleteSource: deleteSource(ledger),
    regenerateKey: regenerateKey(ledger),
    restoreKey: restoreKey(ledger),
    getEventCatalog: getEventCatalog(ledger),
    getPlan: getPlan(ledger),
    savePlan: savePlan(ledger),
    listPlanVersions: listPlanVersions(ledger),
    proposePlan: getPlanProposal(ledger),
    listSavedItems: listSavedItems(ledger),
    createSavedItem: createSavedItem(ledger, newId),
    deleteSavedItem: deleteSavedItem(ledger),
    getInstall: getInstall(addresses),
    verifyInstall: verifyInstall(verify),
    testInstall: createTestInstall(verify),
    getDebug: noted(auditTrail, "source.debug_read", debug.get),
    streamDebug: noted(auditTrail, "source.debug_read", debug.stream),
    exportEvents: noted(auditTrail, "source.exported", exportEvents, ({ from, to, format = "ndjson" }) => ({
      from: from ?? null,
      to: to ?? null,
      format,
    })),
  }) satisfies Partial<Handlers>;

const reportHandlers = ({ ledger, reports }: RoutesDeps) =>
  ({
    listReports: listReports(reports),
    createReport: createReport(reports),
    deleteReport: deleteReport(reports),
    sendReport: sendReport(reports),
    previewReport: previewReport(reports),
    askReportConsent: askReportConsent(ledger),
    giveReportConsent: giveReportConsent(ledger),
    confirmUnsubscribe: confirmUnsubscribe(ledger),
    unsubscribe: unsubscribe(ledger),
  }) satisfies Partial<Handlers>;

const accessHandlers = ({
  ledger,
  newId,
  workspaceCreation: creation,
  consoleTokenMs,
  isOperator,
  unlock,
  signInWays: { noteRefusal },
}: RoutesDeps) =>
  ({
    listOrganizations: listOrganizations(ledger),
    createOrganization: createOrganization({ catalog: ledger, newId, creation, isOperator }),
    getPermissions,
    listMembers: listMembers(ledger),
    addMember: addMember(ledger, newId),
    updateMember: updateMember(ledger),
    removeMember: removeMember(ledger),
    listTokens: listTokens(ledger),
    createToken: createToken(ledger, newId),
    revokeToken: revokeToken(ledger),
    listAudit: listAudit(ledger),
    readSignInCode: readSignInCode({ catalog: ledger, noteRefusal }),
    signIn: signIn({ catalog: ledger, newId, consoleTokenMs, noteRefusal }),
    signOut: signOut(ledger),
    unlockStats: createUnlock({ ...unlock, tokenByHash: ledger.tokenByHash }),
  }) satisfies Partial<Handlers>;

function accountHandlers({ ledger, addresses, signInWays, consoleIdleMs }: RoutesDeps) {
  const oidc = { ...signInWays, baseUrl: () => addresses().baseUrl };
  return {
    getProfile: getProfile(ledger),
    updateProfile: updateProfile(signInWays),
    requestEmail: requestEmail(signInWays),
    confirmEmail: confirmEmail(signInWays),
    restoreEmail: restoreEmail(ledger),
    listSessions: listSessions(ledger, consoleIdleMs),
    endSession: endSession(ledger),
    listInvitations: listInvitations(ledger),
    createInvitation: createInvitation(signInWays),
    revokeInvitation: revokeInvitation(ledger),
    readInvitation: readInvitation(ledger),
    acceptInvitation: acceptInvitation(signInWays),
    joinWorkspace: joinWorkspace(ledger),
    getSignInMethods: getSignInMethods(signInWays),
    requestSignInLink: requestSignInLink(signInWays),
    startOidc: startOidc(oidc),
    finishOidc: finishOidc(oidc),
  } satisfies Partial<Handlers>;
}

const workspaceHandlers = ({ ledger, newId, build, operations, isOperator, workspaceQuota }: RoutesDeps) =>
  ({
    eraseVisitor: eraseVisitor(ledger, newId),
    getErasure: getErasure(ledger),
    getOnboarding: getOnboarding(ledger),
    completeOnboarding: completeOnboarding(ledger),
    getUsage: getUsage(ledger),
    getBilling: getBilling(ledger, workspaceQuota),
    getSupport: getSupport({ build, supportFacts: operations.support, isOperator }),
  }) satisfies Partial<Handlers>;

function publicHandlers({ addresses, build, operations, securityContact }: RoutesDeps) {
  const { version } = build;
  const { readyz, metrics, sdk, sdkExtra } = operations;
  const render = () => openApiDocument(addresses(), version);
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
    mcp: createMcpRoute({ addresses, version }),
    healthz: async () => ({ body: { status: "ok" } }),
    readyz,
    metrics,
    sdk,
    sdkExtra,
    openapi: async () => ({ document: await openapi() }),
    docs: async () => ({ document: await docs() }),
    securityTxt: createSecurityTxt({ contact: securityContact, baseUrl: () => addresses().baseUrl }),
  } satisfies Partial<Handlers>;
}
