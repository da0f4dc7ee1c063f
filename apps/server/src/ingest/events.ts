import type { EventsBody } from "@headwater/contract";
import type { Attempt, Outcome } from "../core/attempt.ts";
import type { Arrival } from "../core/ingest-request.ts";
import type { Admitted } from "./admit.ts";
import { attend, type Corridor } from "./attend.ts";
import { aboutOf, entriesOf, judgeBatch, keepAlive, normalizedOf, settle, touchesOf } from "./batch.ts";
import { mustTakeEvents, takesEvents } from "./sessions.ts";

/** A batch of events of a session (spec 4.2 rules 3 and 4). Never rejects: the attempt says what came of it. */
export const takeEvents = (arrival: Arrival, corridor: Corridor): Promise<Attempt> =>
  attend(arrival, corridor, story);

async function story(
  { known, text }: Admitted,
  arrival: Arrival,
  attempt: Attempt,
  corridor: Corridor,
): Promise<Outcome> {
  const parsed = corridor.parse(text, "events", { ...arrival, maxBatchSize: known.limits.maxBatchSize });
  attempt.envelope = parsed.envelope;
  const { batch, body: loose } = parsed.read();
  const body = loose as EventsBody;
  const { sourceId } = known.source;

  const session = await corridor.sessions.find(sourceId, body.sessionId, (held) =>
    takesEvents(held, arrival.receivedAt),
  );
  mustTakeEvents(session, arrival.receivedAt);

  const about = aboutOf(body, known);
  const verdicts = await judgeBatch(batch!, session, about, attempt, arrival, corridor);
  const touch = touchesOf(verdicts);
  const committed = await corridor.ledger.commit({
    sourceId,
    receivedAt: arrival.receivedAt,
    bootstrap: false,
    open: null,
    touch,
    entries: entriesOf(verdicts),
  });
  const settled = settle(verdicts, committed, sourceId);
  keepAlive(touch, committed, sourceId, arrival.receivedAt, corridor);

  const answer = {
    ok: true as const,
    attemptId: attempt.attemptId,
    sourceId,
    sessionId: session.sessionId,
    ...settled,
  };
  return { kind: "taken", answer, results: settled.results, normalized: normalizedOf(verdicts) };
}
