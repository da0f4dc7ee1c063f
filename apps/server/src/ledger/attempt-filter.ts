/** Turns the filter of debug attempts into conditions on columns, which both engines have alike. */
import { ATTEMPT_KINDS, ATTEMPT_OUTCOMES, type AttemptOutcome } from "@headwater/contract/attempts";
import type { AttemptFilter } from "./records.ts";

/** Attempts of one source that a filter selects. */
export type AttemptGroupFilter = Omit<AttemptFilter, "limit" | "before" | "after"> & {
  /** Only attempts received after this time. */
  since: number;
};

/** How many of them have the same origin, outcome and code. */
export interface AttemptGroup {
  origin: string | null;
  outcome: AttemptOutcome;
  code: string | null;
  requests: number;
}

type Comparison = "=" | "<" | ">";
export type Condition = readonly [column: string, comparison: Comparison, value: string | number];

interface AttemptQuery {
  conditions: Condition[];
  /** Oldest first with `after`, as the live stream reads; else newest first. */
  order: "asc" | "desc";
}

export function attemptQuery(filter: AttemptFilter): AttemptQuery {
  const { before, after } = filter;
  const conditions = conditionsOf(filter, [
    ["seq", "<", before],
    ["seq", ">", after],
  ]);
  return { conditions, order: after === undefined ? "desc" : "asc" };
}

export const attemptGroupConditions = (filter: AttemptGroupFilter): Condition[] =>
  conditionsOf(filter, [["received_at", ">", filter.since]]);

/** A row of a query that groups attempts. */
export type AttemptGroupRow = Omit<AttemptGroup, "outcome"> & { outcome: number };

export const toAttemptGroups = (rows: readonly AttemptGroupRow[]): AttemptGroup[] =>
  rows.flatMap((row) => {
    const outcome = ATTEMPT_OUTCOMES[row.outcome];
    return outcome ? [{ ...row, outcome }] : [];
  });

type OptionalCondition = readonly [
  column: string,
  comparison: Comparison,
  value: string | number | undefined,
];

function conditionsOf(
  { kind, outcome, ...filter }: Omit<AttemptFilter, "limit">,
  bounds: readonly OptionalCondition[],
): Condition[] {
  const all: readonly OptionalCondition[] = [
    ["source_id", "=", filter.sourceId],
    ["kind", "=", kind && ATTEMPT_KINDS.indexOf(kind)],
    ["other", "=", outcome && (outcome === "succeeded" ? 0 : 1)],
    ["outcome", "=", outcome && ATTEMPT_OUTCOMES.indexOf(outcome)],
    ...bounds,
    ["code", "=", filter.code],
    ["origin", "=", filter.origin],
    ["session_id", "=", filter.sessionId],
    ["anonymous_id", "=", filter.anonymousId],
  ];
  return all.flatMap(([column, comparison, value]) =>
    value === undefined ? [] : [[column, comparison, value] as const],
  );
}
