/** Facts for a bug report: the version, the health of the service, and its settings without secrets. */
import { useQuery } from "@tanstack/react-query";
import { API_BASE, type ApiAnswer } from "../../api.ts";
import { supportQuery } from "../../queries.ts";
import { downloadBlob } from "../../ui/download-blob.ts";
import { Page } from "../../ui/page.tsx";
import { QueryResult } from "../../ui/page-states.tsx";
import {
  Alert,
  Badge,
  Button,
  ButtonAnchor,
  Group,
  Paper,
  Stack,
  Table,
  Text,
  Title,
} from "../../ui/primitives/elements.tsx";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { SectionHeader } from "../../ui/section-header.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { CHANGED, describeSetting, groupSettings, type SettingRows } from "./setting-groups.ts";
import "./support.css";

export const SupportPage = () => (
  <Page
    title="Support"
    lead="Attach the support bundle to a bug report. The bundle contains no secrets or visitor data."
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
          <Documentation />
          <Health answer={answer} />
          {answer.isOperator ? (
            <Settings answer={answer} />
          ) : (
            <Text size="sm" c="dimmed">
              Only operators can see the service’s settings. Operators are the owners of its first workspace.
            </Text>
          )}
        </Stack>
      )}
    </QueryResult>
  );
}

/** The service itself serves these. */
const DOCUMENTS = [
  { path: "docs", name: "API reference" },
  { path: "openapi.json", name: "OpenAPI document" },
];

/** As git shows a commit. */
const SHORT_COMMIT = 12;

const Documentation = () => (
  <Paper p="lg" component="section" aria-label="Documentation">
    <SectionHeader title="Documentation">
      Guides are in the folder <code>docs</code> of the release or repository that you installed from.
    </SectionHeader>
    <Group gap="xs" mt="sm">
      {DOCUMENTS.map(({ path, name }) => (
        <ButtonAnchor key={path} href={new URL(path, API_BASE).href} size="xs" variant="default">
          {name}
        </ButtonAnchor>
      ))}
    </Group>
  </Paper>
);

interface SupportPartProps {
  readonly answer: ApiAnswer<"getSupport">;
}

function Health({ answer: { version, commit, isModified, health, bundle } }: SupportPartProps) {
  const save = () =>
    downloadBlob(
      new Blob([JSON.stringify(bundle, null, 2)], { type: "application/json" }),
      `headwater-support-${String(bundle.generatedAt).slice(0, 10)}.json`,
    );
  return (
    <Paper p="lg" component="section" aria-label="Service">
      <Stack gap="sm">
        <Group justify="space-between" gap="md">
          <Group gap="sm">
            <Text>
              Headwater <strong>{version}</strong>
              {commit !== null && (
                <span className="dimmed">
                  {" "}
                  commit <code>{commit.slice(0, SHORT_COMMIT)}</code>
                  {isModified && ", modified"}
                </span>
              )}
            </Text>
            {health.ready && <Badge color="green">Service is ready</Badge>}
          </Group>
          <Button onClick={save}>Download support bundle</Button>
        </Group>
        {health.problems.length > 0 && (
          <Alert
            color={health.ready ? "yellow" : "red"}
            title={health.ready ? "The warehouse needs attention" : "Service is not ready"}
          >
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

const Settings = ({ answer: { settings, changedSettings } }: SupportPartProps) => (
  <Paper component="section" aria-label="Settings">
    <Title order={2} size="h5" px="lg" py="md">
      Settings
    </Title>
    {groupSettings(settings, changedSettings).map(({ title, rows }) => (
      <details key={title} className="settings-group" open={title === CHANGED}>
        <summary>
          {title} ({rows.length})
        </summary>
        <SettingsTable label={`${title} table`} rows={rows} />
      </details>
    ))}
  </Paper>
);

interface SettingsTableProps {
  readonly label: string;
  readonly rows: SettingRows;
}

const SettingsTable = ({ label, rows }: SettingsTableProps) => (
  <ScrollRegion label={label}>
    <Table horizontalSpacing="lg" className="settings-table">
      <tbody>
        {rows.map(([name, value]) => {
          const { text, note } = describeSetting(name, value);
          return (
            <tr key={name}>
              <th scope="row" className="wrap">
                <code>{name}</code>
              </th>
              <td className="wrap">
                {text}
                {note !== null && <span className="dimmed"> ({note})</span>}
              </td>
            </tr>
          );
        })}
      </tbody>
    </Table>
  </ScrollRegion>
);
