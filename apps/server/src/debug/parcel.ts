/**
 * A finished attempt on its way to the thread that renders it: plain values only, and texts instead of lists of
 * objects, because copying many small objects to a thread costs more than making text of them.
 */
import type { EventResult } from "@headwater/contract";
import type { Refused, Taken } from "../core/attempt.ts";
import type { FinishedAttempt } from "./render.ts";

type Facts = Omit<FinishedAttempt, "source" | "outcome">;
type Refusal = Pick<Refused["refusal"], "code" | "status" | "message" | "hint"> & {
  detail: Pick<Refused["refusal"]["detail"], "issues" | "limitName" | "limit" | "actual">;
};

export type Parcel = Facts & { sourceId: string } & (
    | { refusal: Refusal }
    | { answer: Omit<Taken["answer"], "results">; results: string; normalized: string }
  );

const LINE = "\n";

export function pack({ source, outcome, ...facts }: FinishedAttempt): Parcel {
  const { sourceId } = source;
  if (outcome.kind === "refused") {
    const { code, status, message, hint, detail: whole } = outcome.refusal;
    const { headers: _, ...detail } = whole;
    return { ...facts, sourceId, refusal: { code, status, message, hint, detail } };
  }
  const { results: _, ...answer } = outcome.answer;
  // JSON text holds no line break; an event without a normal form is an empty line
  const normalized = outcome.normalized.map((json) => json ?? "").join(LINE);
  return { ...facts, sourceId, answer, results: JSON.stringify(outcome.results), normalized };
}

export function unpack(parcel: Parcel): FinishedAttempt {
  const source = { sourceId: parcel.sourceId } as FinishedAttempt["source"];
  if ("refusal" in parcel) {
    return { ...parcel, source, outcome: { kind: "refused", refusal: parcel.refusal as Refused["refusal"] } };
  }
  const results = JSON.parse(parcel.results) as EventResult[];
  const normalized =
    results.length === 0 ? [] : parcel.normalized.split(LINE).map((json) => (json === "" ? null : json));
  const answer = { ...parcel.answer, results } as Taken["answer"];
  return { ...parcel, source, outcome: { kind: "taken", answer, results, normalized } };
}
