/** As what each source was seen last, and the alerts that are to be sent. */
import type { DatabaseSync } from "node:sqlite";
import type { PendingAlert, WatchedSource } from "../../core/records.ts";
import type { AlertLedger } from "../ledger.ts";
import { inTransaction } from "./transaction.ts";

type Verbs = {
  [V in Exclude<keyof AlertLedger, "recentAttemptCounts">]: (
    ...given: Parameters<AlertLedger[V]>
  ) => Awaited<ReturnType<AlertLedger[V]>>;
};

export function prepareAlerts(database: DatabaseSync): Verbs {
  const watched = database.prepare(
    `select s.source_id as sourceId, a.last_bootstrap_at as lastBootstrapAt, a.last_event_at as lastEventAt,
       t.status, t.since
     from sources s join source_activity a on a.source_id = s.source_id
     left join source_alerts t on t.source_id = s.source_id
     where s.deleted_at is null and s.is_active = 1 and s.source_id > ? order by s.source_id limit ?`,
  );
  const first = database.prepare(
    "insert into source_alerts values (?, ?, ?, null, null, 0, 0) on conflict do nothing",
  );
  const change = database.prepare(
    `update source_alerts set was = status, status = ?3, since = ?4, alert_id = ?5, tries = 0, next_try_at = ?4
     where source_id = ?1 and status = ?2`,
  );
  const due = database.prepare(
    `select alert_id as alertId, source_id as sourceId, status, was, since, tries + 1 as tries from source_alerts
     where alert_id is not null and next_try_at <= ? order by next_try_at limit ?`,
  );
  const claim = database.prepare("update source_alerts set tries = ?, next_try_at = ? where source_id = ?");
  const end = database.prepare(
    "update source_alerts set alert_id = null where source_id = ? and alert_id = ?",
  );

  return {
    watchedSources: ({ after, limit }) => watched.all(after, limit) as unknown as WatchedSource[],

    recordAlertStatus: ({ sourceId, was, status, alertId, now }) => {
      const { changes } =
        was === null ? first.run(sourceId, status, now) : change.run(sourceId, was, status, now, alertId);
      return changes === 1;
    },

    claimAlerts: ({ now, limit, retryMs }) =>
      inTransaction(database, () => {
        const found = due.all(now, limit) as unknown as PendingAlert[];
        for (const { sourceId, tries } of found) claim.run(tries, now + (retryMs[tries - 1] ?? 0), sourceId);
        return found;
      }),

    finishAlert: ({ sourceId, alertId }) => void end.run(sourceId, alertId),
  };
}
