/** Every change in the workspace, newest first. */
import type { AuditEntry } from "@headwater/contract";
import { Group, Paper, Stack, Text } from "@mantine/core";
import { call } from "../../api.ts";
import { Page } from "../../ui/page.tsx";
import { usePages } from "../../ui/paged.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { Empty, Failure, Loading, Permitted } from "../../ui/states.tsx";
import { Ago } from "../../ui/time.tsx";
import { useWorkspace } from "../../workspace.tsx";

const PAGE_SIZE = 50;

export const AuditPage = () => (
  <Page title="Audit log" lead="Who changed what, with which token. Nothing is ever taken out of it.">
    <Permitted to="audit:read">
      <Entries />
    </Permitted>
  </Page>
);

function Entries() {
  const { organizationId } = useWorkspace();
  const query = usePages(["audit", organizationId], (place, signal) =>
    call("listAudit", { query: { organizationId, limit: PAGE_SIZE, ...place }, signal }),
  );
  if (query.isPending) return <Loading />;
  const failure = query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return failure;
  const entries = query.data.pages.flatMap((page) => page.entries);
  if (entries.length === 0) return <Empty title="Nothing has been changed yet" />;
  return (
    <Stack gap="xs">
      {entries.map((entry) => (
        <Entry key={entry.auditId} entry={entry} />
      ))}
      {failure}
      <ShowMore query={query} />
    </Stack>
  );
}

const pretty = (value: unknown) => JSON.stringify(value, null, 2);

function Entry({ entry }: { readonly entry: AuditEntry }) {
  const { at, action, target, userId, tokenId, before, after } = entry;
  return (
    <Paper withBorder p="sm" component="article" aria-label={action}>
      <Group justify="space-between" gap="sm">
        <Text className="wrap">
          <strong>{action}</strong> <code>{target}</code>
        </Text>
        <Text size="sm" c="dimmed" className="wrap">
          <Ago at={at} />, by {userId ?? "the service"}
          {tokenId !== null && ` with ${tokenId}`}
        </Text>
      </Group>
      {(before !== null || after !== null) && (
        <details>
          <summary>Before and after</summary>
          <div className="json-pair">
            {[
              ["Before", before],
              ["After", after],
            ].map(([name, value]) => (
              <div key={name as string}>
                <Text size="sm" fw={600}>
                  {name as string}
                </Text>
                <pre className="plain-json">{pretty(value)}</pre>
              </div>
            ))}
          </div>
        </details>
      )}
    </Paper>
  );
}
