/** Shared TanStack queries, with the keys that mutations invalidate. */
import { QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiFailure, api, apiWith } from "./api.ts";

/** Whether a failed query is asked again later. After a 429 it is not: it would count against the same limit. */
export const isRetryable = (error: Error) =>
  error instanceof ApiFailure && error.retryable && error.status !== 429;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // the client of the API retries
      retry: false,
      staleTime: 10_000,
      refetchOnWindowFocus: false,
    },
  },
});

export const organizationsQuery = queryOptions({
  queryKey: ["organizations"],
  queryFn: ({ signal }) => api.listOrganizations({ signal }),
});

export const permissionsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["permissions", organizationId],
    queryFn: ({ signal }) => api.getPermissions({ query: { organizationId }, signal }),
  });

export const sourceQuery = (sourceId: string) =>
  queryOptions({
    queryKey: ["source", sourceId],
    queryFn: ({ signal }) => api.getSource({ params: { sourceId }, signal }),
  });

/** What everyone who sees the stats of a source may know about it. */
export const statsSourceQuery = (sourceId: string) =>
  queryOptions({
    queryKey: ["stats", "source", sourceId],
    queryFn: ({ signal }) => api.getStatsSource({ query: { sourceId }, signal }),
  });

/** The health of a source. The debug page reads the attempts themselves through its attempt log. */
export const healthQuery = (sourceId: string) =>
  queryOptions({
    queryKey: ["health", sourceId],
    queryFn: ({ signal }) => api.getDebug({ params: { sourceId }, query: { limit: 1 }, signal }),
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

/** The user's own name, address and preferences. */
export const profileQuery = queryOptions({
  queryKey: ["profile"],
  queryFn: ({ signal }) => api.getProfile({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** How people can sign in, besides an access token. */
export const signInMethodsQuery = queryOptions({
  queryKey: ["sign-in-methods"],
  queryFn: ({ signal }) => apiWith(null).getSignInMethods({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const supportQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["support", organizationId],
    queryFn: ({ signal }) => api.getSupport({ query: { organizationId }, signal }),
  });
