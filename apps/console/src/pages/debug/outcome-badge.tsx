import type { DebugAttempt } from "@headwater/contract";
import { Badge } from "@mantine/core";
import { OUTCOMES } from "./outcomes.ts";

export const OutcomeBadge = ({ attempt: { outcome, httpStatus } }: { readonly attempt: DebugAttempt }) => (
  <Badge variant="light" tt="none" color={OUTCOMES[outcome].color} className="outcome">
    {httpStatus} {OUTCOMES[outcome].label}
  </Badge>
);
