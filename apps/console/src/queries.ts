/** What the pages read, each under the key that a change of it is announced with. */
import { QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError, callApi } from "./api.ts";

/** Whether the service says that one more try may help. */
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

/** Health, limits and a word about each; the attempts themselves come by the log. */
export const healthQuery = (sourceId: string) =>
  queryOptions({
    queryKey: ["health", sourceId],
    queryFn: ({ signal }) => callApi("getDebug", { params: { sourceId }, query: { limit: 1 }, signal }),
  });

export const useSource = (sourceId: string) => useQuery(sourceQuery(sourceId));

/** What shows a source, and what lists it, is read again. */
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
