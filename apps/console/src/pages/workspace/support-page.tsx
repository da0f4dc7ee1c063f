/** Facts for a bug report: the version, the health of the service, and its settings without secrets. */
import { Alert, Button, Group, Paper, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ApiAnswer } from "../../api.ts";
import { supportQuery } from "../../queries.ts";
import { downloadBlob } from "../../ui/download-blob.ts";
import { Page } from "../../ui/page.tsx";
import { QueryResult } from "../../ui/page-states.tsx";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

export const SupportPage = () => (
  <Page
    title="Support"
    lead="Attach the support bundle to a bug report. It contains no secrets and no visitor data."
  >
    <RequirePermission permission="support:read">
      <Support />
    </RequirePermission>
  </Page>
);

function Support() {
  const { organizationId } = useWorkspace();
  const query = useQuery(supportQuery(organizationId));
  return (
    <QueryResult query={query}>
      {(answer) => (
        <Stack>
          <Health answer={answer} />
          {answer.isOperator ? (
            <Settings settings={answer.settings} />
          ) : (
            <Text size="sm" c="dimmed">
              Only operators see the settings. Operators are the owners of the first workspace.
            </Text>
          )}
        </Stack>
      )}
    </QueryResult>
  );
}

interface HealthProps {
  readonly answer: ApiAnswer<"getSupport">;
}

function Health({ answer: { version, health, bundle } }: HealthProps) {
  const save = () =>
    downloadBlob(
      new Blob([JSON.stringify(bundle, null, 2)], { type: "application/json" }),
      `headwater-support-${String(bundle.generatedAt).slice(0, 10)}.json`,
    );
  return (
    <Paper withBorder p="lg" component="section" aria-label="Service">
      <Stack gap="sm">
        <Group justify="space-between" gap="md">
          <Text>
            Headwater <strong>{version}</strong>
          </Text>
          <Button onClick={save}>Download support bundle</Button>
        </Group>
        {health.ready ? (
          <Alert color="green" title="Service is ready" />
        ) : (
          <Alert color="red" title="Service is not ready">
            <ul className="wrap">
              {health.problems.map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          </Alert>
        )}
      </Stack>
    </Paper>
  );
}

const formatSetting = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

const Settings = ({ settings }: { readonly settings: Readonly<Record<string, unknown>> }) => (
  <Paper withBorder component="section" aria-label="Settings">
    <Title order={2} size="h5" p="md">
      Settings
    </Title>
    <ScrollRegion label="Settings table">
      <Table horizontalSpacing="md" layout="fixed">
        <Table.Tbody>
          {Object.entries(settings).map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" className="wrap">
                <code>{name}</code>
              </Table.Th>
              <Table.Td className="wrap">{formatSetting(value) || "—"}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  </Paper>
);
