/**
 * The parts of the ledger that SQLite and PostgreSQL share, written once with Kysely: the catalog, alerts, and the bookkeeping of
 * erasures and of the warehouse. A method is a function of its module; the ledger's type is derived from it.
 */
import { alertReads, alertWrites } from "./alerts.ts";
import { auditReads, auditWrites } from "./audit.ts";
import type { CatalogDb, LeaseClock } from "./database.ts";
import { clockWrites } from "./deletion-clock.ts";
import { emailWrites } from "./emails.ts";
import { erasureReads, erasureWrites } from "./erasures.ts";
import { eventCatalogReads, eventCatalogWrites } from "./event-catalog.ts";
import { invitationReads, invitationWrites } from "./invitations.ts";
import { keyWrites } from "./keys.ts";
import { memberReads, memberWrites } from "./members.ts";
import { organizationReads, organizationWrites } from "./organizations.ts";
import { passkeyReads, passkeyWrites } from "./passkeys.ts";
import { profileReads, profileWrites } from "./profiles.ts";
import { rememberedReads, rememberedWrites } from "./remembered.ts";
import { replayReads, replayWrites } from "./replays.ts";
import { reportReads, reportWrites } from "./reports.ts";
import { savedItemReads, savedItemWrites } from "./saved-items.ts";
import { setUpWrites } from "./set-up.ts";
import { signInReads, signInWrites } from "./sign-in-codes.ts";
import { sourceReads, sourceWrites } from "./sources.ts";
import { tokenReads, tokenWrites } from "./tokens.ts";
import { trackingPlanReads, trackingPlanWrites } from "./tracking-plans.ts";
import { warehouseReads, warehouseWrites } from "./warehouse-checks.ts";

const READS = {
  ...alertReads,
  ...auditReads,
  ...erasureReads,
  ...eventCatalogReads,
  ...invitationReads,
  ...memberReads,
  ...organizationReads,
  ...passkeyReads,
  ...profileReads,
  ...rememberedReads,
  ...replayReads,
  ...reportReads,
  ...savedItemReads,
  ...signInReads,
  ...sourceReads,
  ...tokenReads,
  ...trackingPlanReads,
  ...warehouseReads,
};

/** Each is one transaction. */
const WRITES = {
  ...alertWrites,
  ...auditWrites,
  ...clockWrites,
  ...emailWrites,
  ...erasureWrites,
  ...eventCatalogWrites,
  ...invitationWrites,
  ...keyWrites,
  ...memberWrites,
  ...organizationWrites,
  ...passkeyWrites,
  ...profileWrites,
  ...rememberedWrites,
  ...replayWrites,
  ...reportWrites,
  ...savedItemWrites,
  ...setUpWrites,
  ...signInWrites,
  ...sourceWrites,
  ...tokenWrites,
  ...trackingPlanWrites,
  ...warehouseWrites,
};

type Functions = typeof READS & typeof WRITES;
type MethodOf<Function> = Function extends (db: CatalogDb) => infer Result
  ? () => Result
  : Function extends (db: CatalogDb, asked: infer Asked, leaseClock: LeaseClock) => infer Result
    ? (asked: Asked) => Result
    : never;

/** The methods of the ledger that both engines share. */
export type Catalog = { [Name in keyof Functions]: MethodOf<Functions[Name]> };

type AnyFunction = (db: CatalogDb, asked: never, leaseClock: LeaseClock) => Promise<unknown>;

export function createCatalog(db: CatalogDb, leaseClock: LeaseClock): Catalog {
  const toMethods = (
    functions: Record<string, AnyFunction>,
    run: (work: (db: CatalogDb) => Promise<unknown>) => Promise<unknown>,
  ) =>
    Object.entries(functions).map(([name, call]) => [
      name,
      (asked: never) => run((trx) => call(trx, asked, leaseClock)),
    ]);
  const reads = toMethods(READS, (work) => work(db));
  const writes = toMethods(WRITES, (work) => db.transaction().execute(work));
  // `Object.fromEntries` loses the names of the methods
  return Object.fromEntries([...reads, ...writes]) as Catalog;
}
