/** The numbers of one source for whoever has the link to them, and nothing else. */
import { Group } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { ApiError, callApi } from "../../api.ts";
import { session } from "../../session.ts";
import { Brand } from "../../ui/brand.tsx";
import { ColorSchemeControl } from "../../ui/color-scheme-control.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, QueryResult } from "../../ui/page-states.tsx";
import { GuestProvider } from "../../workspace-context.tsx";
import { StatsViews } from "./stats-views.tsx";

/** A first event is looked for this often. */
const FIRST_EVENT_MS = 10_000;

/** Of the link; another one in the same tab is another fragment, and nothing that the first one opened is kept. */
function useToken(): string | null {
  const client = useQueryClient();
  const subscribe = useCallback(
    (onChange: () => void) => {
      const changed = () => {
        client.clear();
        onChange();
      };
      addEventListener("hashchange", changed);
      return () => removeEventListener("hashchange", changed);
    },
    [client],
  );
  return useSyncExternalStore(subscribe, session.token);
}

export function SharedPage() {
  const { sourceId = "" } = useSearch({ strict: false }) as { sourceId?: string };
  const token = useToken();
  return (
    <GuestProvider>
      <header className="shared-head">
        <Group justify="space-between" gap="sm">
          <Brand />
          <ColorSchemeControl />
        </Group>
      </header>
      <main className="shared content">
        {sourceId !== "" && token !== null ? (
          <SharedStats key={token} sourceId={sourceId} />
        ) : (
          <EmptyState title="This link is not whole">
            A part of it is missing, perhaps its end. Copy all of it once more, or ask whoever gave it to you.
          </EmptyState>
        )}
      </main>
    </GuestProvider>
  );
}

const isOver = (error: unknown) =>
  error instanceof ApiError && (error.status === 401 || error.code === "source_not_found");

/** Whether any question has been answered so, also one of a view that is open. */
function useIsOver(): boolean {
  const cache = useQueryClient().getQueryCache();
  const [wasOver, setOver] = useState(false);
  useEffect(() => cache.subscribe(({ query }) => isOver(query.state.error) && setOver(true)), [cache]);
  return wasOver;
}

function SharedStats({ sourceId }: { readonly sourceId: string }) {
  const query = useQuery({
    queryKey: ["stats", "source", sourceId],
    queryFn: ({ signal }) => callApi("getStatsSource", { query: { sourceId }, signal }),
    refetchInterval: ({ state: { data } }) => (data?.lastEventAt === null ? FIRST_EVENT_MS : false),
  });
  const wasOver = useIsOver();
  if (wasOver || isOver(query.error))
    return (
      <EmptyState title="This link works no more">
        It has expired or was taken back. Whoever gave it to you can give you a new one.
      </EmptyState>
    );
  if (query.error instanceof ApiError && query.error.code === "permission_denied")
    return (
      <EmptyState title="This link is of other numbers">
        Its address names another source than it was made for. Copy all of it once more, or ask whoever gave
        it to you.
      </EmptyState>
    );
  return (
    <QueryResult query={query}>
      {({ name, lastEventAt }) => (
        <Page title={name} lead="What the events come to">
          {lastEventAt === null ? (
            <EmptyState title="No event yet">
              The numbers are here as soon as the first event has come.
            </EmptyState>
          ) : (
            <StatsViews sourceId={sourceId} />
          )}
        </Page>
      )}
    </QueryResult>
  );
}
