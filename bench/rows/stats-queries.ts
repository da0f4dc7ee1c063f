/** Ten queries of the console's stats page, as bodies of the stats API and as PostgreSQL SQL. */
import type { StatsQueryBody } from "@headwater/contract";

/** The rows of a result: the dimensions, then the metrics. */
export type QueryRows = (string | number | null)[][];

export interface BenchQuery {
  readonly name: string;
  readonly body: Pick<StatsQueryBody, "metrics" | "dimensions" | "pagination">;
  /** `$1` is the source id, `$2` and `$3` are the range. */
  readonly sql: string;
}

const ROWS = 8;

const OWN = "source_id = $1 and not is_bot";
const EVENTS = `(select * from events where ${OWN} and occurred_at >= $2 and occurred_at < $3) as e`;
/** Selects the events of all sessions that overlap the range. */
const AROUND = `${OWN} and occurred_at >= $2::timestamptz - interval '1 day' and occurred_at < $3::timestamptz + interval '1 day'`;
const SESSIONS = `(select session_id, min(occurred_at) as started_at, max(occurred_at) as ended_at,
  count(*) filter (where type = 'page') as views, count(*) filter (where type = 'track') as tracks
  from events where ${AROUND} group by session_id) as s`;
const IS_BOUNCE = "(s.views = 1 and s.tracks = 0)::int";
const IN_RANGE = "s.started_at >= $2 and s.started_at < $3";
/** A column of the first event of each session. */
const firstOf = (
  column: string,
) => `(select distinct on (session_id) session_id, ${column} as value, occurred_at as started_at
  from events where ${AROUND} order by session_id, occurred_at, event_id) as s`;
const top = (sql: string) => `${sql} limit ${ROWS}`;

const byFirstEvent = (
  name: string,
  dimension: "referrer" | "utmCampaign" | "device" | "country",
  column: string,
): BenchQuery => ({
  name,
  body: { metrics: ["visitors", "sessions"], dimensions: [dimension], pagination: { limit: ROWS } },
  sql: top(`select s.value, count(distinct anonymous_id)::float8,
      (count(distinct s.session_id) filter (where ${IN_RANGE}))::float8
    from ${EVENTS} join ${firstOf(column)} using (session_id) group by 1 order by 2 desc, 1 nulls last`),
});

export const QUERIES: readonly BenchQuery[] = [
  {
    name: "visitors, page views, events",
    body: { metrics: ["visitors", "pageviews", "events"] },
    sql: `select count(distinct anonymous_id)::float8, (count(*) filter (where type = 'page'))::float8, count(*)::float8 from ${EVENTS}`,
  },
  {
    name: "visitors by day",
    body: { metrics: ["visitors"], dimensions: ["time:day"] },
    sql: `select to_char(date_trunc('day', occurred_at), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), count(distinct anonymous_id)::float8
      from ${EVENTS} group by 1 order by 1`,
  },
  {
    name: "sessions, bounce rate, duration",
    body: { metrics: ["sessions", "bounceRate", "sessionDuration"] },
    sql: `select count(*)::float8, avg(${IS_BOUNCE})::float8, avg(extract(epoch from ended_at - started_at))::float8
      from ${SESSIONS} where ${IN_RANGE}`,
  },
  {
    name: "top pages",
    body: { metrics: ["visitors", "pageviews"], dimensions: ["page"], pagination: { limit: ROWS } },
    sql: top(`select path, count(distinct anonymous_id)::float8, (count(*) filter (where type = 'page'))::float8
      from ${EVENTS} group by 1 order by 2 desc, 1 nulls last`),
  },
  {
    name: "entry pages",
    body: { metrics: ["sessions", "bounceRate"], dimensions: ["entryPage"], pagination: { limit: ROWS } },
    sql: top(`select f.value, count(*)::float8, avg(${IS_BOUNCE})::float8
      from ${SESSIONS} join ${firstOf("path").replace(/ as s$/, " as f")} using (session_id)
      where ${IN_RANGE} group by 1 order by 2 desc, 1 nulls last`),
  },
  byFirstEvent("referrers", "referrer", "referrer_host"),
  byFirstEvent("campaigns", "utmCampaign", "utm_campaign"),
  byFirstEvent("devices", "device", "device"),
  byFirstEvent("countries", "country", "country"),
  {
    name: "events by name",
    body: { metrics: ["events", "visitors"], dimensions: ["event"], pagination: { limit: ROWS } },
    sql: top(`select name, count(*)::float8, count(distinct anonymous_id)::float8
      from ${EVENTS} group by 1 order by 2 desc, 1 nulls last`),
  },
];
