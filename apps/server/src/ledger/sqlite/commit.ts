/** The hot verb: a group of ingest requests in one durable transaction. */
import type { DatabaseSync } from "node:sqlite";
import type { SessionRecord } from "../../core/records.ts";
import { utcDay } from "../../core/time.ts";
import { buildPayloadSync } from "../outbox-payload.ts";
import type { Generations } from "./generations.ts";
import type { Head, PackedGroup } from "./packing.ts";
import { inTransaction } from "./transaction.ts";

/** What a group adds up to for one source and day, so that each is written once. */
interface Tally {
  sourceId: string;
  day: string;
  accepted: number;
  bootstraps: number;
  lastEventAt: number | null;
  lastBootstrapAt: number | null;
}

function countOnes(flags: Uint8Array, from: number, to: number): number {
  let ones = 0;
  for (let index = from; index < to; index++) ones += flags[index]!;
  return ones;
}

/** A request that was slow to arrive is committed after younger ones. */
const later = (known: number | null, time: number) => Math.max(known ?? time, time);

function addToTally(tallies: Map<string, Tally>, commit: Head, accepted: number): void {
  if (accepted === 0 && !commit.bootstrap) return;
  const day = utcDay(commit.receivedAt);
  const id = `${commit.sourceId} ${day}`;
  let tally = tallies.get(id);
  if (!tally) {
    tally = {
      sourceId: commit.sourceId,
      day,
      accepted: 0,
      bootstraps: 0,
      lastEventAt: null,
      lastBootstrapAt: null,
    };
    tallies.set(id, tally);
  }
  tally.accepted += accepted;
  if (accepted > 0) tally.lastEventAt = later(tally.lastEventAt, commit.receivedAt);
  if (commit.bootstrap) {
    tally.bootstraps += 1;
    tally.lastBootstrapAt = later(tally.lastBootstrapAt, commit.receivedAt);
  }
}

export function prepareCommit(database: DatabaseSync, generations: Generations) {
  const openSession = database.prepare(
    "insert into sessions (source_id, session_id, anonymous_id, user_id, started_at, last_activity_at, landing) values (?, ?, ?, ?, ?, ?, ?)",
  );
  const touchSession = database.prepare(
    `update sessions set last_activity_at = max(last_activity_at, ?3), user_id = coalesce(?4, user_id)
     where source_id = ?1 and session_id = ?2`,
  );
  const addUsage = database.prepare(
    `insert into usage (source_id, day, accepted, bootstraps) values (?, ?, ?, ?)
     on conflict do update set accepted = accepted + excluded.accepted, bootstraps = bootstraps + excluded.bootstraps`,
  );
  const addActivity = database.prepare(
    `insert into source_activity (source_id, first_bootstrap_at, last_bootstrap_at, first_event_at, last_event_at)
     values (?1, ?2, ?2, ?3, ?3)
     on conflict do update set
       first_bootstrap_at = coalesce(first_bootstrap_at, excluded.first_bootstrap_at),
       last_bootstrap_at = max(coalesce(excluded.last_bootstrap_at, last_bootstrap_at), coalesce(last_bootstrap_at, excluded.last_bootstrap_at)),
       first_event_at = coalesce(first_event_at, excluded.first_event_at),
       last_event_at = max(coalesce(excluded.last_event_at, last_event_at), coalesce(last_event_at, excluded.last_event_at))`,
  );
  const addOutbox = database.prepare("insert into outbox (events, created_at, payload) values (?, ?, ?)");
  const addOutboxTotals = database.prepare("update outbox_totals set events = events + ?, bytes = bytes + ?");

  const insertSession = (s: SessionRecord) =>
    openSession.run(
      s.sourceId,
      s.sessionId,
      s.anonymousId,
      s.userId,
      s.startedAt,
      s.lastActivityAt,
      s.landing,
    );

  /** @param wasAccepted of the entry with this index */
  const touchAll = (head: Head, lives: boolean, wasAccepted: (entry: number) => boolean) => {
    for (const { sessionId, userId, entries } of head.touch) {
      if (!(entries ? entries.some(wasAccepted) : lives)) continue;
      touchSession.run(head.sourceId, sessionId, head.receivedAt, userId);
    }
  };

  const writeHeads = (heads: Head[], outcomes: Uint8Array) => {
    const tallies = new Map<string, Tally>();
    let start = 0;
    for (const head of heads) {
      const first = start;
      const accepted = countOnes(outcomes, first, first + head.entries);
      start += head.entries;
      if (head.open) insertSession(head.open);
      touchAll(head, head.bootstrap || accepted > 0, (entry) => outcomes[first + entry] === 1);
      addToTally(tallies, head, accepted);
    }
    for (const tally of tallies.values()) {
      addUsage.run(tally.sourceId, tally.day, tally.accepted, tally.bootstraps);
      addActivity.run(tally.sourceId, tally.lastBootstrapAt, tally.lastEventAt);
    }
  };

  const writeOutbox = (lines: Uint8Array, outcomes: Uint8Array, now: number) => {
    const events = countOnes(outcomes, 0, outcomes.length);
    if (events === 0) return;
    const fresh =
      events === outcomes.length
        ? lines
        : Buffer.from(lines)
            .toString()
            .split("\n")
            .filter((_, index) => outcomes[index] === 1)
            .join("\n");
    const payload = buildPayloadSync(fresh);
    addOutbox.run(events, now, payload);
    addOutboxTotals.run(events, payload.length);
  };

  /** Durable when it returns; for each entry 1 when it was stored. Throws with nothing stored. */
  return ({ heads, keys, lines }: PackedGroup): Uint8Array =>
    inTransaction(database, () => {
      const outcomes = generations.remember(keys);
      writeHeads(heads, outcomes);
      writeOutbox(lines, outcomes, heads[0]!.receivedAt);
      return outcomes;
    });
}
