/** How a source is, in a word and a colour. */
import { Badge } from "@mantine/core";

export const STATUSES = {
  receiving: { label: "Receiving", color: "green" },
  waiting: { label: "Waiting", color: "gray" },
  failing: { label: "Failing", color: "red" },
  off: { label: "Switched off", color: "yellow" },
} as const;
export type Status = keyof typeof STATUSES;

export const SourceStatusBadge = ({ status }: { readonly status: Status }) => (
  <Badge variant="light" color={STATUSES[status].color} size="lg" tt="none" className="status">
    {STATUSES[status].label}
  </Badge>
);
