import type { DebugAttempt } from "@headwater/contract";
import { Badge } from "@mantine/core";

const OUTCOME_COLORS = { succeeded: "green", partial: "yellow", failed: "red" } as const;

export const OutcomeBadge = ({ attempt: { outcome, httpStatus } }: { readonly attempt: DebugAttempt }) => (
  <Badge variant="light" tt="none" color={OUTCOME_COLORS[outcome]} className="outcome">
    {httpStatus} {outcome}
  </Badge>
);

/** A short summary of an attempt for its row: the error code and the counts of its events. */
export function summarizeAttempt({ code, accepted, duplicates, rejected, kind }: DebugAttempt): string {
  const counts = [
    accepted > 0 && `${accepted} accepted`,
    duplicates > 0 && `${duplicates} duplicate`,
    rejected > 0 && `${rejected} rejected`,
  ].filter((word) => word !== false);
  const summary =
    counts.length > 0 ? counts.join(", ") : kind === "bootstrap" && code === null ? "session opened" : "";
  return [code, summary].filter((word) => word !== null && word !== "").join(" · ");
}
