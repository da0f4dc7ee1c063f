/**
 * A finished attempt as it is sent to the thread that renders it. Lists of objects become text, because copying many small
 * objects between threads costs more than writing and parsing JSON.
 */
import { Refusal, type RefusalDetail } from "../core/refusal.ts";
import type { ForeignReply } from "../ingest/adapter.ts";
import type { AnsweredOutcome, RefusedOutcome } from "../ingest/attempt.ts";
import type { BodyText } from "../ingest/json.ts";
import type { FinishedAttempt, RenderableAttempt } from "./render.ts";

type AnsweredMessage = Omit<AnsweredOutcome, "results" | "normalized" | "rejections"> & {
  results: string;
  normalized: string;
};
type RefusedMessage = Pick<RefusedOutcome, "kind"> & Pick<Refusal, "code" | "detail">;
export type AttemptMessage = Omit<RenderableAttempt, "outcome" | "body"> & {
  body: BodyText;
  outcome: AnsweredMessage | RefusedMessage;
};

/** JSON text contains no line break. */
const LINE_BREAK = "\n";

export function toMessage({
  source: { sourceId },
  outcome,
  body,
  unstored: _,
  ...facts
}: FinishedAttempt): AttemptMessage {
  const message = { ...facts, source: { sourceId }, body: body() };
  if (outcome.kind === "refused") {
    const { headers: _, ...detail }: RefusalDetail = outcome.refusal.detail;
    return { ...message, outcome: { kind: "refused", code: outcome.refusal.code, detail } };
  }
  const answer = { ...outcome.answer, results: [] };
  const results = JSON.stringify(outcome.results);
  // an event without a normal form is an empty line
  const normalized = outcome
    .normalized()
    .map((json) => json ?? "")
    .join(LINE_BREAK);
  // only its status is shown
  const reply: ForeignReply | null = outcome.reply && { ...outcome.reply, content: "" };
  return { ...message, outcome: { kind: "answered", answer, results, normalized, reply } };
}

export function fromMessage({ outcome, body, ...message }: AttemptMessage): RenderableAttempt {
  const facts = { ...message, body: () => body };
  if (outcome.kind === "refused")
    return { ...facts, outcome: { kind: "refused", refusal: new Refusal(outcome.code, outcome.detail) } };
  const results: AnsweredOutcome["results"] = JSON.parse(outcome.results);
  const normalized = outcome.normalized.split(LINE_BREAK).map((json) => (json === "" ? null : json));
  const answer = { ...outcome.answer, results: [...results] };
  return {
    ...facts,
    outcome: { ...outcome, answer, results, normalized: () => (results.length === 0 ? [] : normalized) },
  };
}
