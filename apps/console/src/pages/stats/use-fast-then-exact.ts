/** Shows a fast answer first, and the exact one as soon as it arrives. */
import type { StatsAccuracy } from "@headwater/contract";
import { keepPreviousData, type Query, useQuery } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { queryClient } from "../../queries.ts";

/** One answer often leads to the next questions: they are asked within this time. */
const SETTLED_MS = 100;
const isFast = ({ queryKey }: { readonly queryKey: readonly unknown[] }) => queryKey.at(-1) === "fast";

/** Whether no fast answer is being asked for. Counted once for all lists and figures of the page. */
let isSettled = true;
const settledListeners = new Set<() => void>();
queryClient.getQueryCache().subscribe(({ query }) => {
  if (!isFast(query)) return;
  const before = isSettled;
  isSettled = queryClient.isFetching({ predicate: isFast }) === 0;
  if (isSettled !== before) for (const listener of settledListeners) listener();
});
function onSettledChange(listener: () => void): () => void {
  settledListeners.add(listener);
  return () => settledListeners.delete(listener);
}

/** Whether all fast answers of the page are there. Exact answers wait for that, because they take the warehouse ten times as long. */
function useFastAnswersShown(): boolean {
  const isSettledNow = useSyncExternalStore(onSettledChange, () => isSettled);
  // a component that has just appeared does not know yet what the others beside it ask for
  const [wasSettled, setWasSettled] = useState(false);
  useEffect(() => {
    if (!isSettledNow) return;
    const timer = setTimeout(() => setWasSettled(true), SETTLED_MS);
    return () => {
      clearTimeout(timer);
      setWasSettled(false);
    };
  }, [isSettledNow]);
  return isSettledNow && wasSettled;
}

interface FastThenExactRequest<Answer> {
  readonly queryKey: readonly unknown[];
  readonly ask: (accuracy: "fast" | "exact", signal: AbortSignal) => Promise<Answer>;
}

interface FastThenExactOptions<Answer> extends FastThenExactRequest<Answer> {
  readonly enabled?: boolean;
  /** Only the exact answer is asked for. */
  readonly isExact?: boolean;
  /** Whether the previous answer is shown until the next one arrives. */
  readonly keepsPrevious?: boolean;
  readonly refetchInterval?: (query: Query<Answer>) => number | false;
}

const fastQuery = <Answer>({ queryKey, ask }: FastThenExactRequest<Answer>) => ({
  queryKey: [...queryKey, "fast"],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => ask("fast", signal),
});

/** Asks for the fast answer, unless there is one, for `useFastThenExact`, which also shows a failure. */
export const prefetchFast = <Answer>(request: FastThenExactRequest<Answer>): Promise<void> =>
  queryClient.prefetchQuery({ ...fastQuery(request), staleTime: Number.POSITIVE_INFINITY });

/** @returns the query whose answer is shown. The exact answer is asked for only when the fast one is estimated, or with `isExact` */
export function useFastThenExact<Answer extends { readonly accuracy: StatsAccuracy }>({
  queryKey,
  ask,
  enabled = true,
  isExact = false,
  keepsPrevious = true,
  refetchInterval = () => false,
}: FastThenExactOptions<Answer>) {
  const placeholder = keepsPrevious && { placeholderData: keepPreviousData };
  const fast = useQuery({
    ...fastQuery({ queryKey, ask }),
    enabled: enabled && !isExact,
    refetchInterval,
    ...placeholder,
  });
  const fastAnswersShown = useFastAnswersShown();
  const isEstimated = fast.data?.accuracy.exact === false && !fast.isPlaceholderData;
  const exact = useQuery({
    queryKey: [...queryKey, "exact"],
    queryFn: ({ signal }) => ask("exact", signal),
    enabled: enabled && (isExact || isEstimated) && fastAnswersShown,
    refetchInterval,
    // the estimate stays when the exact answer takes too long
    ...(isExact ? placeholder : { retry: false }),
  });
  return isExact || exact.data !== undefined ? exact : fast;
}
