/** The tables that commits write, and the function that stores a group of commits in one round trip. */
import { FULL_KEYS, FULL_SHARE } from "../generations.ts";
import { LOCKS } from "./connections.ts";

/** Tables for generations of keys. Each holds one generation; a retired generation's table is truncated and reused. */
export const KEY_SLOTS = 24;
/**
 * Slots that size-triggered generations must leave free. Age alone needs up to six: five live generations and one that is
 * being emptied.
 */
export const AGED_SLOTS = 6;
/** The number of key tables that the first schema version created. */
const FIRST_SLOTS = 6;

/** Bytes of a key's row: its header, its columns and its line pointer. The index takes about the same again. */
export const KEY_ROW_BYTES = 60;

const keySlots = (from: number, to: number) =>
  Array.from(
    { length: to - from },
    (_, index) =>
      `create table event_keys_${from + index} partition of event_keys for values in (${from + index})`,
  );

const TABLES = [
  `create table sessions (source_id text not null, session_id text not null, anonymous_id text not null, user_id text,
    started_at bigint not null, last_activity_at bigint not null, landing text not null,
    primary key (source_id, session_id)) with (fillfactor = 80)`,
  `create index sessions_started on sessions (started_at)`,
  // `source` is a 64-bit hash of the source id (`sourceNumber`). With the id, a row and its index entry would be half as large again
  `create table event_keys (source bigint not null, key uuid not null, slot smallint not null,
    primary key (source, key, slot)) partition by list (slot)`,
  ...keySlots(0, FIRST_SLOTS),
  `create table key_generations (generation bigint primary key, opened_at bigint not null)`,
  // keys of an embedded ledger that was moved here; they do not name their source
  `create table moved_keys (key uuid primary key)`,
  `create table moves (moved_at bigint not null)`,
  `create table move_progress (name text primary key, place text not null)`,
  // `skipped`: numbers (from 1) of the lines of `payload` that are duplicates
  `create table outbox (source_id text not null, seq bigint generated always as identity, events integer not null,
    created_at bigint not null, skipped integer[] not null, payload bytea not null, primary key (source_id, seq))`,
  `alter table outbox alter column payload set storage external`,
  `create table outbox_totals (source_id text primary key, events bigint not null, bytes bigint not null) with (fillfactor = 50)`,
  `alter table usage set (fillfactor = 50)`,
  `alter table source_activity set (fillfactor = 50)`,
];

/** The id by which a node names a generation for which it has a filter. */
export const GENERATION_ID = "(generation || ' ' || opened_at || ' ' || slot)";

/**
 * Returns the positions in `keys`, from 1, of the keys that an older generation or `moved_keys` contains. Only index lookups
 * are allowed: a plan that was cached while the tables were empty would otherwise scan them when they are large.
 * `searched`: slots in which every key is looked up. `perhaps`, `perhaps_in`: pairs of a position and a slot in which that
 * key is looked up, because the slot's filter did not rule it out or the slot has no filter.
 */
const KNOWN_KEYS = `
create or replace function known_keys(sources bigint[], keys uuid[], searched smallint[], perhaps int[], perhaps_in smallint[])
returns bigint[] language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off as $$
declare
  in_searched bigint[];
  in_filtered bigint[];
  in_moved bigint[];
begin
  if cardinality(searched) > 0 then
    select array_agg(e.number) into in_searched
    from unnest(sources, keys) with ordinality as e (source, key, number)
    join event_keys k on k.source = e.source and k.key = e.key where k.slot = any(searched);
  end if;
  if cardinality(perhaps) > 0 then
    select array_agg(e.number) into in_filtered
    from unnest(perhaps, perhaps_in) as e (number, slot)
    join event_keys k on k.source = sources[e.number] and k.key = keys[e.number] and k.slot = e.slot;
  end if;
  select array_agg(e.number) into in_moved
  from unnest(keys) with ordinality as e (key, number) join moved_keys m on m.key = e.key;
  return in_searched || in_filtered || in_moved;
end $$`;

/**
 * Stores a group of commits. Under READ COMMITTED each statement has its own snapshot. The insert of keys therefore sees all
 * commits that ended before the lock was taken. While the lock is held, no generation is opened. All nodes lock rows in the
 * same order: keys, sessions, counters of sources, each sorted.
 * `heads`: the commits, opened and touched sessions, and outbox rows of the group, as JSON. `learned`: ids of the generations
 * for which the calling node has a filter.
 */
const COMMIT_GROUP = `
create or replace function commit_group(sources bigint[], keys uuid[], commit_of int[], line_of int[], heads json, payloads bytea,
  learned text[] default '{}', perhaps int[] default '{}', perhaps_in smallint[] default '{}')
returns boolean[] language plpgsql as $$
declare
  current smallint;
  searched smallint[];
  known bigint[];
  accepted boolean[];
  trusted bigint;
begin
  perform pg_advisory_xact_lock_shared(${LOCKS.keys});
  -- created_at is never before the trusted time. If a slow clock dated a row earlier, the row would count as expired once
  -- the clock is corrected.
  select trusted_at into trusted from deletion_clock;
  -- nodes of an older version do not send perhaps_in; their filters are ignored
  if cardinality(perhaps) <> cardinality(perhaps_in) then learned := '{}'; perhaps := '{}'; perhaps_in := '{}'; end if;
  select slot into strict current from key_generations order by generation desc limit 1;
  -- the generations for which the node has no filter
  select coalesce(array_agg(slot), '{}') into searched from key_generations
  where slot <> current and ${GENERATION_ID} <> all(learned);
  -- slot = any(searched) would probe every partition. A node that has filters has few slots left, so each pair of key and
  -- slot is added to the possible keys instead.
  if cardinality(learned) > 0 and cardinality(searched) > 0 then
    select perhaps || array_agg(number), perhaps_in || array_agg(slot), '{}' into perhaps, perhaps_in, searched
    from generate_subscripts(keys, 1) as number cross join unnest(searched) as slot;
  end if;
  known := known_keys(sources, keys, searched, perhaps, perhaps_in);

  with entry as materialized (
    select source, key, number from unnest(sources, keys) with ordinality as e (source, key, number)
  ), stored as (
    insert into event_keys (source, key, slot)
    select source, key, current from entry where number not in (select unnest(known)) order by number
    on conflict do nothing returning source, key
  )
  select coalesce(array_agg(s.key is not null order by number), '{}') into accepted
  from entry left join stored s using (source, key);

  insert into sessions select * from json_populate_recordset(null::sessions, heads->'open') on conflict do nothing;

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
      as (source_id text, at bigint, day text, bootstrap boolean, bytes bigint)) with ordinality
      as c (source_id, at, day, bootstrap, bytes, number)
  ), entry as materialized (
    select c.source_id, e.number, e.line, e.is_new
    from unnest(accepted, commit_of, line_of) as e (is_new, number, line) join commit c using (number)
  ), counted as materialized (
    select c.*, coalesce(e.events, 0) as events
    from commit c left join (select number, count(*) as events from entry where is_new group by number) e using (number)
  ), used as (
    insert into usage (source_id, day, accepted, bootstraps, bytes)
    -- nodes of an older version do not send bytes
    select source_id, day, sum(events), count(*) filter (where bootstrap), coalesce(sum(bytes), 0) from counted
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
create or replace function turn_keys(at bigint, generation_ms bigint, full_keys bigint default ${FULL_KEYS},
  learnable bigint default 0) returns boolean language plpgsql as $$
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

/** Deletes moved keys once they are past the dedup window. */
const FORGET_MOVED_KEYS = `
create or replace function forget_moved_keys(before bigint) returns void language plpgsql as $$
begin
  if exists (select from moved_keys) and (select max(moved_at) < before from moves) then
    truncate moved_keys;
  end if;
end $$`;

export const COMMIT_TABLES = TABLES;
/**
 * Nodes of an older version call the new `commit_group`, whose new parameters have defaults. The old `known_keys` stays,
 * because calls that are running need it.
 */
export const COMMIT_CHANGES = [
  "drop function if exists commit_group(bigint[], uuid[], int[], int[], json, bytea)",
];
/** More tables of keys. The row of a generation names its table. */
export const MORE_KEY_SLOTS = [
  ...keySlots(FIRST_SLOTS, KEY_SLOTS),
  "alter table key_generations add column slot smallint",
  `update key_generations set slot = generation % ${FIRST_SLOTS}`,
  "alter table key_generations alter column slot set not null, add unique (slot)",
  "drop function if exists commit_group(bigint[], uuid[], int[], int[], json, bytea, text[], int[])",
  "drop function if exists turn_keys(bigint, bigint)",
];
export const COMMIT_FUNCTIONS = [KNOWN_KEYS, COMMIT_GROUP, TURN_KEYS, RETIRE_KEYS, FORGET_MOVED_KEYS];
