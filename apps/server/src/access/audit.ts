/** The audit log of a workspace, newest first (CONTRACT section 2). */
import { LIMITS } from "@headwater/contract";
import type { Handler } from "../core/handler.ts";
import { toIsoTime } from "../core/time.ts";
import type { Catalog } from "../ledger/ledger.ts";

/** The log keeps times as the ledger does, in members whose name ends in `At`. */
const shownMember = ([name, value]: [string, unknown]): [string, unknown] => [
  name,
  typeof value === "number" && name.endsWith("At") ? toIsoTime(value) : value,
];

const shown = (change: unknown): unknown =>
  typeof change === "object" && change !== null
    ? Object.fromEntries(Object.entries(change).map(shownMember))
    : change;

export const listAudit =
  (ledger: Catalog): Handler<"listAudit"> =>
  async ({ organizationId, query }) => {
    const page = { organizationId, limit: query.limit ?? LIMITS.maxPageSize, cursor: query.cursor ?? null };
    const { rows, nextCursor } = await ledger.audit(page);
    const entries = rows.map(({ at, before, after, ...entry }) => ({
      ...entry,
      at: toIsoTime(at),
      before: shown(before),
      after: shown(after),
    }));
    return { body: { entries, nextCursor } };
  };
