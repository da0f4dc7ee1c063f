/** The audit log of a workspace, newest first (CONTRACT section 2). */
import { LIMITS } from "@headwater/contract";
import type { Handler } from "../call.ts";
import { isoTime } from "../instant.ts";
import type { Register } from "../ledger/ledger.ts";

export const listAudit =
  (ledger: Register): Handler<"listAudit"> =>
  async ({ organizationId, query }) => {
    const page = { organizationId, limit: query.limit ?? LIMITS.pageSize, cursor: query.cursor ?? null };
    const { rows, nextCursor } = await ledger.audit(page);
    const entries = rows.map(({ at, ...entry }) => ({ ...entry, at: isoTime(at) }));
    return { body: { entries, nextCursor } };
  };
