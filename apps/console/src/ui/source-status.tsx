/** The status of a source as a badge. */
import { Badge } from "./primitives/elements.tsx";

export const STATUSES = {
  receiving: { label: "Receiving", color: "green" },
  quiet: { label: "Quiet", color: "yellow" },
  waiting: { label: "Waiting", color: "gray" },
  failing: { label: "Failing", color: "red" },
  off: { label: "Deactivated", color: "gray" },
} as const;
export type SourceStatus = keyof typeof STATUSES;

export const SourceStatusBadge = ({ status }: { readonly status: SourceStatus }) => (
  <Badge color={STATUSES[status].color} className="status">
    {STATUSES[status].label}
  </Badge>
);
