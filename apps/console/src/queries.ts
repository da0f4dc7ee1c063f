/** Shared TanStack queries, with the keys that mutations invalidate. */
import {
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { ApiFailure, type ApiInput, api, apiWith } from "./api.ts";
import type { CursorPage } from "./ui/paged-table.tsx";

/** Whether a failed query is asked again later. After a 429 it is not: it would count against the same limit. */
export const isRetryable = (error: Error) =>
  error instanceof ApiFailure && error.retryable && error.status !== 429;

/** Refusals that mean that data which the page still shows was changed elsewhere. */
const OUTDATED: Readonly<Record<string, readonly string[]>> = {
  source_not_found: ["source", "sources"],
  permission_denied: ["permissions"],
};

/** Refetches what a refusal has shown to be outdated, such as a source that was deleted in another tab. */
export function refetchOutdated(error: Error, failedKey: readonly unknown[] = []): void {
  const keys = error instanceof ApiFailure ? (OUTDATED[error.code] ?? []) : [];
  // its own refusal is shown already
  for (const key of keys.filter((one) => one !== failedKey[0]))
    void queryClient.invalidateQueries({ queryKey: [key] });
}

/** Without a network a request is sent too: it fails with a message, and a service on this machine answers it. */
const networkMode = "always";

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey }) => refetchOutdated(error, queryKey) }),
  mutationCache: new MutationCache({
    onError: (error) => {
      // without the permission, the input of a form stays, with the message
      if (!(error instanceof ApiFailure && error.code === "permission_denied")) refetchOutdated(error);
    },
  }),
  defaultOptions: {
    queries: {
      networkMode,
      refetchOnReconnect: true,
      // the client of the API retries
      retry: false,
      staleTime: 10_000,
      refetchOnWindowFocus: false,
    },
    mutations: { networkMode },
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

/** Requests all pages of a list, one after the other. */
async function allPages<Page extends CursorPage>(
  fetchPage: (cursor: string | null) => Promise<Page>,
): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor: string | null = null;
  do {
    const page: Page = await fetchPage(cursor);
    pages.push(page);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return pages;
}

/** All sources of the workspace, newest first. */
export const sourcesQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["sources", organizationId],
    queryFn: async ({ signal }) => {
      const pages = await allPages((cursor) =>
        api.listSources({ query: { organizationId, cursor }, signal }),
      );
      return pages.flatMap(({ sources }) => sources);
    },
  });

/** All members of the workspace. */
export const membersQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["members", organizationId, "all"],
    queryFn: async ({ signal }) => {
      const pages = await allPages((cursor) =>
        api.listMembers({ query: { organizationId, cursor }, signal }),
      );
      return pages.flatMap(({ members }) => members);
    },
  });

export const sourceQuery = (sourceId: string) =>
  queryOptions({
    queryKey: ["source", sourceId],
    queryFn: ({ signal }) => api.getSource({ params: { sourceId }, signal }),
  });

/** The facts about a source that everyone who sees its stats may know. */
export const statsSourceQuery = (sourceId: string) =>
  queryOptions({
    queryKey: ["stats", "source", sourceId],
    queryFn: ({ signal }) => api.getStatsSource({ query: { sourceId }, signal }),
  });

/**
 * The health of a source, and how many requests the filters select. The debug page reads the attempts themselves through its
 * attempt log.
 */
export const healthQuery = (sourceId: string, filters: ApiInput<"getDebug">["query"] = {}) =>
  queryOptions({
    queryKey: ["health", sourceId, filters],
    queryFn: ({ signal }) => api.getDebug({ params: { sourceId }, query: { ...filters, limit: 1 }, signal }),
  });

/** The service looks for alerts every minute. */
const ALERTS_REFETCH_MS = 60_000;

/** The open alerts of a source. */
export const alertsQuery = (sourceId: string) =>
  queryOptions({
    queryKey: ["alerts", sourceId],
    queryFn: ({ signal }) => api.listAlerts({ params: { sourceId }, signal }),
    refetchInterval: ALERTS_REFETCH_MS,
  });

/** The counts of the events that the source keeps although it did not store them. */
export const keptQuery = (sourceId: string) =>
  queryOptions({
    queryKey: ["kept", sourceId],
    queryFn: ({ signal }) => api.getQuarantine({ params: { sourceId }, signal }),
  });

const REPLAY_POLL_MS = 1_000;

/** A replay, until it is done. */
export const replayQuery = ({ sourceId, replayId }: { sourceId: string; replayId: string }) =>
  queryOptions({
    queryKey: ["replay", sourceId, replayId],
    queryFn: ({ signal }) => api.getReplay({ params: { sourceId, replayId }, signal }),
    refetchInterval: ({ state: { data } }) => (data?.status === "running" ? REPLAY_POLL_MS : false),
  });

export const useSource = (sourceId: string) => useQuery(sourceQuery(sourceId));

/** @returns a function that refetches every query that shows the source */
export function useInvalidateSource(): (sourceId: string) => Promise<void> {
  const client = useQueryClient();
  return async (sourceId) => {
    const ofSource = ["source", "health", "install", "kept"].map((name) => [name, sourceId]);
    const keys = [...ofSource, ["sources"], ["audit"]];
    await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
  };
}

/** null: the tab is signed in with an access token, which is not a person. */
const orNobody = (error: unknown): null => {
  if (error instanceof ApiFailure && error.code === "permission_denied") return null;
  throw error;
};

/** The user's own name, address and preferences; null: an access token has none. */
export const profileQuery = queryOptions({
  queryKey: ["profile"],
  queryFn: ({ signal }) => api.getProfile({ signal }).catch(orNobody),
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
