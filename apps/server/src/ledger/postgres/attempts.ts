/** The debug history on PostgreSQL: attempts and their counters. */
import { ATTEMPT_KINDS, ATTEMPT_OUTCOMES } from "@headwater/contract/attempts";
import type pg from "pg";
import { SERVER_LIMITS } from "../../core/limits.ts";
import {
  type AttemptGroup,
  type AttemptGroupFilter,
  type AttemptGroupRow,
  attemptGroupConditions,
  attemptQuery,
  type Condition,
  toAttemptGroups,
} from "../attempt-filter.ts";
import type { AlertLedger, AttemptLedger } from "../ledger.ts";
import type { AttemptCount, AttemptFilter, AttemptRow, StoredAttempt } from "../records.ts";

/** Bytes that the columns and indexes of a row take besides its record. */
export const ATTEMPT_ROW_BYTES = 400;
const MAX_EXPIRE_SLICES = 10;
const COUNT_RETENTION_MS = (SERVER_LIMITS.attemptRetentionSeconds + 86_400) * 1_000;

const toRow = (row: AttemptRow) => ({
  source_id: row.sourceId,
  kind: ATTEMPT_KINDS.indexOf(row.kind),
  other: row.outcome === "succeeded" ? 0 : 1,
  outcome: ATTEMPT_OUTCOMES.indexOf(row.outcome),
  code: row.code,
  origin: row.origin,
  session_id: row.sessionId,
  anonymous_id: row.anonymousId,
  attempt_id: row.attemptId,
  received_at: row.receivedAt,
  bytes: ATTEMPT_ROW_BYTES + Buffer.byteLength(row.record),
  record: row.record,
});

const toCountRow = ({ sourceId, hour, name, count, lastSeenAt }: AttemptCount) => ({
  source_id: sourceId,
  hour,
  name,
  count,
  last_seen_at: lastSeenAt,
});

const whereOf = (conditions: readonly Condition[]) => ({
  where: conditions
    .map(([column, comparison], index) => `${column} ${comparison} $${index + 1}`)
    .join(" and "),
  values: conditions.map(([, , value]) => value),
});

async function selectAttempts(pool: pg.Pool, filter: AttemptFilter): Promise<StoredAttempt[]> {
  const { conditions, order } = attemptQuery(filter);
  const { where, values: filterValues } = whereOf(conditions);
  const values = [...filterValues, filter.limit];
  const text = `select seq, kind, record from attempts where ${where}
    order by seq ${order} limit $${values.length}`;
  const { rows } = await pool.query<{ seq: number; kind: number; record: string }>(text, values);
  return rows.flatMap(({ seq, kind: index, record }) => {
    const kind = ATTEMPT_KINDS[index];
    return kind ? [{ seq, kind, record }] : [];
  });
}

async function groupAttempts(pool: pg.Pool, filter: AttemptGroupFilter): Promise<AttemptGroup[]> {
  const { where, values } = whereOf(attemptGroupConditions(filter));
  const text = `select origin, outcome, code, count(*)::bigint as requests from attempts where ${where}
    group by origin, outcome, code order by requests desc, origin, code`;
  return toAttemptGroups((await pool.query<AttemptGroupRow>(text, values)).rows);
}

const RECENT_COUNTS = `select source_id as "sourceId", $1::bigint as hour, name, sum(count)::bigint as count,
    max(last_seen_at) as "lastSeenAt"
  from attempt_counts where hour >= $1 and name in ('succeeded', 'failed', 'plan_warning', 'plan_violation') group by source_id, name`;

export const attemptMethods = (
  pool: pg.Pool,
  storeBytes: number,
): AttemptLedger & Pick<AlertLedger, "recentAttemptCounts"> => ({
  recentAttemptCounts: async ({ sinceHour }) =>
    (await pool.query<AttemptCount>(RECENT_COUNTS, [sinceHour])).rows,
  recordAttempts: async ({ rows, counts }) => {
    await pool.query("select record_attempts($1, $2, $3)", [
      JSON.stringify(rows.map(toRow)),
      JSON.stringify(counts.map(toCountRow)),
      storeBytes,
    ]);
  },
  attempts: (filter) => selectAttempts(pool, filter),
  attemptGroups: (filter) => groupAttempts(pool, filter),
  attemptCounts: async ({ sourceId, sinceHour }) => {
    const text = `select source_id as "sourceId", hour, name, count, last_seen_at as "lastSeenAt" from attempt_counts
      where source_id = $1 and hour >= $2 order by hour, name`;
    return (await pool.query<AttemptCount>(text, [sourceId, sinceHour])).rows;
  },
});

/** Deletes expired attempts and counters, up to ten slices per call. */
export async function expireAttempts(pool: pg.Pool, now: number, storeBytes: number): Promise<void> {
  const before = now - SERVER_LIMITS.attemptRetentionSeconds * 1_000;
  for (let slice = 0; slice < MAX_EXPIRE_SLICES; slice++) {
    const { rows } = await pool.query("select expire_attempts($1, $2, $3) as more", [
      before,
      now - COUNT_RETENTION_MS,
      storeBytes,
    ]);
    if (!rows[0].more) return;
  }
}
