/** Tables of the debug history, and the functions that record attempts and keep them within their limits (docs/api/debug.md). */
import { SERVER_LIMITS } from "../../core/limits.ts";
import { ATTEMPT_ROW_BYTES, SUPERFLUOUS_OTHERS } from "../attempt-queries.ts";
import { LOCKS } from "./connections.ts";

/** Rows that one transaction deletes, not counting those that new attempts replace. */
const SLICE = 1_000;

/** `other`: 0 for a success, 1 for a failure (any other outcome). */
export const ATTEMPTS_TABLES = [
  `create table attempts (source_id text not null, seq bigint generated always as identity, kind text not null,
    other smallint not null, outcome text not null, code text, origin text, session_id text, anonymous_id text,
    attempt_id text not null, received_at bigint not null, bytes integer not null, record text not null,
    primary key (source_id, seq))`,
  `create index attempts_source on attempts (source_id, kind, other, seq)`,
  `create index attempts_succeeded on attempts (seq) where other = 0`,
  `create index attempts_seq on attempts (seq)`,
  `create table attempt_totals (bytes bigint not null)`,
  `insert into attempt_totals values (0)`,
  `create table attempt_counts (source_id text not null, hour bigint not null, name text not null,
    count bigint not null, last_seen_at bigint not null, primary key (source_id, hour, name))`,
  `create index attempt_counts_hour on attempt_counts (hour)`,
];

/** Deletes the oldest attempts, successes first, until the rest fits into `store_bytes`; returns true when there is more to delete. */
const FIT_ATTEMPTS = `
create or replace function fit_attempts(store_bytes bigint) returns boolean language plpgsql as $$
declare
  excess bigint;
  freed bigint;
begin
  for wanted in 0..1 loop
    select bytes - store_bytes into excess from attempt_totals;
    if excess <= 0 then return false; end if;
    with oldest as (
      select seq, bytes, sum(bytes) over (order by seq) - bytes as before from attempts
      where other = wanted order by seq limit ${SLICE}
    ), gone as (
      delete from attempts where seq in (select seq from oldest where before < excess) returning bytes
    )
    select coalesce(sum(bytes), 0) into freed from gone;
    update attempt_totals set bytes = bytes - freed;
    -- failures are deleted only when no success is left
    if exists (select 1 from attempts where other = 0) then exit; end if;
  end loop;
  return (select bytes > store_bytes from attempt_totals);
end $$`;

const OTHER = "case when outcome = 'succeeded' then 0 else 1 end";
const OF_GROUP = "source_id = touched.source_id and kind = touched.kind and other = touched.other";

/**
 * Records attempts. One call runs at a time, so that sequence numbers become visible in order, which the live stream needs.
 * For each source and kind it keeps the newest successes and the newest failures. The last few failures of each code are
 * kept before other failures. It does not wait for the disk: a crash loses about a second of history.
 */
const RECORD_ATTEMPTS = `
create or replace function record_attempts(rows json, counts json, store_bytes bigint) returns void language plpgsql as $$
declare
  grown bigint;
  freed bigint;
  touched record;
  up_to bigint;
begin
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(${LOCKS.attempts});
  with added as (
    insert into attempts (source_id, kind, other, outcome, code, origin, session_id, anonymous_id, attempt_id,
      received_at, bytes, record)
    select "sourceId", kind, ${OTHER}, outcome, code, origin, "sessionId", "anonymousId", "attemptId", "receivedAt",
      ${ATTEMPT_ROW_BYTES} + octet_length(record), record
    from rows from (json_to_recordset(rows) as ("sourceId" text, kind text, outcome text, code text, origin text,
      "sessionId" text, "anonymousId" text, "attemptId" text, "receivedAt" bigint, record text)) with ordinality
    order by ordinality returning bytes
  )
  select coalesce(sum(bytes), 0) into grown from added;

  insert into attempt_counts (source_id, hour, name, count, last_seen_at)
  select "sourceId", hour, name, sum(count), max("lastSeenAt")
  from json_to_recordset(counts) as ("sourceId" text, hour bigint, name text, count bigint, "lastSeenAt" bigint)
  group by "sourceId", hour, name order by "sourceId", hour, name
  on conflict (source_id, hour, name) do update
  set count = attempt_counts.count + excluded.count,
    last_seen_at = greatest(attempt_counts.last_seen_at, excluded.last_seen_at);

  for touched in
    select distinct "sourceId" as source_id, kind, ${OTHER} as other
    from json_to_recordset(rows) as ("sourceId" text, kind text, outcome text)
  loop
    select seq into up_to from attempts where ${OF_GROUP}
    order by seq desc
    offset case when touched.other = 0 then ${SERVER_LIMITS.attemptsSucceededKept}
      else ${SERVER_LIMITS.attemptsOtherKept + SUPERFLUOUS_OTHERS} end limit 1;
    continue when up_to is null;
    if touched.other = 0 then
      with gone as (delete from attempts where ${OF_GROUP} and seq <= up_to returning bytes)
      select coalesce(sum(bytes), 0) into freed from gone;
    else
      with ranked as (
        select seq, row_number() over (partition by code order by seq desc) as of_code from attempts where ${OF_GROUP}
      ), superfluous as (
        select seq from ranked order by of_code <= ${SERVER_LIMITS.attemptsPerCodeKept} desc, seq desc offset ${SERVER_LIMITS.attemptsOtherKept}
      ), gone as (
        delete from attempts where source_id = touched.source_id and seq in (select seq from superfluous) returning bytes
      )
      select coalesce(sum(bytes), 0) into freed from gone;
    end if;
    grown := grown - freed;
  end loop;
  update attempt_totals set bytes = bytes + grown;
  perform fit_attempts(store_bytes);
end $$`;

/** Deletes a slice of expired rows; returns true when there is more. The order of `seq` is nearly the order of time. */
const EXPIRE_ATTEMPTS = `
create or replace function expire_attempts(before bigint, counts_before bigint, store_bytes bigint) returns boolean
language plpgsql as $$
declare
  expired bigint;
  freed bigint;
  hours bigint;
  over boolean;
begin
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(${LOCKS.attempts});
  with oldest as (select seq, received_at from attempts order by seq limit ${SLICE}), gone as (
    delete from attempts where seq in (select seq from oldest where received_at < before) returning bytes
  )
  select count(*), coalesce(sum(bytes), 0) into expired, freed from gone;
  update attempt_totals set bytes = bytes - freed;
  over := fit_attempts(store_bytes);
  delete from attempt_counts where (source_id, hour, name) in
    (select source_id, hour, name from attempt_counts where hour < counts_before limit ${SLICE});
  get diagnostics hours = row_count;
  return over or expired = ${SLICE} or hours = ${SLICE};
end $$`;

export const ATTEMPTS_FUNCTIONS = [FIT_ATTEMPTS, RECORD_ATTEMPTS, EXPIRE_ATTEMPTS];
