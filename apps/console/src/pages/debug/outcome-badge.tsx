import type { DebugAttempt } from "@headwater/contract";
import { Badge } from "../../ui/primitives/elements.tsx";
import { OUTCOMES } from "./outcomes.ts";

export const OutcomeBadge = ({ attempt: { outcome, httpStatus } }: { readonly attempt: DebugAttempt }) => (
  <Badge color={OUTCOMES[outcome].color} className="outcome">
    {httpStatus} {OUTCOMES[outcome].label}
  </Badge>
);
