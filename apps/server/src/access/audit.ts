/** The audit log of a workspace, newest entry first (docs/api/access.md). */
import { LIMITS } from "@headwater/contract";
import { toIsoTime } from "../core/time.ts";
import { readTimeRange } from "../core/time-range.ts";
import type { CatalogHandler } from "../http/handler.ts";

/** Entries that one request of a search looks at. The description of the operation names the number. */
const SEARCHED_ENTRIES = 5_000;

/** The log stores times as numbers, in members whose names end in `At`. The API shows them as ISO times. */
const renderMembers = (change: object) =>
  Object.fromEntries(
    Object.entries(change).map(([name, value]) => [
      name,
      typeof value === "number" && name.endsWith("At") ? toIsoTime(value) : value,
    ]),
  );

const renderChange = (change: unknown): unknown =>
  typeof change === "object" && change !== null ? renderMembers(change) : change;

export const listAudit: CatalogHandler<"listAudit"> = async ({ organizationId, query }, { catalog }) => {
  const { userId, target, action, search, limit = LIMITS.maxPageSize, cursor = null } = query;
  const filters = { userId, target, action, ...readTimeRange(query) };
  const searching = search === undefined ? {} : { search: { text: search, maxEntries: SEARCHED_ENTRIES } };
  const page = { organizationId, ...filters, ...searching, limit, cursor };
  const { rows, nextCursor } = await catalog.audit(page);
  const entries = rows.map((entry) => ({
    ...entry,
    at: toIsoTime(entry.at),
    before: renderChange(entry.before),
    after: renderChange(entry.after),
  }));
  return { body: { entries, nextCursor } };
};
