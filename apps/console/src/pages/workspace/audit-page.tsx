/** The audit log of the workspace, newest first. */
import type { AuditEntry } from "@headwater/contract";
import { Group, Paper, Stack, Text } from "@mantine/core";
import { api } from "../../api.ts";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ErrorAlert, Loading } from "../../ui/page-states.tsx";
import { usePagedQuery } from "../../ui/paged-table.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { ShowMoreButton } from "../../ui/show-more-button.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

const PAGE_SIZE = 50;

export const AuditPage = () => (
  <Page title="Audit log" lead="Every change in this workspace, with its user and token.">
    <RequirePermission permission="audit:read">
      <AuditEntries />
    </RequirePermission>
  </Page>
);

function AuditEntries() {
  const { organizationId } = useWorkspace();
  const query = usePagedQuery(["audit", organizationId], (cursor, signal) =>
    api.listAudit({ query: { organizationId, limit: PAGE_SIZE, cursor }, signal }),
  );
  if (query.isPending) return <Loading />;
  const failure = query.error && <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return failure;
  const entries = query.data.pages.flatMap((page) => page.entries);
  if (entries.length === 0) return <EmptyState title="No changes yet" />;
  return (
    <Stack gap="xs">
      {entries.map((entry) => (
        <AuditRow key={entry.auditId} entry={entry} />
      ))}
      {failure}
      <ShowMoreButton query={query} />
    </Stack>
  );
}

const formatJson = (value: unknown) => JSON.stringify(value, null, 2);

function AuditRow({ entry }: { readonly entry: AuditEntry }) {
  const { at, action, target, userId, tokenId, before, after } = entry;
  return (
    <Paper withBorder p="sm" component="article" aria-label={action}>
      <Group justify="space-between" gap="sm">
        <Text className="wrap">
          <strong>{action}</strong> <code>{target}</code>
        </Text>
        <Text size="sm" c="dimmed" className="wrap">
          <RelativeTime at={at} /> by {userId ?? "the service"}
          {tokenId !== null && ` with ${tokenId}`}
        </Text>
      </Group>
      {(before !== null || after !== null) && (
        <details>
          <summary>Show changes</summary>
          <div className="json-pair">
            {[
              ["Before", before],
              ["After", after],
            ].map(([name, value]) => (
              <div key={name as string}>
                <Text size="sm" fw={600}>
                  {name as string}
                </Text>
                <pre className="plain-json">{formatJson(value)}</pre>
              </div>
            ))}
          </div>
        </details>
      )}
    </Paper>
  );
}
