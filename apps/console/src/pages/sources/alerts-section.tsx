/** Whether anybody is told when a source fails or goes quiet; settings of the service say it, and this shows them. */
import { Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { supportQuery } from "../../queries.ts";
import { QueryResult } from "../../ui/page-states.tsx";
import { TextWithCode } from "../../ui/text-with-code.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

function said(settings: Readonly<Record<string, unknown>>): string {
  if (!settings.ALERT_WEBHOOK_URL)
    return "Nobody is told. With `ALERT_WEBHOOK_URL` and `ALERT_WEBHOOK_SECRET` set, the service sends a signed request to that address.";
  const hours = Number(settings.ALERT_QUIET_HOURS);
  const quiet = hours > 0 ? `, or accepts nothing for ${hours} hours (\`ALERT_QUIET_HOURS\`)` : "";
  return `The address in \`ALERT_WEBHOOK_URL\` is told when the source starts failing${quiet}, and when it is well again.`;
}

export function AlertsSection() {
  const { organizationId } = useWorkspace();
  const query = useQuery(supportQuery(organizationId));
  return (
    <Paper withBorder p="lg" component="section" aria-label="Alerts">
      <Stack gap="xs">
        <Title order={2} size="h5">
          Alerts
        </Title>
        <QueryResult query={query} rows={1}>
          {({ settings }) => (
            <Text size="sm">
              <TextWithCode text={said(settings)} />
            </Text>
          )}
        </QueryResult>
      </Stack>
    </Paper>
  );
}
