/** Facts for a bug report: the version, the health of the service, and its settings without secrets. */
import { Alert, Button, Group, Paper, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ApiAnswer } from "../../api.ts";
import { supportQuery } from "../../queries.ts";
import { downloadBlob } from "../../ui/download-blob.ts";
import { formatCount } from "../../ui/format-count.ts";
import { Page } from "../../ui/page.tsx";
import { QueryResult } from "../../ui/page-states.tsx";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import "./support.css";

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

const BINARY_UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];
/** @returns for example `1 GiB`, or null for a number of less than 1 KiB */
function toBinaryUnits(bytes: number): string | null {
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), BINARY_UNITS.length - 1);
  return power < 1
    ? null
    : `${formatCount(Math.round((bytes / 1024 ** power) * 10) / 10)} ${BINARY_UNITS[power]}`;
}

const isNotSet = (value: unknown) => value === null || value === "";

type SettingRows = readonly (readonly [name: string, value: unknown])[];

function Settings({ settings }: { readonly settings: Readonly<Record<string, unknown>> }) {
  const rows = Object.entries(settings);
  const notSet = rows.filter(([, value]) => isNotSet(value));
  return (
    <Paper withBorder component="section" aria-label="Settings">
      <Title order={2} size="h5" px="lg" py="md">
        Settings
      </Title>
      <SettingsTable label="Settings table" rows={rows.filter(([, value]) => !isNotSet(value))} />
      {notSet.length > 0 && (
        <details className="settings-more">
          <summary>Not set ({notSet.length})</summary>
          <SettingsTable label="Settings that are not set" rows={notSet} />
        </details>
      )}
    </Paper>
  );
}

const SettingsTable = ({ label, rows }: { readonly label: string; readonly rows: SettingRows }) => (
  <ScrollRegion label={label}>
    <Table horizontalSpacing="lg" layout="fixed" className="settings-table">
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" className="wrap">
              <code>{name}</code>
            </Table.Th>
            <Table.Td className="wrap">
              {formatSetting(value) || "—"}
              {name.includes("BYTES") && <Bytes bytes={Number(value)} />}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </ScrollRegion>
);

/** The same number in a readable unit. */
function Bytes({ bytes }: { readonly bytes: number }) {
  const text = toBinaryUnits(bytes);
  return (
    text !== null && (
      <Text span inherit c="dimmed">
        {" "}
        ({text})
      </Text>
    )
  );
}
