/** The list of the workspace's sources, each with its status, last event and last 24 hours. */

import type { Source } from "@headwater/contract";
import { Group, NativeSelect, Paper, Text, TextInput, VisuallyHidden } from "@mantine/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiAnswer } from "../../api.ts";
import { healthQuery, sourcesQuery } from "../../queries.ts";
import { Icon } from "../../ui/icon.tsx";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ErrorAlert, Loading } from "../../ui/page-states.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { ShowMoreButton } from "../../ui/show-more-button.tsx";
import { type SourceStatus, SourceStatusBadge } from "../../ui/source-status.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { meaningOf } from "../debug/attempt-summary.ts";
import { DayLegend, DaySummary } from "./day-summary.tsx";
import { SetupChecklist, useOnboarding } from "./setup-checklist.tsx";
import { byStatus, SOURCE_ORDERS, type SourceOrder, selectSources } from "./source-order.ts";

/** How many sources are listed at first: one or two screens. Each row requests the health of its source. */
const SHOWN = 25;

/** From how many sources on there is a search. */
const MIN_SEARCHED = 5;

export function SourcesPage() {
  const { organizationId, can } = useWorkspace();
  const onboarding = useOnboarding();
  const query = useQuery(sourcesQuery(organizationId));
  const { data: sources = [] } = query;
  const create = can("sources:write") && <ButtonLink to="/sources/new">Create source</ButtonLink>;
  const all = sources.length > 1 && can("stats:read") && (
    <ButtonLink to="/analytics/all" search={{ organizationId }} variant="default">
      Stats of all sources
    </ButtonLink>
  );
  // the checklist above the list loads first, so that the list does not move
  if (query.isPending || onboarding.isLoading)
    return (
      <Page title="Sources" actions={null}>
        <Loading />
      </Page>
    );
  return (
    <Page
      title="Sources"
      actions={
        sources.length > 0 && (
          <Group gap="xs">
            {all}
            {create}
          </Group>
        )
      }
    >
      {onboarding.data && !onboarding.data.completed && <SetupChecklist steps={onboarding.data.steps} />}
      {query.error && <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && sources.length === 0 && (
        <EmptyState title="No sources yet" action={create}>
          {can("sources:write")
            ? "Create a source for your site or app, add its snippet, and watch the first page view arrive."
            : "Your role cannot create sources. Ask a developer of this workspace to create one."}
        </EmptyState>
      )}
      {sources.length > 0 && <SourceList sources={sources} />}
    </Page>
  );
}

type SourceHealth = ApiAnswer<"getDebug">["health"];

interface SourceWithHealth extends Source {
  readonly status: SourceStatus;
  readonly health: SourceHealth | undefined;
}

/** @returns the sources with their health, whether one health is still loading, and a query that failed */
function useHealth(sources: readonly Source[]) {
  const { can } = useWorkspace();
  const enabled = can("debug:read");
  const queries = useQueries({
    queries: sources.map(({ sourceId }) => ({ ...healthQuery(sourceId), enabled })),
  });
  const listed = sources.map((source, index): SourceWithHealth => {
    const health = queries[index]?.data?.health;
    return { ...source, health, status: statusOf(source, health?.status) };
  });
  return {
    listed,
    isLoading: queries.some((query) => query.isLoading),
    failed: queries.find(({ error }) => error !== null),
  };
}

function SourceList({ sources }: { readonly sources: readonly Source[] }) {
  const { can } = useWorkspace();
  const [search, setSearch] = useState("");
  const [order, setOrder] = useState<SourceOrder>("status");
  const [count, setCount] = useState(SHOWN);
  const found = selectSources(sources, search, order);
  const { listed, isLoading, failed } = useHealth(found.slice(0, count));
  // the order depends on the health, and rows do not move once they are shown
  const [isReady, setReady] = useState(false);
  if (!isReady && !isLoading) setReady(true);
  if (!isReady) return <Loading />;
  const shown = order === "status" && !isLoading ? listed.toSorted(byStatus) : listed;
  return (
    <>
      {sources.length >= MIN_SEARCHED && (
        <div className="list-tools">
          <TextInput
            aria-label="Search sources"
            placeholder="Search by name or origin"
            leftSection={<Icon name="search" />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
          <NativeSelect
            aria-label="Order"
            data={[...SOURCE_ORDERS]}
            value={order}
            // the options are orders
            onChange={(event) => setOrder(event.currentTarget.value as SourceOrder)}
          />
        </div>
      )}
      {failed?.error && <ErrorAlert error={failed.error} onRetry={() => void failed.refetch()} />}
      {shown.length === 0 && <Text c="dimmed">No source contains “{search}”.</Text>}
      {shown.length > 0 && <SourceTable sources={shown} />}
      <ShowMoreButton
        query={{
          hasNextPage: found.length > count,
          isFetchingNextPage: isLoading,
          fetchNextPage: () => setCount(count + SHOWN),
        }}
      />
      {can("debug:read") && <DayLegend />}
    </>
  );
}

function SourceTable({ sources }: { readonly sources: readonly SourceWithHealth[] }) {
  const { can } = useWorkspace();
  return (
    <Paper withBorder>
      <table className="source-table">
        <thead>
          <tr>
            <th>Source</th>
            <th className="source-status">Status</th>
            <th className="source-last">Last event</th>
            {can("debug:read") && <th className="source-day">Events, 24 hours</th>}
            <th>
              <VisuallyHidden>Pages</VisuallyHidden>
            </th>
          </tr>
        </thead>
        <tbody>
          {sources.map((source) => (
            <SourceRow key={source.sourceId} source={source} />
          ))}
        </tbody>
      </table>
    </Paper>
  );
}

/** @param health undefined when the user may not see attempts; the status then comes from the source itself */
const statusOf = (source: Source, health: SourceStatus | undefined): SourceStatus => {
  if (!source.isActive) return "off";
  return health ?? (source.lastEventAt === null ? "waiting" : "receiving");
};

function SourceRow({ source }: { readonly source: SourceWithHealth }) {
  const { can } = useWorkspace();
  const { sourceId, name, allowedOrigins, lastEventAt, health, status } = source;
  const isNew = source.lastBootstrapAt === null && lastEventAt === null;
  const origins = allowedOrigins.length === 0 ? "No allowed origins" : allowedOrigins.join(", ");
  const reason = status === "failing" ? health?.topCodes[0]?.code : undefined;
  return (
    <tr>
      <td className="source-name">
        <TextLink
          to={isNew ? "/analytics/setup/install" : "/analytics/stats"}
          search={{ sourceId }}
          fw={600}
          size="md"
          truncate
          display="block"
          title={name}
        >
          {name}
        </TextLink>
        <Text size="sm" c="dimmed" truncate title={origins}>
          {origins.replaceAll("https://", "")}
        </Text>
      </td>
      <td className="source-state">
        <SourceStatusBadge status={status} />
        {reason !== undefined && (
          <TextLink
            to="/analytics/setup/debug"
            search={{ sourceId, code: reason }}
            size="sm"
            className="source-reason"
          >
            {meaningOf(reason)}
          </TextLink>
        )}
      </td>
      <td className="source-last">
        <RelativeTime at={lastEventAt} />
      </td>
      {can("debug:read") && <td>{health && <DaySummary day={health.last24h} sourceId={sourceId} />}</td>}
      <td className="source-pages">
        <SourceLinks sourceId={sourceId} name={name} />
      </td>
    </tr>
  );
}

function SourceLinks({ sourceId, name }: { readonly sourceId: string; readonly name: string }) {
  const { can } = useWorkspace();
  const search = { sourceId };
  return (
    <fieldset className="source-links" aria-label={name}>
      <TextLink to="/analytics/stats" search={search} size="sm">
        Stats
      </TextLink>
      <TextLink to="/analytics/setup/install" search={search} size="sm">
        Install
      </TextLink>
      {can("debug:read") && (
        <TextLink to="/analytics/setup/debug" search={search} size="sm">
          Debug
        </TextLink>
      )}
      {can("sources:write") && (
        <TextLink to="/sources/settings" search={search} size="sm">
          Settings
        </TextLink>
      )}
    </fieldset>
  );
}
