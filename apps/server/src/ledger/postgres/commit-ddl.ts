/** The tables that commits write, and the function that stores a group of commits in one round trip. */
import { FULL_SHARE } from "../key-generations.ts";
import { LOCKS } from "./connections.ts";

/** Tables for generations of keys. Each holds one generation; a retired generation's table is truncated and reused. */
export const KEY_SLOTS = 24;
/**
 * Slots that size-triggered generations must leave free. Age alone needs up to six: five live generations and one that is
 * being emptied.
 */
export const AGED_SLOTS = 6;

/** Bytes of a key's row: its header, the key and its line pointer. The index takes about the same again. */
export const KEY_ROW_BYTES = 44;

export const COMMIT_TABLES = [
  // not the partitions of one table: the slot would be a part of the primary key, and take about 19 bytes a key
  ...Array.from({ length: KEY_SLOTS }, (_, slot) => `create table event_keys_${slot} (key uuid primary key)`),
  `create table key_generations (generation bigint primary key, opened_at bigint not null, slot smallint not null unique)`,
  // of an embedded ledger to this database: at most one row
  `create table moves (move_id text not null, finished_at bigint, served_at bigint)`,
  `create table move_progress (name text primary key, place text not null)`,
  // `skipped`: numbers (from 1) of the lines of `payload` that are duplicates. A page is named by its rows: a range of `seq`
  // cannot define one, because numbers are not given in the order of commits
  `create table outbox (source_id text not null, seq bigint generated always as identity, events integer not null,
    created_at bigint not null, skipped integer[] not null, payload bytea not null, page_id text, primary key (source_id, seq))`,
  `alter table outbox alter column payload set storage external`,
  `create index outbox_waiting on outbox (created_at) where page_id is null`,
  `create index outbox_paged on outbox (page_id) where page_id is not null`,
  `create table outbox_pages (page_id text primary key, events bigint not null, created_at bigint not null,
    tries integer not null, claimed_until timestamptz not null)`,
  `create table outbox_totals (source_id text primary key, events bigint not null, bytes bigint not null) with (fillfactor = 50)`,
];

/** The id by which a node names a generation for which it has a filter. */
export const GENERATION_ID = "(generation || ' ' || opened_at || ' ' || slot)";

/**
 * The keys that a slot contains. Only index lookups are allowed: a plan that was made while the table was empty would
 * otherwise scan it when it is large.
 */
const KNOWN_KEYS = `
create or replace function known_keys(slot smallint, keys uuid[]) returns uuid[] language plpgsql
set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  known uuid[];
begin
  execute format('select array_agg(key) from event_keys_%s where key = any($1)', slot) into known using keys;
  return coalesce(known, '{}');
end $$`;

/** Adds the keys that are not in `known` to a slot. Returns for each of `keys` whether it is new. */
const ADD_KEYS = `
create or replace function add_keys(slot smallint, keys uuid[], known uuid[]) returns boolean[] language plpgsql as $$
declare
  added boolean[];
begin
  execute format('with stored as (
      insert into event_keys_%s select key from unnest($1) as key where key not in (select unnest($2))
      on conflict do nothing returning key
    )
    select array_agg(s.key is not null order by number)
    from unnest($1) with ordinality as e (key, number) left join stored s using (key)', slot) into added using keys, known;
  return coalesce(added, '{}');
end $$`;

/**
 * Stores a group of commits. Under READ COMMITTED each statement has its own snapshot. The insert of keys therefore sees all
 * commits that ended before the lock was taken. While the lock is held, no generation is opened. All nodes lock rows in the
 * same order: keys, sessions, counters of sources, each sorted.
 * `keys`: without repetition, and sorted. `commit_of`, `line_of`: of each key, the number of its commit and of its line in
 * its source's payload. `heads`: the commits, opened and touched sessions, and outbox rows of the group, as JSON.
 * `learned`: ids of the generations for which the calling node has a filter. `perhaps`, `perhaps_in`: pairs of a key's
 * number and the slot of such a generation that may have it.
 */
const COMMIT_GROUP = `
create or replace function commit_group(keys uuid[], commit_of int[], line_of int[], heads json, payloads bytea,
  learned text[], perhaps int[], perhaps_in smallint[]) returns boolean[] language plpgsql as $$
declare
  current smallint;
  older record;
  known uuid[] := '{}';
  accepted boolean[];
  trusted bigint;
begin
  -- each statement must see what was committed before it, and what is accepted must be on the disk
  if current_setting('transaction_isolation') <> 'read committed' or current_setting('synchronous_commit') = 'off' then
    raise exception 'commits need the isolation level read committed, and synchronous_commit' using errcode = '55000';
  end if;
  perform pg_advisory_xact_lock_shared(${LOCKS.keys});
  -- created_at is never before the trusted time. If a slow clock dated a row earlier, the row would count as expired once
  -- the clock is corrected.
  select trusted_at into trusted from deletion_clock;
  select slot into strict current from key_generations order by generation desc limit 1;
  for older in select slot, ${GENERATION_ID} = any(learned) as is_learned from key_generations where slot <> current loop
    if not older.is_learned then
      known := known || known_keys(older.slot, keys);
    elsif older.slot = any(perhaps_in) then
      known := known || known_keys(older.slot,
        array(select keys[number] from unnest(perhaps, perhaps_in) as p (number, slot) where p.slot = older.slot));
    end if;
  end loop;
  accepted := add_keys(current, keys, known);

  insert into sessions (source_id, session_id, anonymous_id, user_id, started_at, last_activity_at, landing)
  select "sourceId", "sessionId", "anonymousId", "userId", "startedAt", "lastActivityAt", landing
  from json_to_recordset(heads->'open') as ("sourceId" text, "sessionId" text, "anonymousId" text, "userId" text,
    "startedAt" bigint, "lastActivityAt" bigint, landing text)
  on conflict do nothing;

  -- an insert locks rows in the order of its select; an update would not
  with wanted as materialized (
    select * from rows from (json_to_recordset(heads->'touch')
      as (source_id text, session_id text, user_id text, at bigint, entries int[])) with ordinality
      as t (source_id, session_id, user_id, at, entries, number)
    where entries is null or exists (select from unnest(entries) as entry where accepted[entry])
  ), touched as materialized (
    select source_id, session_id, max(at) as at,
      (array_agg(user_id order by number desc) filter (where user_id is not null))[1] as user_id
    from wanted group by source_id, session_id
  )
  insert into sessions
  select s.source_id, s.session_id, s.anonymous_id, t.user_id, s.started_at, t.at, s.landing
  from touched t join sessions s on s.source_id = t.source_id and s.session_id = t.session_id
  order by s.source_id, s.session_id
  on conflict (source_id, session_id) do update
  set last_activity_at = greatest(sessions.last_activity_at, excluded.last_activity_at),
    user_id = coalesce(excluded.user_id, sessions.user_id);

  with commit as materialized (
    select * from rows from (json_to_recordset(heads->'commits')
      as ("sourceId" text, "receivedAt" bigint, bootstrap boolean, bytes bigint, day text)) with ordinality
      as c (source_id, at, bootstrap, bytes, day, number)
  ), entry as materialized (
    select c.source_id, e.number, e.line, e.is_new
    from unnest(accepted, commit_of, line_of) as e (is_new, number, line) join commit c using (number)
  ), counted as materialized (
    select c.*, coalesce(e.events, 0) as events
    from commit c left join (select number, count(*) as events from entry where is_new group by number) e using (number)
  ), used as (
    insert into usage (source_id, day, accepted, bootstraps, bytes)
    select source_id, day, sum(events), count(*) filter (where bootstrap), sum(bytes) from counted
    where events > 0 or bootstrap group by source_id, day order by source_id, day
    on conflict (source_id, day) do update
    set accepted = usage.accepted + excluded.accepted, bootstraps = usage.bootstraps + excluded.bootstraps,
      bytes = usage.bytes + excluded.bytes
  ), active as (
    insert into source_activity (source_id, first_bootstrap_at, last_bootstrap_at, first_event_at, last_event_at)
    select source_id, min(at) filter (where bootstrap), max(at) filter (where bootstrap),
      min(at) filter (where events > 0), max(at) filter (where events > 0) from counted
    where events > 0 or bootstrap group by source_id order by source_id
    on conflict (source_id) do update
    set first_bootstrap_at = coalesce(source_activity.first_bootstrap_at, excluded.first_bootstrap_at),
      last_bootstrap_at = greatest(source_activity.last_bootstrap_at, excluded.last_bootstrap_at),
      first_event_at = coalesce(source_activity.first_event_at, excluded.first_event_at),
      last_event_at = greatest(source_activity.last_event_at, excluded.last_event_at)
  ), page as (
    select p.source_id, substring(payloads from p.first for p.bytes) as payload,
      count(*) filter (where is_new) as events, greatest(min(c.at), trusted) as created_at,
      coalesce(array_agg(line order by line) filter (where not is_new), '{}') as skipped
    from json_to_recordset(heads->'outbox') as p (source_id text, first int, bytes int)
    join entry e using (source_id) join commit c using (number)
    group by p.source_id, p.first, p.bytes
  ), put as (
    insert into outbox (source_id, events, created_at, skipped, payload)
    select source_id, events, created_at, skipped, payload from page where events > 0
    returning source_id, events, length(payload) as bytes
  )
  insert into outbox_totals (source_id, events, bytes)
  select source_id, events, bytes from put order by source_id
  on conflict (source_id) do update
  set events = outbox_totals.events + excluded.events, bytes = outbox_totals.bytes + excluded.bytes;

  return accepted;
end $$`;

/**
 * Opens a generation when the newest is old or full; returns true when it did. The lock waits for all commits, so later
 * commits see the keys of earlier ones.
 * `learnable`: the number of keys for which a node has memory for filters.
 */
const TURN_KEYS = `
create or replace function turn_keys(at bigint, generation_ms bigint, full_keys bigint, learnable bigint) returns boolean language plpgsql as $$
declare
  newest key_generations;
  newest_keys bigint;
  all_keys bigint;
  free smallint[];
  is_old boolean;
  is_full boolean;
begin
  perform pg_advisory_xact_lock(${LOCKS.keys});
  select * into newest from key_generations order by generation desc limit 1;
  select coalesce(sum(pg_relation_size('event_keys_' || slot)), 0) / ${KEY_ROW_BYTES},
    coalesce(sum(pg_relation_size('event_keys_' || slot)) filter (where generation = newest.generation), 0) / ${KEY_ROW_BYTES}
    into all_keys, newest_keys from key_generations;
  select array_agg(slot order by slot) into free from generate_series(0, ${KEY_SLOTS - 1}) as slot
  where slot not in (select slot from key_generations);
  is_old := newest.opened_at + generation_ms <= at;
  is_full := newest_keys >= greatest(full_keys, all_keys * ${FULL_SHARE}) and all_keys < learnable
    and cardinality(free) > ${AGED_SLOTS};
  if cardinality(free) > 0 and (is_old or is_full) then
    insert into key_generations values (newest.generation + 1, at, free[1]);
    return true;
  end if;
  return false;
end $$`;

/** Truncates the oldest generation when all of its keys are past the dedup window; returns true when it did. */
const RETIRE_KEYS = `
create or replace function retire_keys(at bigint, needed_ms bigint) returns boolean language plpgsql as $$
declare
  oldest key_generations;
begin
  select * into oldest from key_generations order by generation limit 1 for update skip locked;
  if not exists (
    select from key_generations where generation = oldest.generation + 1 and opened_at + needed_ms < at
  ) then return false; end if;
  execute format('truncate event_keys_%s', oldest.slot);
  delete from key_generations where generation = oldest.generation;
  return true;
end $$`;

export const COMMIT_FUNCTIONS = [KNOWN_KEYS, ADD_KEYS, COMMIT_GROUP, TURN_KEYS, RETIRE_KEYS];
