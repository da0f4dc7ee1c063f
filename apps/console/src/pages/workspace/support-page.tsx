/** What somebody who helps asks for first: the version, whether the service is well, its settings without secrets. */
import { Alert, Button, Group, Paper, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Answer } from "../../api.ts";
import { supportQuery } from "../../queries.ts";
import { downloadBlob } from "../../ui/download-blob.ts";
import { Page } from "../../ui/page.tsx";
import { QueryResult, RequirePermission } from "../../ui/page-states.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

export const SupportPage = () => (
  <Page title="Support" lead="What to attach to a report. It holds no secret, and nothing of your visitors.">
    <RequirePermission to="support:read">
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
          <Settings settings={answer.settings} />
        </Stack>
      )}
    </QueryResult>
  );
}

interface HealthProps {
  readonly answer: Answer<"getSupport">;
}

function Health({ answer: { version, health, bundle } }: HealthProps) {
  const save = () =>
    downloadBlob(
      new Blob([JSON.stringify(bundle, null, 2)], { type: "application/json" }),
      `headwater-support-${String(bundle.generatedAt).slice(0, 10)}.json`,
    );
  return (
    <Paper withBorder p="lg" component="section" aria-label="The service">
      <Stack gap="sm">
        <Group justify="space-between" gap="md">
          <Text>
            Headwater <strong>{version}</strong>
          </Text>
          <Button onClick={save}>Download the bundle</Button>
        </Group>
        {health.ready ? (
          <Alert color="green" title="The service is ready" />
        ) : (
          <Alert color="red" title="The service is not ready">
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

const shown = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

const Settings = ({ settings }: { readonly settings: Readonly<Record<string, unknown>> }) => (
  <Paper withBorder component="section" aria-label="Settings">
    <Title order={2} size="h5" p="md">
      Settings
    </Title>
    <ScrollRegion label="Settings, as a table">
      <Table horizontalSpacing="md" layout="fixed">
        <Table.Tbody>
          {Object.entries(settings).map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" className="wrap">
                <code>{name}</code>
              </Table.Th>
              <Table.Td className="wrap">
                {shown(value) || <span className="fact-name">not set</span>}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  </Paper>
);
