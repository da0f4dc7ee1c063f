/** The debug history on PostgreSQL: attempts and their counters. */
import type pg from "pg";
import {
  ATTEMPT_COUNTS,
  type AttemptGroup,
  attemptGroupQuery,
  attemptQuery,
  attemptSums,
  expiryTimes,
  MAX_EXPIRY_SLICES,
  RECENT_COUNTS,
} from "../attempt-queries.ts";
import type { AttemptLedger, Ledger } from "../ledger.ts";
import type { AttemptCount, StoredAttempt } from "../records.ts";

const VALUES = "json_array_elements_text(?1::json)";
const ATTEMPT_SUMS = { outcomes: attemptSums(VALUES, "outcomes"), all: attemptSums(VALUES, "all") };

export function attemptMethods(
  pool: pg.Pool,
  storeBytes: number,
): AttemptLedger & Pick<Ledger, "recentAttemptCounts"> {
  const select = async <Row extends pg.QueryResultRow>(sql: string, values: (string | number)[]) =>
    (await pool.query<Row>(sql.replaceAll("?", "$"), values)).rows;
  return {
    recordAttempts: async ({ rows, counts }) => {
      const values = [JSON.stringify(rows), JSON.stringify(counts), storeBytes];
      await pool.query("select record_attempts($1, $2, $3)", values);
    },
    attempts(filter) {
      const { sql, values } = attemptQuery(filter);
      return select<StoredAttempt>(sql, values);
    },
    attemptGroups(filter) {
      const { sql, values } = attemptGroupQuery(filter);
      return select<AttemptGroup>(sql, values);
    },
    attemptCounts: ({ sourceId, sinceHour }) => select<AttemptCount>(ATTEMPT_COUNTS, [sourceId, sinceHour]),
    attemptSums: ({ sourceIds, sinceHour, names }) =>
      select<AttemptCount>(ATTEMPT_SUMS[names], [JSON.stringify(sourceIds), sinceHour]),
    recentAttemptCounts: ({ sinceHour }) => select<AttemptCount>(RECENT_COUNTS, [sinceHour]),
  };
}

/** Deletes expired attempts and counters, a bounded number of slices per call. */
export async function expireAttempts(pool: pg.Pool, now: number, storeBytes: number): Promise<void> {
  const before = expiryTimes(now);
  const values = [before.attempts, before.counts, storeBytes];
  for (let slice = 0; slice < MAX_EXPIRY_SLICES; slice++) {
    const { rows } = await pool.query("select expire_attempts($1, $2, $3) as more", values);
    if (!rows[0].more) return;
  }
}
