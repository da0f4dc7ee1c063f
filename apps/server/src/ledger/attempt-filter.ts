/** What a page of attempts asks for, the same in both engines, whose tables have the same columns. */
import { ATTEMPT_KINDS, ATTEMPT_OUTCOMES } from "@headwater/contract/attempts";
import type { AttemptFilter } from "../core/records.ts";

/** A column, how it is compared, and with what. */
export type Condition = readonly [column: string, comparison: "=" | "<" | ">", value: string | number];

export interface AttemptQuery {
  conditions: Condition[];
  /** Newest first; what follows a place, as a stream wants it, oldest first. */
  order: "asc" | "desc";
}

export function attemptQuery(filter: AttemptFilter): AttemptQuery {
  const { kind, outcome } = filter;
  const all: [string, Condition[1], string | number | undefined][] = [
    ["source_id", "=", filter.sourceId],
    ["kind", "=", kind && ATTEMPT_KINDS.indexOf(kind)],
    ["other", "=", outcome && (outcome === "succeeded" ? 0 : 1)],
    ["outcome", "=", outcome && ATTEMPT_OUTCOMES.indexOf(outcome)],
    ["seq", "<", filter.before],
    ["seq", ">", filter.after],
    ["code", "=", filter.code],
    ["origin", "=", filter.origin],
    ["session_id", "=", filter.sessionId],
    ["anonymous_id", "=", filter.anonymousId],
  ];
  return {
    conditions: all.filter((one): one is [string, Condition[1], string | number] => one[2] !== undefined),
    order: filter.after === undefined ? "desc" : "asc",
  };
}
