/** The tables and queries of kept events, for both engines. Placeholders are written `?1`; PostgreSQL has `$1`. */
import type { KeptPageRequest, KeptSelection } from "./records.ts";

/** Rows deleted by one statement. */
export const KEPT_SLICE_ROWS = 1_000;

/** @param sequence the definition of the column `seq`. @param blob the type of bytes */
export const keptTables = (sequence: string, blob: string): string[] => [
  `create table kept_events (seq ${sequence}, source_id text not null, code text not null, name text not null,
    origin text not null, anonymous_id text not null, user_id text, received_at bigint not null, bytes bigint not null,
    record ${blob} not null)`,
  "create index kept_events_source on kept_events (source_id, seq)",
  "create index kept_events_group on kept_events (source_id, code, name, origin, seq, received_at)",
  "create index kept_events_visitor on kept_events (anonymous_id)",
  "create index kept_events_user on kept_events (user_id) where user_id is not null",
  `create table kept_totals (source_id text primary key, events bigint not null, bytes bigint not null,
    evicted bigint not null, evicted_at bigint, skipped bigint not null, skipped_at bigint)`,
];

export const KEPT_COLUMNS = [
  "source_id",
  "code",
  "name",
  "origin",
  "anonymous_id",
  "user_id",
  "received_at",
  "bytes",
  "record",
];

/** Values: source, added events, added bytes. */
export const ADD_KEPT = `insert into kept_totals (source_id, events, bytes, evicted, skipped) values (?1, ?2, ?3, 0, 0)
  on conflict (source_id) do update set events = kept_totals.events + excluded.events,
    bytes = kept_totals.bytes + excluded.bytes`;
/** Values: source, requests, now. */
export const ADD_SKIPPED = `insert into kept_totals (source_id, events, bytes, evicted, skipped, skipped_at)
  values (?1, 0, 0, 0, ?2, ?3)
  on conflict (source_id) do update set skipped = kept_totals.skipped + excluded.skipped, skipped_at = excluded.skipped_at`;
/** Values: source, removed events, removed bytes. */
export const SUBTRACT_KEPT =
  "update kept_totals set events = events - ?2, bytes = bytes - ?3 where source_id = ?1";
/** Values: source, events, now. */
export const ADD_EVICTED =
  "update kept_totals set evicted = evicted + ?2, evicted_at = ?3 where source_id = ?1";
export const KEPT_BYTES = "select cast(coalesce(sum(bytes), 0) as bigint) as bytes from kept_totals";
export const LARGEST_SOURCE = `select source_id as "sourceId" from kept_totals
  where events > 0 order by bytes desc, source_id limit 1`;
/** Values: source, number of events. */
export const DELETE_OLDEST = `delete from kept_events where seq in (
  select seq from kept_events where source_id = ?1 order by seq limit ?2) returning bytes`;

export const KEPT_TOTALS = `select events, bytes, evicted, evicted_at as "evictedAt", skipped, skipped_at as "skippedAt"
  from kept_totals where source_id = ?1`;
export const KEPT_GROUPS = `select code, name, origin, count(*) as events, min(received_at) as "firstReceivedAt",
    max(received_at) as "lastReceivedAt"
  from kept_events where source_id = ?1 group by code, name, origin
  order by events desc, code, name, origin limit ?2`;
export const KEPT_SOURCES = `select source_id as "sourceId" from kept_totals order by source_id`;

/** Values: source, time. Rows are numbered nearly in the order of their time. */
export const EXPIRE_KEPT = `delete from kept_events where seq in (select seq from (
    select seq, received_at from kept_events where source_id = ?1 order by seq limit ${KEPT_SLICE_ROWS}
  ) as oldest where received_at < ?2) returning bytes`;
/** Values: source, time. */
export const EXPIRE_EVICTED =
  "update kept_totals set evicted = 0, evicted_at = null where source_id = ?1 and evicted_at < ?2";
export const EXPIRE_SKIPPED =
  "update kept_totals set skipped = 0, skipped_at = null where source_id = ?1 and skipped_at < ?2";
/** Values: source. */
export const DELETE_EMPTY_TOTALS =
  "delete from kept_totals where source_id = ?1 and events = 0 and evicted = 0 and skipped = 0";

/** Values: the id, and the latest time of receipt. */
export const ERASE_KEPT = {
  anonymousId: `delete from kept_events where anonymous_id = ?1 and received_at <= ?2`,
  userId: `delete from kept_events where user_id = ?1 and received_at <= ?2`,
};

interface KeptQuery {
  sql: string;
  values: (string | number)[];
}

/**
 * A group is found by its index. Any other selection is filtered while the source is read in the order of `seq`: with the index
 * of groups, every page would sort all selected events.
 * @param values with the values of the placeholders, to which those of the selection are added
 */
function whereOf({ sourceId, code, name, origin }: KeptSelection, values: KeptQuery["values"]): string {
  const members = { code, name, origin };
  const isGroup = Object.values(members).every((value) => value !== undefined);
  const conditions = Object.entries(members).flatMap(([column, value]) =>
    value === undefined ? [] : [`${isGroup ? column : `${column} || ''`} = ?${values.push(value)}`],
  );
  return [`source_id = ?${values.push(sourceId)}`, ...conditions].join(" and ");
}

export function keptPageQuery({ limit, before, after, upTo, ...selection }: KeptPageRequest): KeptQuery {
  const values: KeptQuery["values"] = [limit];
  const bounds = [
    ["<", before],
    [">", after],
    ["<=", upTo],
  ] as const;
  const where = [
    whereOf(selection, values),
    ...bounds.flatMap(([operator, seq]) =>
      seq === undefined ? [] : [`seq ${operator} ?${values.push(seq)}`],
    ),
  ].join(" and ");
  const sql = `select seq, code, name, origin, anonymous_id as "anonymousId", received_at as "receivedAt", record
    from kept_events where ${where} order by seq ${after === undefined ? "desc" : "asc"} limit ?1`;
  return { sql, values };
}

export function keptCountQuery(selection: KeptSelection): KeptQuery {
  const values: KeptQuery["values"] = [];
  const sql = `select count(*) as events, coalesce(max(seq), 0) as "lastSeq" from kept_events
    where ${whereOf(selection, values)}`;
  return { sql, values };
}

/** Values: source, and the numbers of events. */
export const deleteKept = (count: number): string => {
  const numbers = Array.from({ length: count }, (_, index) => `?${index + 2}`).join();
  return `delete from kept_events where source_id = ?1 and seq in (${numbers}) returning bytes`;
};
/** Values: source, number, code. */
export const RECODE_KEPT = "update kept_events set code = ?3 where source_id = ?1 and seq = ?2";
