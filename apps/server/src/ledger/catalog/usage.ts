/** Accepted events and bootstraps per source and day (docs/api/limits.md). Commits count them. */
import type { UsageRow } from "../records.ts";
import type { Argument, CatalogDb } from "./database.ts";

/** Includes deleted sources: their accepted events stay in the sum. */
export const usage = (db: CatalogDb, { organizationId, from, to }: Argument<"usage">): Promise<UsageRow[]> =>
  db
    .selectFrom("usage")
    .innerJoin("sources", "sources.sourceId", "usage.sourceId")
    .select(["usage.sourceId", "usage.day", "usage.accepted", "usage.bootstraps", "usage.bytes"])
    .where("sources.organizationId", "=", organizationId)
    .where("usage.day", ">=", from)
    .where("usage.day", "<=", to)
    .orderBy("usage.day")
    .orderBy("usage.sourceId")
    .execute();
