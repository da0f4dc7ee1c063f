/** One step of a replay: evaluates a slice of its kept events, stores those that are accepted, and deletes what is stored. */
import { isKeptCode, type PropertyEdit } from "@headwater/contract";
import { isRecord } from "../core/members.ts";
import type { Replayer, ReplayOutcome } from "../ingest/replay.ts";
import type { KeptEvent } from "../ingest/unstored-event.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { OpenReplay, ReplayProgress, StoredKeptEvent } from "../ledger/records.ts";
import { applyEdits } from "./edits.ts";
import { readRecord } from "./kept-row.ts";

/** Few, so that commits of ingest wait for at most some milliseconds. */
const SLICE_EVENTS = 100;

interface ReplaySliceDeps {
  readonly ledger: Pick<Ledger, "source" | "keptEvents" | "settleKept">;
  readonly replayer: Pick<Replayer, "replay">;
  readonly clock: () => number;
}

const NOTHING_ADDED: ReplayProgress = { accepted: 0, duplicates: 0, rejected: {} };

/** A kept event with the edits of a replay. */
export function toKeptEvent(
  { anonymousId, record }: Pick<StoredKeptEvent, "anonymousId" | "record">,
  edits: readonly PropertyEdit[],
): KeptEvent {
  const { body, ...kept } = readRecord(record);
  const [event] = body.events;
  const { properties } = event;
  const edited = isRecord(properties) ? { ...event, properties: applyEdits(properties, edits) } : event;
  return { ...kept, anonymousId, body: { ...body, events: [edited] } };
}

function countOutcomes(outcomes: readonly ReplayOutcome[]): ReplayProgress {
  const of = (status: ReplayOutcome["status"]) => outcomes.filter((one) => one.status === status);
  const codes = outcomes.flatMap((one) => (one.status === "rejected" ? [one.code] : []));
  const rejected = Object.fromEntries(
    [...Map.groupBy(codes, (code) => code)].map(([code, all]) => [code, all.length]),
  );
  return { accepted: of("accepted").length, duplicates: of("duplicate").length, rejected };
}

/** What becomes of the kept events: those that are stored are deleted, others may get another code. */
function toSettled(events: readonly StoredKeptEvent[], outcomes: readonly ReplayOutcome[]) {
  const pairs = events.map((event, index) => ({ event, outcome: outcomes[index] }));
  return {
    stored: pairs.flatMap(({ event, outcome }) => (outcome?.status === "rejected" ? [] : [event.seq])),
    recoded: pairs.flatMap(({ event: { seq, code }, outcome }) =>
      outcome?.status === "rejected" && outcome.code !== code && isKeptCode(outcome.code)
        ? [{ seq, code: outcome.code }]
        : [],
    ),
  };
}

/** A crash between the commit and the deletion makes duplicates of the events, which the next try deletes. */
export async function replaySlice(
  { sourceId, selection, edits, afterSeq, upToSeq }: OpenReplay,
  { ledger, replayer, clock }: ReplaySliceDeps,
) {
  const now = clock();
  const source = await ledger.source({ sourceId, now });
  // a deleted source has no kept events
  if (source === null) return { to: upToSeq, added: NOTHING_ADDED, isDone: true };
  const page = { sourceId, ...selection, after: afterSeq, upTo: upToSeq, limit: SLICE_EVENTS };
  const events = await ledger.keptEvents(page);
  const outcomes = await replayer.replay(
    source,
    events.map((event) => toKeptEvent(event, edits)),
    now,
  );
  await ledger.settleKept({ sourceId, ...toSettled(events, outcomes) });
  const isDone = events.length < SLICE_EVENTS;
  return { to: events.at(-1)?.seq ?? upToSeq, added: countOutcomes(outcomes), isDone };
}
