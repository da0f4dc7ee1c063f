import type { DebugAttempt } from "@headwater/contract";
import { Badge } from "@mantine/core";

const OUTCOME_COLORS = { succeeded: "green", partial: "yellow", failed: "red" } as const;

export const OutcomeBadge = ({ attempt: { outcome, httpStatus } }: { readonly attempt: DebugAttempt }) => (
  <Badge variant="light" tt="none" color={OUTCOME_COLORS[outcome]} className="outcome">
    {httpStatus} {outcome}
  </Badge>
);
