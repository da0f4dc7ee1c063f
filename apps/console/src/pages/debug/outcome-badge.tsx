import type { DebugAttempt } from "@headwater/contract";
import { Badge } from "../../ui/primitives/elements.tsx";
import { OUTCOMES } from "./outcomes.ts";

/** Most requests are accepted: plain text, so that the others stand out. */
export const OutcomeBadge = ({ attempt: { outcome, httpStatus } }: { readonly attempt: DebugAttempt }) => {
  const { color, label } = OUTCOMES[outcome];
  const text = `${httpStatus} ${label}`;
  if (outcome === "succeeded")
    return (
      <span className="outcome live" data-live="yes">
        {text}
      </span>
    );
  return (
    <Badge color={color} className="outcome">
      {text}
    </Badge>
  );
};
