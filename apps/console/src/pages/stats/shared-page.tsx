/** The stats page that a share link opens, for people who are not signed in. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { ApiFailure } from "../../api.ts";
import { statsSourceQuery } from "../../queries.ts";
import { session } from "../../session.ts";
import { Brand } from "../../ui/brand.tsx";
import { ColorSchemeControl } from "../../ui/navigation/color-scheme-control.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, QueryResult } from "../../ui/page-states.tsx";
import { Group } from "../../ui/primitives/elements.tsx";
import { GuestProvider } from "../../workspace-context.tsx";
import { LinkPasswordForm } from "./link-password-form.tsx";
import { FirstEventGate } from "./stats-views.tsx";

/** How often a source without events is polled. */
const FIRST_EVENT_POLL_MS = 10_000;

/** The token of the link. When another link is opened in the same tab, the cached data of the first is cleared. */
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

export const SharedPage = () => (
  <LinkPage lead="Visitors and events, shared by link.">
    <header className="shared-head">
      <Group justify="space-between" gap="sm">
        <Brand />
        <ColorSchemeControl />
      </Group>
    </header>
  </LinkPage>
);

/** The same page in a frame on another site, which has a header of its own. */
export function EmbeddedPage() {
  useEffect(reportHeight, []);
  return <LinkPage />;
}

/** Tells the page around the frame how high the content is, now and after each change. @returns a function that stops it */
function reportHeight(): () => void {
  const content = document.getElementById("root")!;
  const observer = new ResizeObserver(() => {
    // the site that shows the frame is not known here, and the height is no secret
    parent.postMessage({ headwaterHeightPx: content.offsetHeight }, "*");
  });
  observer.observe(content);
  return () => observer.disconnect();
}

interface LinkPageProps {
  /** Below the name of the source. */
  readonly lead?: string;
  readonly children?: ReactNode;
}

function LinkPage({ lead, children }: LinkPageProps) {
  const { sourceId = "" } = useSearch({ strict: false }) as { sourceId?: string };
  const token = useToken();
  return (
    <GuestProvider>
      {children}
      <main className="shared content">
        {sourceId !== "" && token !== null ? (
          <SharedStats key={token} sourceId={sourceId} lead={lead} />
        ) : (
          <EmptyState isPage title="Incomplete link">
            Part of this link is missing. Copy the whole link, or ask the person who shared it for a new one.
          </EmptyState>
        )}
      </main>
    </GuestProvider>
  );
}

type LinkTrouble = "invalid" | "locked";

function troubleIn(error: unknown): LinkTrouble | null {
  if (!(error instanceof ApiFailure)) return null;
  if (error.code === "password_required") return "locked";
  return error.status === 401 || error.code === "source_not_found" ? "invalid" : null;
}

/** @returns what any query of the page has found: the link is expired or revoked, or needs its password */
function useLinkTrouble(): [LinkTrouble | null, clear: () => void] {
  const client = useQueryClient();
  const [trouble, setTrouble] = useState<LinkTrouble | null>(null);
  useEffect(
    () =>
      client.getQueryCache().subscribe(({ query }) => {
        const found = troubleIn(query.state.error);
        if (found !== null) setTrouble(found);
      }),
    [client],
  );
  const clear = useCallback(() => {
    setTrouble(null);
    void client.resetQueries();
  }, [client]);
  return [trouble, clear];
}

interface SharedStatsProps {
  readonly sourceId: string;
  readonly lead: string | undefined;
}

function SharedStats({ sourceId, lead }: SharedStatsProps) {
  const query = useQuery({
    ...statsSourceQuery(sourceId),
    refetchInterval: ({ state: { data } }) => (data?.lastEventAt === null ? FIRST_EVENT_POLL_MS : false),
  });
  const [trouble, clear] = useLinkTrouble();
  const current = trouble ?? troubleIn(query.error);
  if (current === "locked") return <LinkPasswordForm onUnlocked={clear} />;
  if (current === "invalid")
    return (
      <EmptyState isPage title="This link no longer works">
        It has expired or was revoked. Ask the person who shared it for a new one.
      </EmptyState>
    );
  if (query.error instanceof ApiFailure && query.error.code === "permission_denied")
    return (
      <EmptyState isPage title="Wrong source">
        This link was created for another source. Copy the whole link, or ask the person who shared it for a
        new one.
      </EmptyState>
    );
  return (
    <QueryResult query={query}>
      {({ name, lastEventAt }) => (
        <Page title={name} section="Stats" lead={lead}>
          <FirstEventGate sourceId={sourceId} lastEventAt={lastEventAt}>
            <EmptyState title="No events yet">Stats appear as soon as the first event arrives.</EmptyState>
          </FirstEventGate>
        </Page>
      )}
    </QueryResult>
  );
}
