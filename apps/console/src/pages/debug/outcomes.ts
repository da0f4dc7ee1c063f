/** The outcomes of attempts, with their names and colours. */
export const OUTCOMES = {
  succeeded: { label: "OK", color: "green", part: "part-accepted" },
  partial: { label: "Partial", color: "yellow", part: "part-rejected" },
  failed: { label: "Refused", color: "red", part: "part-failed" },
} as const;
export type OutcomeName = keyof typeof OUTCOMES;
