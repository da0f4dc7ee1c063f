/** The operations on replays of kept events (docs/api/quarantine.md). */
import type { Replay, ReplayBody, ReplayTest } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { Refusal } from "../core/refusal.ts";
import { toIsoTime, toIsoTimeOrNull, utcDay } from "../core/time.ts";
import type { Call, Handler } from "../http/handler.ts";
import type { Replayer, ReplayRejection } from "../ingest/replay.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { ReplayRecord, SavedItemRecord, StoredKeptEvent } from "../ledger/records.ts";
import { maskString } from "../masking/mask.ts";
import { createAdmission } from "../overload/admission.ts";
import { toKeptEvent } from "./replay-slice.ts";
import { maskEvent } from "./routes.ts";

/** Kept events that a test evaluates without a pause for other work. */
const TEST_SLICE_EVENTS = 100;

export interface ReplayServices {
  readonly ledger: Pick<
    Ledger,
    "keptEvents" | "countKept" | "createReplay" | "switchReplay" | "replay" | "replays"
  >;
  readonly keeper: { flush(): Promise<void> };
  readonly ingest: { readonly replayer: Pick<Replayer, "test"> };
  readonly newId: (prefix: string) => string;
}

const byEvents = ([, one]: readonly [string, number], [, other]: readonly [string, number]) => other - one;

function renderReplay({
  selection,
  rejected,
  requestedAt,
  finishedAt,
  edits,
  ...replay
}: ReplayRecord): Replay {
  return {
    ...replay,
    ...selection,
    edits: [...edits],
    rejected: Object.entries(rejected)
      .sort(byEvents)
      .map(([code, events]) => ({ code, events })),
    requestedAt: toIsoTime(requestedAt),
    finishedAt: toIsoTimeOrNull(finishedAt),
  };
}

/** The given members. */
const selectionOf = ({ code, name, origin }: ReplayBody): Pick<ReplayBody, "code" | "name" | "origin"> => ({
  ...(code !== undefined && { code }),
  ...(name !== undefined && { name }),
  ...(origin !== undefined && { origin }),
});

interface RejectedKept {
  readonly rejection: ReplayRejection;
  readonly event: StoredKeptEvent;
}

const renderRejected = ([code, all]: readonly [string, readonly RejectedKept[]]): ReplayTest["rejected"] =>
  all.slice(0, 1).map(({ rejection, event }) => ({
    code,
    events: all.length,
    message: maskString(rejection.message),
    example: maskEvent(event),
  }));

/** Evaluates the oldest of the selected events. */
async function findRejected(
  { source, body, now }: Call<"testReplay">,
  { ledger, ingest }: ReplayServices,
): Promise<{ evaluated: number; rejected: RejectedKept[] }> {
  const rejected: RejectedKept[] = [];
  let evaluated = 0;
  for (let after = 0; evaluated < LIMITS.maxReplayTestEvents; ) {
    const page = { sourceId: source.sourceId, ...selectionOf(body), after, limit: TEST_SLICE_EVENTS };
    const events = await ledger.keptEvents(page);
    const kept = events.map((event) => toKeptEvent(event, body.edits ?? []));
    const rejections = await ingest.replayer.test(source, kept, now);
    rejected.push(
      ...events.flatMap((event, index) => {
        const rejection = rejections[index];
        return rejection ? [{ rejection, event }] : [];
      }),
    );
    evaluated += events.length;
    const last = events.at(-1);
    if (events.length < TEST_SLICE_EVENTS || !last) break;
    after = last.seq;
  }
  return { evaluated, rejected };
}

/** Tests that a node runs at once, and that wait. A workspace has half of them. */
const TEST_SLOTS = { maxActive: 1, maxActivePerKey: 1, maxAdmitted: 20, maxAdmittedPerKey: 10 };

async function describeTest(call: Call<"testReplay">, services: ReplayServices): Promise<ReplayTest> {
  await services.keeper.flush();
  const selection = { sourceId: call.source.sourceId, ...selectionOf(call.body) };
  const { events: selected } = await services.ledger.countKept(selection);
  const { evaluated, rejected } = await findRejected(call, services);
  const byCode = [...Map.groupBy(rejected, ({ rejection }) => rejection.code)];
  byCode.sort(([, one], [, other]) => other.length - one.length);
  const accepted = evaluated - rejected.length;
  return { selected, evaluated, accepted, rejected: byCode.flatMap(renderRejected) };
}

export function testReplay(services: ReplayServices): Handler<"testReplay"> {
  const admission = createAdmission(TEST_SLOTS);
  return async (call) => {
    const test = () => describeTest(call, services);
    return { body: await admission.run(call.organizationId, test, call.signal) };
  };
}

/** Says on the stats of the source that events were added. */
function toAnnotation(replay: ReplayRecord, userId: string, newId: ReplayServices["newId"]): SavedItemRecord {
  const { sourceId, selected, requestedAt } = replay;
  const definition = { filters: null, steps: null, windowSeconds: null, day: utcDay(requestedAt) };
  const name = `Replay of ${selected} kept ${selected === 1 ? "event" : "events"}`;
  const item = { savedId: newId("sav"), sourceId, userId, name, definition };
  return { ...item, kind: "annotation", isShared: true, createdAt: requestedAt };
}

export const startReplay =
  ({ ledger, keeper, newId }: ReplayServices): Handler<"startReplay"> =>
  async ({ source: { sourceId }, body, actor, now }) => {
    await keeper.flush();
    const selection = selectionOf(body);
    const { events: selected, lastSeq: upToSeq } = await ledger.countKept({ sourceId, ...selection });
    // nothing has to be done
    const isDone = selected === 0;
    const replay: ReplayRecord = {
      replayId: newId("rpl"),
      sourceId,
      status: isDone ? "done" : "running",
      selection,
      edits: body.edits ?? [],
      selected,
      accepted: 0,
      duplicates: 0,
      rejected: {},
      requestedAt: now,
      finishedAt: isDone ? now : null,
    };
    const annotation = isDone ? null : toAnnotation(replay, actor.userId, newId);
    const created = await ledger.createReplay({ replay, upToSeq, annotation, actor, now });
    if (created === "unknown") throw new Refusal("source_not_found");
    if (created === "running") throw new Refusal("replay_running");
    const Location = `/api/tracking-sources/${sourceId}/quarantine/replays/${replay.replayId}`;
    return { body: renderReplay(replay), headers: { Location } };
  };

export const listReplays =
  ({ ledger }: ReplayServices): Handler<"listReplays"> =>
  async ({ source: { sourceId } }) => ({
    body: { replays: (await ledger.replays({ sourceId })).map(renderReplay) },
  });

export const getReplay =
  ({ ledger }: ReplayServices): Handler<"getReplay"> =>
  async ({ source: { sourceId }, params: { replayId } }) => {
    const replay = await ledger.replay({ sourceId, replayId });
    if (!replay) throw new Refusal("replay_not_found");
    return { body: renderReplay(replay) };
  };

/** Stops a replay, or resumes it. */
async function switchTo(
  to: "stopped" | "running",
  { source: { sourceId }, params: { replayId }, actor, now }: Call<"stopReplay"> | Call<"resumeReplay">,
  { ledger }: ReplayServices,
): Promise<{ body: Replay }> {
  const replay = await ledger.switchReplay({ sourceId, replayId, to, actor, now });
  if (replay === "unknown") throw new Refusal("replay_not_found");
  if (replay === "running") throw new Refusal("replay_running");
  return { body: renderReplay(replay) };
}

export const stopReplay =
  (services: ReplayServices): Handler<"stopReplay"> =>
  (call) =>
    switchTo("stopped", call, services);

export const resumeReplay =
  (services: ReplayServices): Handler<"resumeReplay"> =>
  (call) =>
    switchTo("running", call, services);
