/** The stats of all sources of a workspace together. */
import { LIMITS } from "@headwater/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { type ApiAnswer, api } from "../../api.ts";
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
  const query = useQuery({
    queryKey: ["sources", organizationId, "latest"],
    queryFn: ({ signal }) =>
      api.listSources({
        // as many as a query of stats can have
        query: { organizationId, order: "lastEvent", limit: LIMITS.maxStatsSources },
        signal,
      }),
  });
  return (
    <RequirePermission permission="stats:read">
      <QueryResult query={query}>{(list) => <AllStats list={list} />}</QueryResult>
    </RequirePermission>
  );
}

function AllStats({ list: { sources: counted, statuses } }: { readonly list: ApiAnswer<"listSources"> }) {
  const target = useMemo(() => ({ sourceIds: counted.map(({ sourceId }) => sourceId) }), [counted]);
  const count = Object.values(statuses).reduce((sum, one) => sum + one, 0);
  nameSites(counted);
  if (counted.length === 0)
    return (
      <EmptyState isPage title="No sources yet" action={<ButtonLink to="/sources">Go to sources</ButtonLink>}>
        Create a source. Stats appear as soon as it has events.
      </EmptyState>
    );
  const which =
    counted.length < count
      ? `Only the ${counted.length} sources with the latest events are included`
      : pluralize(counted.length, "source");
  return (
    <Page
      title="All sources"
      section="Stats"
      beside={<SourceSwitcher selected={null} />}
      lead={count > 1 ? `${which}. A visitor with the same ID in several sources is counted once.` : which}
    >
      <StatsViews target={target} />
    </Page>
  );
}
