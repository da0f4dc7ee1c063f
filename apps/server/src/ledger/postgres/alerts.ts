/** As what each source was seen last, and the alerts that are to be sent: a node claims one before it sends it. */
import type pg from "pg";
import type { AttemptCount, PendingAlert, WatchedSource } from "../../core/records.ts";
import type { AlertLedger } from "../ledger.ts";

const WATCHED = `select s.source_id as "sourceId", a.last_bootstrap_at as "lastBootstrapAt",
    a.last_event_at as "lastEventAt", t.status, t.since
  from sources s join source_activity a on a.source_id = s.source_id
  left join source_alerts t on t.source_id = s.source_id
  where s.deleted_at is null and s.is_active = 1 and s.source_id > $1 order by s.source_id limit $2`;
const RECENT = `select source_id as "sourceId", $1::bigint as hour, name, sum(count)::bigint as count,
    max(last_seen_at) as "lastSeenAt"
  from attempt_counts where hour >= $1 and name in ('succeeded', 'failed') group by source_id, name`;
const FIRST = "insert into source_alerts values ($1, $2, $3, null, null, 0, 0) on conflict do nothing";
const CHANGE = `update source_alerts set was = status, status = $3, since = $4, alert_id = $5, tries = 0, next_try_at = $4
  where source_id = $1 and status = $2`;
const TAKE = `with due as (
    select source_id from source_alerts where alert_id is not null and next_try_at <= $1
    order by next_try_at limit $2 for update skip locked
  )
  update source_alerts t set tries = tries + 1, next_try_at = $1 + coalesce(($3::bigint[])[tries + 1], 0)
  from due where t.source_id = due.source_id
  returning t.alert_id as "alertId", t.source_id as "sourceId", t.status, t.was, t.since, t.tries`;
const END = "update source_alerts set alert_id = null where source_id = $1 and alert_id = $2";

export const alertVerbs = (pool: pg.Pool): AlertLedger => ({
  watchedSources: async ({ after, limit }) => (await pool.query<WatchedSource>(WATCHED, [after, limit])).rows,
  recentAttemptCounts: async ({ sinceHour }) => (await pool.query<AttemptCount>(RECENT, [sinceHour])).rows,
  recordAlertStatus: async ({ sourceId, was, status, alertId, now }) => {
    const { rowCount } =
      was === null
        ? await pool.query(FIRST, [sourceId, status, now])
        : await pool.query(CHANGE, [sourceId, was, status, now, alertId]);
    return rowCount === 1;
  },
  claimAlerts: async ({ now, limit, retryMs }) =>
    (await pool.query<PendingAlert>(TAKE, [now, limit, retryMs])).rows,
  finishAlert: async ({ sourceId, alertId }) => void (await pool.query(END, [sourceId, alertId])),
});
