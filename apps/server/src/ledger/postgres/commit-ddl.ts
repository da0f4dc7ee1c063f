/**
 * The hot tables, and the function that stores a group of commits in one round trip. Every table and every unique key
 * holds the source, so that they can be distributed by it.
 */
import { FULL_KEYS, FULL_SHARE } from "../generations.ts";
import { LOCKS } from "./connections.ts";

/** Generations of keys that there is room for, each in a table of its own that is emptied and used again. */
export const KEY_SLOTS = 24;
/** Kept for those that are opened because the newest is old: five are live at most, and one is made empty meanwhile. */
export const AGED_SLOTS = 6;
/** As many as the first schema had. */
const FIRST_SLOTS = 6;

/** A row of keys, its head and its place in the page; its index takes about as much again. */
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
  // `source` is the beginning of the SHA-256 of the source's id: it makes a row a third smaller than the id itself
  `create table event_keys (source bigint not null, key uuid not null, slot smallint not null,
    primary key (source, key, slot)) partition by list (slot)`,
  ...keySlots(0, FIRST_SLOTS),
  `create table key_generations (generation bigint primary key, opened_at bigint not null)`,
  // keys of an embedded ledger that moved here, whose source is not known any more
  `create table moved_keys (key uuid primary key)`,
  `create table moves (moved_at bigint not null)`,
  `create table move_progress (name text primary key, place text not null)`,
  // of the lines of \`payload\` those in \`skipped\` (counted from 1) were duplicates and are no event
  `create table outbox (source_id text not null, seq bigint generated always as identity, events integer not null,
    created_at bigint not null, skipped integer[] not null, payload bytea not null, primary key (source_id, seq))`,
  `alter table outbox alter column payload set storage external`,
  `create table outbox_totals (source_id text primary key, events bigint not null, bytes bigint not null) with (fillfactor = 50)`,
  `alter table usage set (fillfactor = 50)`,
  `alter table source_activity set (fillfactor = 50)`,
];

/** What a node calls a generation whose keys it has learned. */
export const GENERATION_ID = "(generation || ' ' || opened_at || ' ' || slot)";

/**
 * Which of the keys, by their number in order, an older generation or a ledger that moved here knows. A look-up each: a
 * plan that was made while the tables were empty must not scan them all when they are large, so nothing else is allowed.
 * @param searched slots of generations that may hold any key; the other older ones hold none but, perhaps, the key with a
 * number in `perhaps`, in the slot that is named with it
 */
const KNOWN_KEYS = `
create or replace function known_keys(sources bigint[], keys uuid[], searched smallint[], perhaps int[], perhaps_in smallint[])
returns bigint[] language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off as $$
declare
  filed bigint[];
  found bigint[];
  moved bigint[];
begin
  if cardinality(searched) > 0 then
    select array_agg(e.number) into filed
    from unnest(sources, keys) with ordinality as e (source, key, number)
    join event_keys k on k.source = e.source and k.key = e.key where k.slot = any(searched);
  end if;
  if cardinality(perhaps) > 0 then
    select array_agg(e.number) into found
    from unnest(perhaps, perhaps_in) as e (number, slot)
    join event_keys k on k.source = sources[e.number] and k.key = keys[e.number] and k.slot = e.slot;
  end if;
  select array_agg(e.number) into moved
  from unnest(keys) with ordinality as e (key, number) join moved_keys m on m.key = e.key;
  return filed || found || moved;
end $$`;

/**
 * Each statement of the function has a snapshot of its own, so the one that decides sees every commit that ended before
 * the lock was had; nobody turns the generations meanwhile. Rows are locked in one order by everybody: keys, sessions,
 * then what is counted a source; within a table as sorted.
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
begin
  perform pg_advisory_xact_lock_shared(${LOCKS.keys});
  -- a node of an older version does not say where: nothing is ruled out for it
  if cardinality(perhaps) <> cardinality(perhaps_in) then learned := '{}'; perhaps := '{}'; perhaps_in := '{}'; end if;
  select slot into strict current from key_generations order by generation desc limit 1;
  -- of the others the node knows what they may hold
  select coalesce(array_agg(slot), '{}') into searched from key_generations
  where slot <> current and ${GENERATION_ID} <> all(learned);
  -- to look in a few is to name them key by key: a search of \`searched\` passes through every table
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

  insert into sessions select * from json_populate_recordset(null::sessions, heads->'open');

  -- written as an insert because that locks the rows in the order in which they come
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
      as (source_id text, at bigint, day text, bootstrap boolean)) with ordinality
      as c (source_id, at, day, bootstrap, number)
  ), entry as materialized (
    select c.source_id, e.number, e.line, e.is_new
    from unnest(accepted, commit_of, line_of) as e (is_new, number, line) join commit c using (number)
  ), counted as materialized (
    select c.*, coalesce(e.events, 0) as events
    from commit c left join (select number, count(*) as events from entry where is_new group by number) e using (number)
  ), used as (
    insert into usage (source_id, day, accepted, bootstraps)
    select source_id, day, sum(events), count(*) filter (where bootstrap) from counted
    where events > 0 or bootstrap group by source_id, day order by source_id, day
    on conflict (source_id, day) do update
    set accepted = usage.accepted + excluded.accepted, bootstraps = usage.bootstraps + excluded.bootstraps
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
      count(*) filter (where is_new) as events, min(c.at) as created_at,
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
 * Opens a generation when the newest is old or full enough; true when it did. No commit is at work meanwhile, so whatever
 * was decided before is seen by whatever is decided after. The ledger's own row says which is newest, not a node. A
 * table whose rows lie elsewhere (decision 12) has no size here, so its generations turn by age.
 * @param learnable so many keys filters can be had for
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

/** Forgets the keys of the oldest generation when every one of them is past its time: the table is emptied, not its rows. */
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

/** Keys that came with a move are kept as long as any other. */
const FORGET_MOVED_KEYS = `
create or replace function forget_moved_keys(before bigint) returns void language plpgsql as $$
begin
  if exists (select from moved_keys) and (select max(moved_at) < before from moves) then
    truncate moved_keys;
  end if;
end $$`;

export const COMMIT_TABLES = TABLES;
/** Nodes of an older version call `commit_group` as they did, and get the new one; what is at work meanwhile needs the old `known_keys`. */
export const COMMIT_CHANGES = [
  "drop function if exists commit_group(bigint[], uuid[], int[], int[], json, bytea)",
];
/** Which table a generation's keys are in is said by its row, so that there can be more of them. */
export const MORE_KEY_SLOTS = [
  ...keySlots(FIRST_SLOTS, KEY_SLOTS),
  "alter table key_generations add column slot smallint",
  `update key_generations set slot = generation % ${FIRST_SLOTS}`,
  "alter table key_generations alter column slot set not null, add unique (slot)",
  "drop function if exists commit_group(bigint[], uuid[], int[], int[], json, bytea, text[], int[])",
  "drop function if exists turn_keys(bigint, bigint)",
];
export const COMMIT_FUNCTIONS = [KNOWN_KEYS, COMMIT_GROUP, TURN_KEYS, RETIRE_KEYS, FORGET_MOVED_KEYS];
