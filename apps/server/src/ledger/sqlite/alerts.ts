/** Alerts on SQLite: the latest status of each source, and the alerts to be sent. */
import type { PendingAlert, WatchedSource } from "../../core/records.ts";
import type { AlertLedger } from "../ledger.ts";
import type { Statements, Synchronous } from "./statements.ts";

const WATCHED = `
  select s.source_id as sourceId, a.last_bootstrap_at as lastBootstrapAt, a.last_event_at as lastEventAt, t.status, t.since
  from sources s join source_activity a on a.source_id = s.source_id
  left join source_alerts t on t.source_id = s.source_id
  where s.deleted_at is null and s.is_active = 1 and s.source_id > ? order by s.source_id limit ?`;
const INSERT_STATUS = "insert into source_alerts values (?, ?, ?, null, null, 0, 0) on conflict do nothing";
const CHANGE_STATUS = `
  update source_alerts set was = status, status = ?3, since = ?4, alert_id = ?5, tries = 0, next_try_at = ?4
  where source_id = ?1 and status = ?2`;
const DUE = `
  select alert_id as alertId, source_id as sourceId, status, was, since, tries + 1 as tries from source_alerts
  where alert_id is not null and next_try_at <= ? order by next_try_at limit ?`;
const CLAIM = "update source_alerts set tries = ?, next_try_at = ? where source_id = ?";
const END = "update source_alerts set alert_id = null where source_id = ? and alert_id = ?";

/** `recentAttemptCounts` reads the debug history, which is in another thread. */
export const createAlertVerbs = (sql: Statements): Synchronous<Omit<AlertLedger, "recentAttemptCounts">> => ({
  watchedSources: ({ after, limit }) => sql.all<WatchedSource>(WATCHED, after, limit),

  recordAlertStatus({ sourceId, was, status, alertId, now }) {
    const changed =
      was === null
        ? sql.run(INSERT_STATUS, sourceId, status, now)
        : sql.run(CHANGE_STATUS, sourceId, was, status, now, alertId);
    return changed === 1;
  },

  claimAlerts: ({ now, limit, retryMs }) =>
    sql.transaction(() => {
      const due = sql.all<PendingAlert>(DUE, now, limit);
      for (const { sourceId, tries } of due) sql.run(CLAIM, tries, now + (retryMs[tries - 1] ?? 0), sourceId);
      return due;
    }),

  finishAlert: ({ sourceId, alertId }) => void sql.run(END, sourceId, alertId),
});
