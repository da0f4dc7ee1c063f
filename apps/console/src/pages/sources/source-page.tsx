/** The frame of a source's pages: name, status, and tabs to the other pages. */
import type { Permission, Source } from "@headwater/contract";
import { Link, useSearch } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { ApiFailure } from "../../api.ts";
import { useSource } from "../../queries.ts";
import { ButtonLink } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, QueryResult } from "../../ui/page-states.tsx";
import { SOURCE_PAGES } from "../../ui/pages.ts";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { SourceStatusBadge } from "../../ui/source-status.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { SourceSwitcher } from "./source-switcher.tsx";

interface SourcePageProps {
  readonly title: string;
  readonly permission: Permission;
  /** The tab to which a page without its own tab belongs. */
  readonly tab?: string;
  readonly children: (source: Source) => ReactNode;
}

export function SourcePage({ title, permission, tab, children }: SourcePageProps) {
  const { sourceId = "" } = useSearch({ strict: false }) as { sourceId?: string };
  if (sourceId === "")
    return (
      <EmptyState isPage title="No source selected" action={TO_SOURCES}>
        Choose one from the list of sources.
      </EmptyState>
    );
  return (
    <LoadedSource
      key={sourceId}
      sourceId={sourceId}
      title={title}
      permission={permission}
      tab={tab}
      render={children}
    />
  );
}

const TO_SOURCES = <ButtonLink to="/sources">Go to sources</ButtonLink>;

interface LoadedSourceProps {
  readonly sourceId: string;
  readonly title: string;
  readonly permission: Permission;
  readonly tab: string | undefined;
  readonly render: (source: Source) => ReactNode;
}

function LoadedSource({ sourceId, title, permission, tab, render }: LoadedSourceProps) {
  const query = useSource(sourceId);
  const { select } = useWorkspace();
  const organizationId = query.data?.organizationId;
  useEffect(() => {
    // a link may lead to a source of another of the user's workspaces
    if (organizationId !== undefined) select(organizationId);
  }, [organizationId, select]);
  if (query.error instanceof ApiFailure && query.error.code === "source_not_found")
    return (
      <EmptyState isPage title="Source not found" action={TO_SOURCES}>
        The source may have been deleted, or the link is incomplete.
      </EmptyState>
    );
  return (
    <QueryResult query={query}>
      {(source) => (
        <Page
          title={source.name}
          section={title}
          beside={
            <>
              <SourceSwitcher selected={sourceId} />
              {!source.isActive && <SourceStatusBadge status="off" />}
            </>
          }
          actions={<SourceTabs sourceId={sourceId} tab={tab} />}
        >
          <RequirePermission permission={permission}>{render(source)}</RequirePermission>
        </Page>
      )}
    </QueryResult>
  );
}

/** The width of the fade over the tabs that are cut off. */
const FADE_PX = 20;

function SourceTabs({ sourceId, tab }: Pick<LoadedSourceProps, "sourceId" | "tab">) {
  const { can } = useWorkspace();
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const nav = tabs.current;
    const current = nav?.querySelector<HTMLElement>("[aria-current]");
    if (!nav || !current) return;
    // on a small phone the last tabs are outside the window
    const observer = new ResizeObserver(() => {
      const end = current.offsetLeft - nav.offsetLeft + current.offsetWidth + FADE_PX;
      nav.scrollLeft = end - nav.clientWidth;
    });
    observer.observe(nav);
    return () => observer.disconnect();
  }, []);
  return (
    <nav ref={tabs} className="page-tabs" aria-label="Source pages">
      {SOURCE_PAGES.filter((one) => can(one.permission)).map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          search={{ sourceId }}
          activeOptions={{ includeSearch: false }}
          {...(to === tab && { "aria-current": "true" })}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
