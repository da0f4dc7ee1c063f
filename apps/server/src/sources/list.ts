import { LIMITS } from "@headwater/contract";
import type { Handler } from "../core/handler.ts";
import type { Catalog } from "../ledger/ledger.ts";
import { renderSource } from "./source.ts";

/** The sources of a workspace, oldest first (spec 4.1). */
export const listSources =
  (ledger: Catalog): Handler<"listSources"> =>
  async ({ organizationId, query, now }) => {
    const page = { organizationId, limit: query.limit ?? LIMITS.maxPageSize, cursor: query.cursor ?? null };
    const { rows, nextCursor } = await ledger.sources(page);
    return { body: { sources: rows.map((row) => renderSource(row, now)), nextCursor } };
  };
