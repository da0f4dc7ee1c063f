/** Shows a fast answer first, and the exact one as soon as it arrives. */
import type { StatsAccuracy } from "@headwater/contract";
import { keepPreviousData, type Query, useQuery } from "@tanstack/react-query";

interface FastThenExactOptions<Answer> {
  readonly queryKey: readonly unknown[];
  readonly ask: (accuracy: "fast" | "exact", signal: AbortSignal) => Promise<Answer>;
  readonly enabled?: boolean;
  /** Whether the previous answer is shown until the next one arrives. */
  readonly keepsPrevious?: boolean;
  readonly refetchInterval?: (query: Query<Answer>) => number | false;
}

/** @returns the query whose answer is shown. The exact answer is asked for only when the fast one is estimated */
export function useFastThenExact<Answer extends { readonly accuracy: StatsAccuracy }>({
  queryKey,
  ask,
  enabled = true,
  keepsPrevious = true,
  refetchInterval = () => false,
}: FastThenExactOptions<Answer>) {
  const fast = useQuery({
    queryKey: [...queryKey, "fast"],
    queryFn: ({ signal }) => ask("fast", signal),
    enabled,
    refetchInterval,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  });
  const isEstimated = fast.data?.accuracy.exact === false && !fast.isPlaceholderData;
  const exact = useQuery({
    queryKey: [...queryKey, "exact"],
    queryFn: ({ signal }) => ask("exact", signal),
    enabled: enabled && isEstimated,
    refetchInterval,
    // the estimate stays when the exact answer takes too long
    retry: false,
  });
  return exact.data === undefined ? fast : exact;
}
