/** Accepted events and bootstraps by source and day (CONTRACT section 3), as the committing transactions counted them. */

import type { UsageRow } from "../../core/records.ts";
import type { Catalog } from "../ledger.ts";
import { type Asked, type Db, number } from "./database.ts";

/** Deleted sources count: what was acknowledged stays in the sum. */
async function usage(db: Db, { organizationId, from, to }: Asked<"usage">): Promise<UsageRow[]> {
  const rows = await db
    .selectFrom("usage")
    .innerJoin("sources", "sources.source_id", "usage.source_id")
    .select(["usage.source_id", "usage.day", "usage.accepted", "usage.bootstraps"])
    .where("sources.organization_id", "=", organizationId)
    .where("usage.day", ">=", from)
    .where("usage.day", "<=", to)
    .orderBy("usage.day")
    .orderBy("usage.source_id")
    .execute();
  return rows.map((row) => ({
    sourceId: row.source_id,
    day: row.day,
    accepted: number(row.accepted),
    bootstraps: number(row.bootstraps),
  }));
}

export const usageVerbs = (db: Db): Pick<Catalog, "usage"> => ({ usage: (asked) => usage(db, asked) });
