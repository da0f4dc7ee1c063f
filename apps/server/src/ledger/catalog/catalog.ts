/** The catalog: what is rarely called, written once for SQLite and PostgreSQL. Every writing verb is one transaction. */
import type { Catalog } from "../ledger.ts";
import { auditVerbs } from "./audit.ts";
import type { Db } from "./database.ts";
import { erasureVerbs } from "./erasures.ts";
import { keyVerbs } from "./keys.ts";
import { memberVerbs } from "./members.ts";
import { organizationVerbs } from "./organizations.ts";
import { setUpVerbs } from "./set-up.ts";
import { sourceVerbs } from "./sources.ts";
import { tokenVerbs } from "./tokens.ts";
import { usageVerbs } from "./usage.ts";

export const createCatalog = (db: Db): Catalog => ({
  ...setUpVerbs(db),
  ...organizationVerbs(db),
  ...memberVerbs(db),
  ...tokenVerbs(db),
  ...sourceVerbs(db),
  ...keyVerbs(db),
  ...erasureVerbs(db),
  ...auditVerbs(db),
  ...usageVerbs(db),
});
