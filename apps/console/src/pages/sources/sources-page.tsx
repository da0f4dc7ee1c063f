/** The sources of the workspace: how each is, its last event, and what became of its last day's attempts. */

import type { Source } from "@headwater/contract";
import { Group, Paper, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { callApi } from "../../api.ts";
import { healthQuery } from "../../queries.ts";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ErrorAlert, Loading } from "../../ui/page-states.tsx";
import { usePagedQuery } from "../../ui/paged-table.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { ShowMoreButton } from "../../ui/show-more-button.tsx";
import { SourceStatusBadge, type Status } from "../../ui/source-status.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { DaySummary } from "./day-summary.tsx";
import { SetupChecklist } from "./setup-checklist.tsx";

/** As many as a screen or two show; each asks for its health. */
const PAGE_SIZE = 25;

export function SourcesPage() {
  const { organizationId, can } = useWorkspace();
  const query = usePagedQuery(["sources", organizationId], (place, signal) =>
    callApi("listSources", { query: { organizationId, limit: PAGE_SIZE, ...place }, signal }),
  );
  const sources = query.data?.pages.flatMap((page) => page.sources) ?? [];
  const create = can("sources:write") && <ButtonLink to="/sources/new">Create a source</ButtonLink>;
  return (
    <Page
      title="Sources"
      lead="Each is one application that sends its events here."
      actions={sources.length > 0 && create}
    >
      <SetupChecklist />
      {query.isPending && <Loading />}
      {query.error && <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && sources.length === 0 && (
        <EmptyState title="No source yet" action={create}>
          {can("sources:write")
            ? "Create one for your site or application, paste its snippet, and see the first page view arrive."
            : "Your role shows sources and does not create them; a developer of this workspace can."}
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

/** Without the right to see attempts, what the source itself tells. */
const statusOf = (source: Source, health: Status | undefined): Status => {
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
          {allowedOrigins.length === 0 ? "No origin is allowed yet" : allowedOrigins.join(", ")}
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
