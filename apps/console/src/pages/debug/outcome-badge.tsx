import type { Attempt } from "@headwater/contract";
import { Badge } from "@mantine/core";

const COLOURS = { succeeded: "green", partial: "yellow", failed: "red" } as const;

export const OutcomeBadge = ({ attempt: { outcome, httpStatus } }: { readonly attempt: Attempt }) => (
  <Badge variant="light" tt="none" color={COLOURS[outcome]} className="outcome">
    {httpStatus} {outcome}
  </Badge>
);

/** What became of it, in as many words as a row has room for. */
export function summarizeAttempt({ code, accepted, duplicates, rejected, kind }: Attempt): string {
  const counts = [
    accepted > 0 && `${accepted} accepted`,
    duplicates > 0 && `${duplicates} duplicate`,
    rejected > 0 && `${rejected} rejected`,
  ].filter((word) => word !== false);
  const said =
    counts.length > 0 ? counts.join(", ") : kind === "bootstrap" && code === null ? "session opened" : "";
  return [code, said].filter((word) => word !== null && word !== "").join(" · ");
}
