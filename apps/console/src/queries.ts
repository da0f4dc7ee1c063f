/** Shared TanStack queries, with the keys that mutations invalidate. */
import { QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError, callApi } from "./api.ts";

/** Whether a failed query is worth repeating. A 429 is not: the repeat would count against the same limit. */
export const isRetryable = (error: Error) =>
  error instanceof ApiError && error.retryable && error.status !== 429;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 1 && isRetryable(error),
      staleTime: 10_000,
      refetchOnWindowFocus: false,
    },
  },
});

export const organizationsQuery = queryOptions({
  queryKey: ["organizations"],
  queryFn: ({ signal }) => callApi("listOrganizations", { signal }),
});

export const permissionsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["permissions", organizationId],
    queryFn: ({ signal }) => callApi("getPermissions", { query: { organizationId }, signal }),
  });

export const sourceQuery = (sourceId: string) =>
  queryOptions({
    queryKey: ["source", sourceId],
    queryFn: ({ signal }) => callApi("getSource", { params: { sourceId }, signal }),
  });

/** What everyone who sees the stats of a source may know about it. */
export const statsSourceQuery = (sourceId: string) =>
  queryOptions({
    queryKey: ["stats", "source", sourceId],
    queryFn: ({ signal }) => callApi("getStatsSource", { query: { sourceId }, signal }),
  });

/** The health of a source. The debug page reads the attempts themselves through its attempt log. */
export const healthQuery = (sourceId: string) =>
  queryOptions({
    queryKey: ["health", sourceId],
    queryFn: ({ signal }) => callApi("getDebug", { params: { sourceId }, query: { limit: 1 }, signal }),
  });

export const useSource = (sourceId: string) => useQuery(sourceQuery(sourceId));

/** @returns a function that refetches every query that shows the source */
export function useInvalidateSource(): (sourceId: string) => Promise<void> {
  const client = useQueryClient();
  return async (sourceId) => {
    const keys = [["source", sourceId], ["health", sourceId], ["install", sourceId], ["sources"], ["audit"]];
    await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
  };
}

export const supportQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["support", organizationId],
    queryFn: ({ signal }) => callApi("getSupport", { query: { organizationId }, signal }),
  });
