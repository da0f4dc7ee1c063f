/** Turns the filter of a page of debug attempts into conditions on columns, which both engines have alike. */
import { ATTEMPT_KINDS, ATTEMPT_OUTCOMES } from "@headwater/contract/attempts";
import type { AttemptFilter } from "../core/records.ts";

type Comparison = "=" | "<" | ">";
export type Condition = readonly [column: string, comparison: Comparison, value: string | number];

export interface AttemptQuery {
  conditions: Condition[];
  /** Oldest first with `after`, as the live stream reads; else newest first. */
  order: "asc" | "desc";
}

export function attemptQuery(filter: AttemptFilter): AttemptQuery {
  const { kind, outcome } = filter;
  const conditions: Condition[] = [];
  const add = (column: string, comparison: Comparison, value: string | number | undefined) => {
    if (value !== undefined) conditions.push([column, comparison, value]);
  };
  add("source_id", "=", filter.sourceId);
  add("kind", "=", kind && ATTEMPT_KINDS.indexOf(kind));
  add("other", "=", outcome && (outcome === "succeeded" ? 0 : 1));
  add("outcome", "=", outcome && ATTEMPT_OUTCOMES.indexOf(outcome));
  add("seq", "<", filter.before);
  add("seq", ">", filter.after);
  add("code", "=", filter.code);
  add("origin", "=", filter.origin);
  add("session_id", "=", filter.sessionId);
  add("anonymous_id", "=", filter.anonymousId);
  return { conditions, order: filter.after === undefined ? "desc" : "asc" };
}
