/** Stores a group of ingest requests on SQLite, in one durable transaction. */
import { dayOf, utcDay } from "../../core/time.ts";
import { buildPayloadSync } from "../outbox-payload.ts";
import type { SessionRecord } from "../records.ts";
import type { DayCount } from "../warehouse-report.ts";
import type { DedupKeys } from "./dedup-keys.ts";
import type { CommitHead, PackedCommits } from "./packed-commits.ts";
import type { Statements } from "./statements.ts";

const INSERT_SESSION = `insert into sessions
  (source_id, session_id, anonymous_id, user_id, started_at, last_activity_at, landing) values (?, ?, ?, ?, ?, ?, ?)
  on conflict do nothing`;
const TOUCH_SESSION = `
  update sessions set last_activity_at = max(last_activity_at, ?3), user_id = coalesce(?4, user_id)
  where source_id = ?1 and session_id = ?2`;
const ADD_USAGE = `
  insert into usage (source_id, day, accepted, bootstraps, bytes) values (?, ?, ?, ?, ?)
  on conflict do update set accepted = accepted + excluded.accepted, bootstraps = bootstraps + excluded.bootstraps,
    bytes = bytes + excluded.bytes`;
const ADD_ACTIVITY = `
  insert into source_activity (source_id, first_bootstrap_at, last_bootstrap_at, first_event_at, last_event_at)
  values (?1, ?2, ?2, ?3, ?3)
  on conflict do update set
    first_bootstrap_at = coalesce(first_bootstrap_at, excluded.first_bootstrap_at),
    last_bootstrap_at = max(coalesce(excluded.last_bootstrap_at, last_bootstrap_at), coalesce(last_bootstrap_at, excluded.last_bootstrap_at)),
    first_event_at = coalesce(first_event_at, excluded.first_event_at),
    last_event_at = max(coalesce(excluded.last_event_at, last_event_at), coalesce(last_event_at, excluded.last_event_at))`;
/** Not earlier than the trusted time, so that events that arrive while the clock is behind are not deleted when it is set right. */
const INSERT_OUTBOX = `insert into outbox (events, created_at, payload)
  values (?, max(?, coalesce((select trusted_at from deletion_clock), 0)), ?)`;
const ADD_TOTALS = "update outbox_totals set events = events + ?, bytes = bytes + ?";

/** The sums that a group adds to the counters of one source and day, so that each row is written once. */
interface UsageOfDay {
  sourceId: string;
  day: string;
  accepted: number;
  bootstraps: number;
  bytes: number;
  lastEventAt: number | null;
  lastBootstrapAt: number | null;
}

const sum = (flags: Uint8Array): number => flags.reduce((total, flag) => total + flag, 0);

/** The later time: requests may be committed in another order than they were received. */
const latest = (known: number | null, at: number) => Math.max(known ?? at, at);

function addToCounts(counts: Map<string, UsageOfDay>, head: CommitHead, accepted: number): void {
  if (accepted === 0 && !head.bootstrap) return;
  const { sourceId, receivedAt } = head;
  const key = `${sourceId} ${dayOf(receivedAt)}`;
  const known = counts.get(key);
  const entry = known ?? {
    sourceId,
    day: utcDay(receivedAt),
    accepted: 0,
    bootstraps: 0,
    bytes: 0,
    lastEventAt: null,
    lastBootstrapAt: null,
  };
  if (!known) counts.set(key, entry);
  entry.accepted += accepted;
  entry.bytes += head.bytes;
  if (accepted > 0) entry.lastEventAt = latest(entry.lastEventAt, receivedAt);
  if (head.bootstrap) {
    entry.bootstraps += 1;
    entry.lastBootstrapAt = latest(entry.lastBootstrapAt, receivedAt);
  }
}

function insertSession(sql: Statements, session: SessionRecord): void {
  const { sourceId, sessionId, anonymousId, userId, startedAt, lastActivityAt, landing } = session;
  sql.run(INSERT_SESSION, sourceId, sessionId, anonymousId, userId, startedAt, lastActivityAt, landing);
}

/** @param outcomes for each entry of this commit, 1 when it was stored now */
function touchSessions(sql: Statements, head: CommitHead, outcomes: Uint8Array): void {
  const isActive = head.bootstrap || outcomes.includes(1);
  for (const { sessionId, userId, entries, always } of head.touch) {
    const isOwnActive = entries ? entries.some((entry) => outcomes[entry] === 1) : isActive;
    const isTouched = always === true || isOwnActive;
    if (isTouched) sql.run(TOUCH_SESSION, head.sourceId, sessionId, head.receivedAt, userId);
  }
}

function writeHeads(sql: Statements, heads: readonly CommitHead[], outcomes: Uint8Array): void {
  const counts = new Map<string, UsageOfDay>();
  let start = 0;
  for (const head of heads) {
    const commitOutcomes = outcomes.subarray(start, start + head.entries);
    start += head.entries;
    for (const session of head.open) insertSession(sql, session);
    touchSessions(sql, head, commitOutcomes);
    addToCounts(counts, head, sum(commitOutcomes));
  }
  for (const counted of counts.values()) {
    const { sourceId, day, accepted, bootstraps, bytes, lastBootstrapAt, lastEventAt } = counted;
    sql.run(ADD_USAGE, sourceId, day, accepted, bootstraps, bytes);
    sql.run(ADD_ACTIVITY, sourceId, lastBootstrapAt, lastEventAt);
  }
}

const acceptedLines = (lines: Uint8Array, outcomes: Uint8Array): string =>
  Buffer.from(lines)
    .toString()
    .split("\n")
    .filter((_, index) => outcomes[index] === 1)
    .join("\n");

/** The accepted events of a group, counted by source and day. */
function countEventsByDay({ heads, days }: PackedCommits, outcomes: Uint8Array): DayCount[] {
  const counts = new Map<string, DayCount>();
  let current: DayCount | undefined;
  let entry = 0;
  for (const { sourceId, entries } of heads) {
    for (const end = entry + entries; entry < end; entry++) {
      if (outcomes[entry] !== 1) continue;
      const day = days[entry] ?? 0;
      // events of one source and day usually follow each other
      if (current?.day !== day || current.sourceId !== sourceId) {
        const key = `${sourceId} ${day}`;
        current = counts.get(key) ?? { sourceId, day, events: 0 };
        counts.set(key, current);
      }
      current.events += 1;
    }
  }
  return [...counts.values()];
}

function writeOutbox(sql: Statements, group: PackedCommits, outcomes: Uint8Array, acceptedAt: number): void {
  const events = sum(outcomes);
  if (events === 0) return;
  const lines = events === outcomes.length ? group.lines : acceptedLines(group.lines, outcomes);
  const payload = buildPayloadSync(lines, countEventsByDay(group, outcomes));
  sql.run(INSERT_OUTBOX, events, acceptedAt, payload);
  sql.run(ADD_TOTALS, events, payload.length);
}

/**
 * Returns a function that stores a group: all or nothing, and durable when it returns.
 * @returns for each entry, 1 when it was stored now, 0 when its key was known
 */
export const createCommit =
  (sql: Statements, keys: DedupKeys) =>
  (group: PackedCommits): Uint8Array =>
    sql.transaction(() => {
      const outcomes = keys.add(group.keys);
      const [first] = group.heads;
      writeHeads(sql, group.heads, outcomes);
      if (first) writeOutbox(sql, group, outcomes, first.receivedAt);
      return outcomes;
    });
