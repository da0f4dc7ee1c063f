/**
 * Evaluates kept events by the rules of today, and stores those that are accepted: with the code of ingest, at the time at which
 * they were received. The keys of events make a replay that is repeated add nothing.
 */
import { Refusal } from "../core/refusal.ts";
import type { EventLearner } from "../event-catalog/learner.ts";
import type { IngestLedger } from "../ledger/ledger.ts";
import type { SourceRecord } from "../ledger/records.ts";
import { checkSender } from "./checks.ts";
import {
  type BatchDeps,
  buildCommit,
  type CommitInput,
  evaluateBatch,
  learnEvents,
  recordCommit,
} from "./evaluate-batch.ts";
import { rejectEvent } from "./evaluate-event.ts";
import { jsonBytes } from "./json.ts";
import { type BodyParser, LENIENT_BOOTSTRAP } from "./parse.ts";
import type { Quotas } from "./quotas.ts";
import { ReplayVisits } from "./replay-visits.ts";
import type { CachedSource, SourceCache } from "./source-cache.ts";
import type { KeptEvent } from "./unstored-event.ts";

/** Why a kept event is rejected again. */
export interface ReplayRejection {
  readonly status: "rejected";
  readonly code: string;
  readonly message: string;
}
export type ReplayOutcome = { readonly status: "accepted" | "duplicate" } | ReplayRejection;

interface ReplayerDeps extends BatchDeps {
  readonly ledger: IngestLedger;
  readonly sources: SourceCache;
  readonly quotas: Quotas;
  readonly learner: EventLearner;
  readonly parseBody: BodyParser;
}

/** An event that was evaluated again: what is to be stored, or why it is rejected. */
type ReevaluatedEvent = { readonly status: "candidate"; readonly input: CommitInput } | ReplayRejection;

const toRejection = ({ code, message }: { code: string; message: string }): ReplayRejection => ({
  status: "rejected",
  code,
  message,
});

export class Replayer {
  readonly #deps: ReplayerDeps;

  constructor(deps: ReplayerDeps) {
    this.#deps = deps;
  }

  /** Evaluates events and stores nothing. null: a replay would store the event, or it is a duplicate. */
  async test(
    source: SourceRecord,
    events: readonly KeptEvent[],
    now: number,
  ): Promise<(ReplayRejection | null)[]> {
    const keyed = await this.#find(source);
    const evaluated = await this.#evaluate(keyed, events, now);
    return Promise.all(
      evaluated.map(async (one) => (one.status === "rejected" ? one : this.#checkQuota(keyed, one.input))),
    );
  }

  /** The rejection of an event whose quota of the day is used. */
  async #checkQuota(keyed: CachedSource, { receivedAt }: CommitInput): Promise<ReplayRejection | null> {
    const reached = keyed.hasQuota ? await this.#deps.quotas.check(keyed, receivedAt) : null;
    return reached && toRejection(reached);
  }

  /** Evaluates and stores events, which are in the order of their receipt. */
  async replay(source: SourceRecord, events: readonly KeptEvent[], now: number): Promise<ReplayOutcome[]> {
    const keyed = await this.#find(source);
    const evaluated = await this.#evaluate(keyed, events, now);
    // commits that wait together share a transaction
    return Promise.all(
      evaluated.map(async (one) => (one.status === "rejected" ? one : this.#store(keyed, one.input))),
    );
  }

  async #find({ publicKey }: SourceRecord): Promise<CachedSource> {
    const { sources } = this.#deps;
    const keyed = sources.cached(publicKey) ?? (await sources.find(publicKey));
    if (!keyed) throw new Refusal("source_not_found");
    return keyed;
  }

  /** One after the other: an event can join the session that an earlier one opens. */
  async #evaluate(
    keyed: CachedSource,
    events: readonly KeptEvent[],
    now: number,
  ): Promise<ReevaluatedEvent[]> {
    const visits = new ReplayVisits(keyed, this.#deps);
    const evaluated: ReevaluatedEvent[] = [];
    for (const event of events) evaluated.push(await this.#evaluateOne(event, visits, { keyed, now }));
    return evaluated;
  }

  async #evaluateOne(
    kept: KeptEvent,
    visits: ReplayVisits,
    { keyed, now }: { keyed: CachedSource; now: number },
  ): Promise<ReevaluatedEvent> {
    const sender = { ...kept.sender, replayedAt: new Date(now).toISOString() };
    const refusal = checkSender(sender, keyed);
    if (refusal) return toRejection(refusal);
    const parsed = this.#parse(kept.body);
    if (parsed instanceof Refusal) return toRejection(parsed);
    const visit = await visits.find({ ...kept, parsed });
    const events = await evaluateBatch({ sender, keyed, parsed, session: visit.session }, this.#deps);
    // a kept body has one event
    const outcome = events[0]?.outcome ?? rejectEvent("invalid_event");
    if (outcome.status === "rejected") return toRejection(outcome);
    const { sourceId } = keyed.source;
    const { receivedAt } = sender;
    visits.use(visit, receivedAt);
    const userId = parsed.body.userId || null;
    const sizeBytes = jsonBytes(kept.body);
    const input = { sourceId, receivedAt, visits: [visit], userId, events, sizeBytes };
    return { status: "candidate", input };
  }

  #parse(body: KeptEvent["body"]) {
    try {
      return this.#deps.parseBody(body, LENIENT_BOOTSTRAP, Number.POSITIVE_INFINITY);
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  async #store(keyed: CachedSource, input: CommitInput): Promise<ReplayOutcome> {
    const { ledger, quotas, sessions, learner } = this.#deps;
    const commit = buildCommit(input);
    const write = () => ledger.commit(commit);
    try {
      const committed = await (keyed.hasQuota ? quotas.store(keyed, commit, write) : write());
      learnEvents(input, committed, learner);
      recordCommit(commit, committed, input.visits, sessions);
      return { status: committed[0] === 1 ? "accepted" : "duplicate" };
    } catch (error) {
      if (error instanceof Refusal && error.code === "quota_exceeded") return toRejection(error);
      throw error;
    }
  }
}
