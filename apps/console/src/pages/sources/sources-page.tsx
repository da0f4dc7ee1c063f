/** The list of the workspace's sources, each with its status, last event and last 24 hours. */

import type { Source } from "@headwater/contract";
import { Group, Paper, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api.ts";
import { healthQuery } from "../../queries.ts";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ErrorAlert, Loading } from "../../ui/page-states.tsx";
import { usePagedQuery } from "../../ui/paged-table.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { ShowMoreButton } from "../../ui/show-more-button.tsx";
import { type SourceStatus, SourceStatusBadge } from "../../ui/source-status.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { DaySummary } from "./day-summary.tsx";
import { SetupChecklist } from "./setup-checklist.tsx";

/** One or two screens. Each row requests the health of its source. */
const PAGE_SIZE = 25;

export function SourcesPage() {
  const { organizationId, can } = useWorkspace();
  const query = usePagedQuery(["sources", organizationId], (cursor, signal) =>
    api.listSources({ query: { organizationId, limit: PAGE_SIZE, cursor }, signal }),
  );
  const sources = query.data?.pages.flatMap((page) => page.sources) ?? [];
  const create = can("sources:write") && <ButtonLink to="/sources/new">Create source</ButtonLink>;
  return (
    <Page
      title="Sources"
      lead="A source is a site or app that sends events."
      actions={sources.length > 0 && create}
    >
      <SetupChecklist />
      {query.isPending && <Loading />}
      {query.error && <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && sources.length === 0 && (
        <EmptyState title="No sources yet" action={create}>
          {can("sources:write")
            ? "Create a source for your site or app, add its snippet, and watch the first page view arrive."
            : "Your role cannot create sources. Ask a developer of this workspace to create one."}
        </EmptyState>
      )}
      <Stack gap="sm" component="ul" className="plain-list">
        {sources.map((source) => (
          <SourceRow key={source.sourceId} source={source} />
        ))}
      </Stack>
      <ShowMoreButton query={query} />
    </Page>
  );
}

/** @param health undefined when the user may not see attempts; the status then comes from the source itself */
const statusOf = (source: Source, health: SourceStatus | undefined): SourceStatus => {
  if (!source.isActive) return "off";
  return health ?? (source.lastEventAt === null ? "waiting" : "receiving");
};

function SourceRow({ source }: { readonly source: Source }) {
  const { can } = useWorkspace();
  const { sourceId, name, allowedOrigins, lastEventAt } = source;
  const health = useQuery({ ...healthQuery(sourceId), enabled: can("debug:read") }).data?.health;
  const isNew = source.lastBootstrapAt === null && lastEventAt === null;
  return (
    <Paper withBorder p="md" component="li" className="source-row">
      <div className="source-name">
        <TextLink
          to={isNew ? "/analytics/setup/install" : "/analytics/stats"}
          search={{ sourceId }}
          fw={650}
          className="wrap"
        >
          {name}
        </TextLink>
        <Text size="sm" c="dimmed" className="wrap" lineClamp={2}>
          {allowedOrigins.length === 0 ? "No allowed origins" : allowedOrigins.join(", ")}
        </Text>
      </div>
      <Group gap="lg" className="source-facts">
        <SourceStatusBadge status={statusOf(source, health?.status)} />
        <Text size="sm" w={128}>
          <Text span c="dimmed" size="sm" display="block">
            Last event
          </Text>
          <RelativeTime at={lastEventAt} />
        </Text>
        {health && <DaySummary day={health.last24h} sourceId={sourceId} />}
        <SourceLinks sourceId={sourceId} name={name} />
      </Group>
    </Paper>
  );
}

function SourceLinks({ sourceId, name }: { readonly sourceId: string; readonly name: string }) {
  const { can } = useWorkspace();
  const search = { sourceId };
  return (
    <Group gap="sm" role="group" aria-label={name}>
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
    </Group>
  );
}
