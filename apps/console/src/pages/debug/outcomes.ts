/** The outcomes of attempts, with their names and colours. */
export const OUTCOMES = {
  succeeded: { label: "OK", color: "green", part: "part-accepted" },
  partial: { label: "Partial", color: "yellow", part: "part-rejected" },
  failed: { label: "Refused", color: "red", part: "part-failed" },
  test: { label: "Test", color: "gray", part: "part-duplicates" },
} as const;
/** The outcomes of requests that count. */
export type CountedOutcome = Exclude<keyof typeof OUTCOMES, "test">;
