/** The queries of the debug history, for both engines. Placeholders are written `?1`; PostgreSQL has `$1`. */
import { ATTEMPT_KINDS, type AttemptOutcome } from "@headwater/contract/attempts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { DAY_MS } from "../core/time.ts";
import type { AttemptFilter } from "./records.ts";

/** Bytes that the columns and indexes of a row take besides its record. */
export const ATTEMPT_ROW_BYTES = 400;
const RETENTION_MS = SERVER_LIMITS.attemptRetentionSeconds * 1_000;
/** Choosing which others of a source are kept ranks all of them (0.6 ms), so it waits for this many superfluous ones. */
export const SUPERFLUOUS_OTHERS = 100;
/** Slices that one maintenance deletes. */
export const MAX_EXPIRY_SLICES = 10;

/** Attempts and counters from before these times are deleted. */
export const expiryTimes = (now: number) => ({
  attempts: now - RETENTION_MS,
  counts: now - RETENTION_MS - DAY_MS,
});

/** Attempts of one source that a filter selects. */
export type AttemptGroupFilter = Omit<AttemptFilter, "limit" | "before" | "after"> & {
  /** Only attempts received after this time. */
  since: number;
};

/** How many of them have the same origin, outcome and code, and when the last of them was received. */
export interface AttemptGroup {
  origin: string | null;
  outcome: AttemptOutcome;
  code: string | null;
  requests: number;
  lastSeenAt: number;
}

interface AttemptQuery {
  sql: string;
  values: (string | number)[];
}
type OptionalCondition = readonly [condition: string, value: string | number | undefined];

/** @param values with the values of the placeholders, to which those of the filter are added */
function whereOf(
  { kind, outcome, ...filter }: Omit<AttemptFilter, "limit">,
  bounds: readonly OptionalCondition[],
  values: AttemptQuery["values"],
): string {
  const conditions: readonly OptionalCondition[] = [
    ["source_id =", filter.sourceId],
    ["kind =", kind],
    ["other =", outcome && (outcome === "succeeded" ? 0 : 1)],
    ["outcome =", outcome],
    ...bounds,
    ["code =", filter.code],
    ["origin =", filter.origin],
    ["session_id =", filter.sessionId],
    ["anonymous_id =", filter.anonymousId],
  ];
  const where = conditions.flatMap(([condition, value]) =>
    value === undefined ? [] : [`${condition} ?${values.push(value)}`],
  );
  // columns without a filter get a condition too, so that SQLite uses the index up to `seq`
  if (kind === undefined) where.push(IS_ANY_KIND);
  if (outcome === undefined) where.push("other in (0, 1)");
  return where.join(" and ");
}

export const IS_ANY_KIND = `kind in (${ATTEMPT_KINDS.map((kind) => `'${kind}'`).join(", ")})`;

/** Newest first; with `after` oldest first, as the live stream reads. */
export function attemptQuery({ limit, before, after, ...filter }: AttemptFilter): AttemptQuery {
  const values: AttemptQuery["values"] = [limit];
  const bounds = [["seq <", before] as const, ["seq >", after] as const];
  const where = whereOf(filter, bounds, values);
  const order = `order by seq ${after === undefined ? "desc" : "asc"}`;
  // the inner select finds the rows in an index, so that only the records that are returned are read
  const found = `select seq from attempts where ${where} ${order} limit ?1`;
  return { sql: `select seq, kind, record from attempts where seq in (${found}) ${order}`, values };
}

export function attemptGroupQuery({ since, ...filter }: AttemptGroupFilter): AttemptQuery {
  const values: AttemptQuery["values"] = [];
  const where = whereOf(filter, [["received_at >", since]], values);
  const sql = `select origin, outcome, code, count(*) as requests, max(received_at) as "lastSeenAt"
    from attempts where ${where}
    group by origin, outcome, code order by requests desc, origin, code`;
  return { sql, values };
}

export const ATTEMPT_COUNTS = `select source_id as "sourceId", hour, name, count, last_seen_at as "lastSeenAt"
  from attempt_counts where source_id = ?1 and hour >= ?2 order by hour, name`;
export const RECENT_COUNTS = `select source_id as "sourceId", cast(?1 as bigint) as hour, name,
    cast(sum(count) as bigint) as count, max(last_seen_at) as "lastSeenAt"
  from attempt_counts where hour >= ?1 and name in ('succeeded', 'failed', 'plan_warning', 'plan_violation')
  group by source_id, name`;

/** Which counters are summed: those of the outcomes of requests, or all. */
export type CounterNames = "outcomes" | "all";
/**
 * The sums of each source's counters since an hour, by name. Each source is a range of the primary key.
 * @param values the engine's table function with the column `value`, over the JSON array `?1` of source ids
 */
export const attemptSums = (values: string, names: CounterNames) => `select listed.value as "sourceId",
    cast(?2 as bigint) as hour, name, cast(sum(count) as bigint) as count, max(last_seen_at) as "lastSeenAt"
  from ${values} as listed cross join attempt_counts
  where source_id = listed.value and hour >= ?2${names === "outcomes" ? " and name in ('succeeded', 'failed')" : ""}
  group by listed.value, name`;
