/** The stats of all sources of a workspace together. */
import type { Source } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { sourcesQuery } from "../../queries.ts";
import { pluralize } from "../../ui/format-count.ts";
import { ButtonLink } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, QueryResult } from "../../ui/page-states.tsx";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { SourceSwitcher } from "../sources/source-switcher.tsx";
import { nameSites } from "./lists/value-names.ts";
import { StatsViews } from "./stats-views.tsx";

export function AllSourcesPage() {
  const { organizationId: given } = useSearch({ strict: false }) as { organizationId?: string };
  const { organizationId, select } = useWorkspace();
  useEffect(() => {
    // a link may lead to another of the user's workspaces
    if (given !== undefined) select(given);
  }, [given, select]);
  const query = useQuery(sourcesQuery(organizationId));
  return (
    <RequirePermission permission="stats:read">
      <QueryResult query={query}>{(sources) => <AllStats sources={sources} />}</QueryResult>
    </RequirePermission>
  );
}

function AllStats({ sources }: { readonly sources: readonly Pick<Source, "sourceId" | "name">[] }) {
  const target = useMemo(() => ({ sourceIds: sources.map(({ sourceId }) => sourceId) }), [sources]);
  nameSites(sources);
  if (sources.length === 0)
    return (
      <EmptyState isPage title="No sources yet" action={<ButtonLink to="/sources">Go to sources</ButtonLink>}>
        Create a source. Stats appear as soon as it has events.
      </EmptyState>
    );
  const count = pluralize(sources.length, "source");
  return (
    <Page
      title="All sources"
      section="Stats"
      beside={<SourceSwitcher selected={null} />}
      lead={
        sources.length > 1
          ? `${count}. A visitor with the same ID in several sources is counted once.`
          : count
      }
    >
      <StatsViews target={target} />
    </Page>
  );
}
