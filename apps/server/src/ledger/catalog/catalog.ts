/**
 * The parts of the ledger that SQLite and PostgreSQL share, written with Kysely: the catalog, alerts, and the
 * bookkeeping of erasures. Each method that writes is one transaction.
 */
import { claimAlerts, finishAlert, recordAlertStatus, watchedSources } from "./alerts.ts";
import { audit, expireAudit, recordAudit } from "./audit.ts";
import type { CatalogDb, LeaseClock } from "./database.ts";
import { acceptClock, deletionClock } from "./deletion-clock.ts";
import { confirmEmail, restoreEmail } from "./emails.ts";
import { erasure, expireReceipts, requestErasure } from "./erasure-requests.ts";
import {
  advanceErasures,
  claimErasures,
  eraseSessions,
  renewErasureLeases,
  retentions,
  sealedPages,
} from "./erasures.ts";
import { addToEventCatalog, eventCatalog, planViolations } from "./event-catalog.ts";
import {
  acceptInvitation,
  createInvitation,
  invitationByHash,
  invitations,
  revokeInvitation,
} from "./invitations.ts";
import { restoreKey, rotateKey } from "./keys.ts";
import { addMember, changeRole, members, removeMember } from "./members.ts";
import type { CatalogMethods } from "./methods.ts";
import {
  completeOnboarding,
  createOrganization,
  onboarding,
  organizations,
  organizationsOf,
  roleOf,
} from "./organizations.ts";
import { profile, updateProfile, userByEmail, userOfIdentity } from "./profiles.ts";
import {
  addReportLink,
  claimReports,
  confirmReport,
  createReport,
  deleteReport,
  recordReport,
  reportByLink,
  reports,
  unsubscribeReport,
} from "./reports.ts";
import { createSavedItem, deleteSavedItem, savedItems } from "./saved-items.ts";
import { setUp } from "./set-up.ts";
import { createSignInCode, readSignInCode, signIn } from "./sign-in-codes.ts";
import { createSource, deleteSource, source, sources, updateSource } from "./sources.ts";
import { createToken, recordTokenUse, revokeToken, sessions, token, tokenByHash, tokens } from "./tokens.ts";
import { saveTrackingPlan, trackingPlan, trackingPlanVersions } from "./tracking-plans.ts";
import { usage } from "./usage.ts";
import {
  addShippedDays,
  allSourceIds,
  claimWarehouseCheck,
  forgetShippedDays,
  savePartsCheck,
  saveWarehouseReport,
  shippedDays,
  warehouseCheck,
} from "./warehouse-checks.ts";

/** A query, and a change that runs in a transaction of its own. */
function createRunners(db: CatalogDb) {
  const read =
    <Asked, Result>(query: (db: CatalogDb, asked: Asked) => Promise<Result>) =>
    (asked: Asked): Promise<Result> =>
      query(db, asked);
  const write =
    <Asked, Result>(change: (trx: CatalogDb, asked: Asked) => Promise<Result>) =>
    (asked: Asked): Promise<Result> =>
      db.transaction().execute((trx) => change(trx, asked));
  return { read, write };
}

/** Methods that requests and commands call. */
function requestMethods(db: CatalogDb) {
  const { read, write } = createRunners(db);
  return {
    setUp: write(setUp),
    createSignInCode: write(createSignInCode),
    readSignInCode: read(readSignInCode),
    signIn: write(signIn),
    profile: read(profile),
    updateProfile: write(updateProfile),
    confirmEmail: write(confirmEmail),
    restoreEmail: write(restoreEmail),
    userByEmail: read(userByEmail),
    userOfIdentity: read(userOfIdentity),
    sessions: read(sessions),
    invitations: read(invitations),
    invitationByHash: read(invitationByHash),
    createInvitation: write(createInvitation),
    revokeInvitation: write(revokeInvitation),
    acceptInvitation: write(acceptInvitation),
    organizationsOf: read(organizationsOf),
    organizations: read(organizations),
    createOrganization: write(createOrganization),
    roleOf: read(roleOf),
    onboarding: read(onboarding),
    completeOnboarding: write(completeOnboarding),
    members: read(members),
    addMember: write(addMember),
    changeRole: write(changeRole),
    removeMember: write(removeMember),
    tokenByHash: read(tokenByHash),
    token: read(token),
    tokens: read(tokens),
    createToken: write(createToken),
    revokeToken: write(revokeToken),
    recordTokenUse: write(recordTokenUse),
    sources: read(sources),
    source: read(source),
    createSource: write(createSource),
    updateSource: write(updateSource),
    deleteSource: write(deleteSource),
    rotateKey: write(rotateKey),
    restoreKey: write(restoreKey),
    eventCatalog: read(eventCatalog),
    planViolations: read(planViolations),
    addToEventCatalog: write(addToEventCatalog),
    trackingPlan: read(trackingPlan),
    trackingPlanVersions: read(trackingPlanVersions),
    saveTrackingPlan: write(saveTrackingPlan),
    savedItems: read(savedItems),
    createSavedItem: write(createSavedItem),
    deleteSavedItem: write(deleteSavedItem),
    recordAudit: write(recordAudit),
    audit: read(audit),
    expireAudit: write(expireAudit),
    usage: read(usage),
    requestErasure: write(requestErasure),
    erasure: read(erasure),
  };
}

/** Methods that the reports of sources need. */
function reportMethods(db: CatalogDb) {
  const { read, write } = createRunners(db);
  return {
    reports: read(reports),
    createReport: write(createReport),
    deleteReport: write(deleteReport),
    reportByLink: read(reportByLink),
    addReportLink: write(addReportLink),
    confirmReport: write(confirmReport),
    unsubscribeReport: write(unsubscribeReport),
    recordReport: write(recordReport),
    claimReports: write(claimReports),
  };
}

/** Methods that background workers call. */
function workerMethods(
  db: CatalogDb,
  leaseClock: LeaseClock,
): Omit<CatalogMethods, keyof ReturnType<typeof requestMethods> | keyof ReturnType<typeof reportMethods>> {
  const { read, write } = createRunners(db);
  return {
    deletionClock: write((trx, asked) => deletionClock(trx, leaseClock, asked)),
    acceptClock: write((trx, asked) => acceptClock(trx, leaseClock, asked)),
    expireReceipts: write(expireReceipts),
    claimErasures: write((trx, asked) => claimErasures(trx, leaseClock, asked)),
    renewErasureLeases: write((trx, asked) => renewErasureLeases(trx, leaseClock, asked)),
    advanceErasures: write(advanceErasures),
    eraseSessions: write(eraseSessions),
    retentions: () => retentions(db),
    sealedPages: () => sealedPages(db),
    watchedSources: read(watchedSources),
    recordAlertStatus: write(recordAlertStatus),
    claimAlerts: write(claimAlerts),
    finishAlert: write(finishAlert),
    allSourceIds: () => allSourceIds(db),
    shippedDays: read(shippedDays),
    addShippedDays: write(addShippedDays),
    forgetShippedDays: write(forgetShippedDays),
    warehouseCheck: () => warehouseCheck(db),
    claimWarehouseCheck: write((trx, asked) => claimWarehouseCheck(trx, leaseClock, asked)),
    saveWarehouseReport: write(saveWarehouseReport),
    savePartsCheck: write(savePartsCheck),
  };
}

export const createCatalog = (db: CatalogDb, leaseClock: LeaseClock): CatalogMethods => ({
  ...requestMethods(db),
  ...reportMethods(db),
  ...workerMethods(db, leaseClock),
});
