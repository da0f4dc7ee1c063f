/** Shows whether alerts are configured. They are settings of the service, so they cannot be changed here. */
import { useQuery } from "@tanstack/react-query";
import { supportQuery } from "../../queries.ts";
import { QueryResult } from "../../ui/page-states.tsx";
import { Paper, Stack, Text, Title } from "../../ui/primitives/elements.tsx";
import { TextWithCode } from "../../ui/text-with-code.tsx";
import { useWorkspace } from "../../workspace-context.tsx";

/** @param settings without the service's settings, unless the user is an operator */
function describeAlerts(isOperator: boolean, settings: Readonly<Record<string, unknown>>): string {
  if (!isOperator)
    return "The Delivery page lists open alerts. Headwater also sends them if the operator has set `ALERT_WEBHOOK_URL`.";
  if (!settings.ALERT_WEBHOOK_URL)
    return "The Delivery page lists open alerts. Set `ALERT_WEBHOOK_URL` and `ALERT_WEBHOOK_SECRET` to receive them as signed webhook requests.";
  const hours = Number(settings.ALERT_QUIET_HOURS);
  const quiet =
    hours > 0
      ? `, accepts no events for ${hours} ${hours === 1 ? "hour" : "hours"} (\`ALERT_QUIET_HOURS\`)`
      : "";
  const percent = Number(settings.ALERT_DELIVERY_PERCENT);
  const low =
    percent > 0 ? `, receives fewer than ${percent}% of a day’s events (\`ALERT_DELIVERY_PERCENT\`)` : "";
  return `Headwater sends an alert to \`ALERT_WEBHOOK_URL\` when the source starts failing, receives events that violate the tracking plan${quiet}${low}, misses an event that it usually gets every day, or recovers.`;
}

export function AlertsSection() {
  const { organizationId } = useWorkspace();
  const query = useQuery(supportQuery(organizationId));
  return (
    <Paper p="lg" component="section" aria-label="Alerts">
      <Stack gap={0}>
        <Title order={2} size="h5">
          Alerts
        </Title>
        <QueryResult query={query} rows={1}>
          {({ isOperator, settings }) => (
            <Text size="sm" c="dimmed">
              <TextWithCode text={describeAlerts(isOperator, settings)} />
            </Text>
          )}
        </QueryResult>
      </Stack>
    </Paper>
  );
}
