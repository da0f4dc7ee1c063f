/** Shows the stats of a source once it has events: received ones, or imported ones, of which the source itself does not know. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "../../api.ts";
import { Loading } from "../../ui/page-states.tsx";
import { StatsViews } from "./stats-views.tsx";
import { EARLIEST_DAY, shiftDay, todayIn } from "./view-range.ts";

interface FirstEventGateProps {
  readonly sourceId: string;
  /** Null before the first event was received. */
  readonly lastEventAt: string | null;
  /** Shown while there are no events. */
  readonly children: ReactNode;
}

export function FirstEventGate({ sourceId, lastEventAt, children }: FirstEventGateProps) {
  const imported = useQuery({
    queryKey: ["stats", "imported", sourceId],
    queryFn: ({ signal }) => {
      const dateRange: [string, string] = [EARLIEST_DAY, shiftDay(todayIn("UTC", Date.now()), 1)];
      const include = { bots: true, excluded: false };
      return api.queryStats({ body: { sourceId, dateRange, metrics: ["events"], include }, signal });
    },
    enabled: lastEventAt === null,
  });
  const events = imported.data?.results[0]?.metrics[0] ?? 0;
  if (lastEventAt !== null || events > 0) return <StatsViews sourceId={sourceId} />;
  return imported.isPending ? <Loading /> : children;
}
