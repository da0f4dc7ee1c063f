/** The number of current visitors, refetched while the page is open. */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { isRetryable } from "../../queries.ts";
import { pluralize } from "../../ui/format-count.ts";

const REFETCH_MS = 10_000;

export function LiveVisitors({ sourceId }: { readonly sourceId: string }) {
  const { data, error } = useQuery({
    queryKey: ["stats", "live", sourceId],
    queryFn: ({ signal }) => api.getLive({ query: { sourceId }, signal }),
    refetchInterval: ({ state: { error } }) => (error === null || isRetryable(error) ? REFETCH_MS : false),
  });
  // an outdated number would be wrong; the stats below show the error
  if (!data || error) return null;
  return (
    <Text size="sm" className="live" data-live={data.visitors > 0 ? "yes" : undefined} role="status">
      {pluralize(data.visitors, "visitor")} in the last {Math.round(data.windowSeconds / 60)} minutes
    </Text>
  );
}
