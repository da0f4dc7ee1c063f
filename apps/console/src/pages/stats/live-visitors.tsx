/** A button with the number of current visitors, refetched while the page is open. It opens the real-time view. */
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { isRetryable } from "../../queries.ts";
import { formatCount } from "../../ui/format-count.ts";

const REFETCH_MS = 10_000;

export const useLiveStats = (sourceId: string) =>
  useQuery({
    queryKey: ["stats", "live", sourceId],
    queryFn: ({ signal }) => api.getLive({ query: { sourceId }, signal }),
    refetchInterval: ({ state: { error } }) => (error === null || isRetryable(error) ? REFETCH_MS : false),
  });

interface LiveVisitorsProps {
  readonly sourceId: string;
  readonly onOpen: () => void;
}

export function LiveVisitors({ sourceId, onOpen }: LiveVisitorsProps) {
  const { data, error } = useLiveStats(sourceId);
  // no number is better than an old one; the stats below show the error
  if (error) return null;
  if (!data) return <span className="live-loading" />;
  return (
    <button
      type="button"
      className="live"
      data-live={data.visitors > 0 ? "yes" : undefined}
      title={`In the last ${Math.round(data.windowSeconds / 60)} minutes`}
      onClick={onOpen}
    >
      {formatCount(data.visitors)}
      <span className="live-text"> current visitor{data.visitors === 1 ? "" : "s"}</span>
      <span className="live-short" aria-hidden>
        {" "}
        online
      </span>
    </button>
  );
}
