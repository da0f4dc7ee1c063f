/** The list of a source's open alerts. */
import type { AlertType, OpenAlert } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { alertsQuery } from "../../queries.ts";
import { TextLink } from "../../ui/links.tsx";
import { Alert, Stack, Text } from "../../ui/primitives/elements.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { formatDays } from "../stats/format.ts";

const WORDS: Readonly<Record<AlertType, (alert: OpenAlert) => string>> = {
  "source.failing": () => "Most requests are failing.",
  "source.quiet": () => "No events are arriving.",
  "source.violating": () => "Events are violating the tracking plan.",
  "source.events_stopped": ({ stoppedEvents }) =>
    `These events have stopped arriving: ${stoppedEvents.join(", ")}.`,
  "source.delivery_low": ({ delivery }) =>
    delivery
      ? `On ${formatDays([delivery.day, delivery.day])}, ${delivery.arrivedPercent}% of events arrived.`
      : "",
};

/** Nothing while no alert is open. */
export function OpenAlerts({ sourceId }: { readonly sourceId: string }) {
  const { data } = useQuery(alertsQuery(sourceId));
  if (!data?.alerts.length) return null;
  return (
    <Alert color="yellow" title="Alerts" role="status" className="wrap">
      <Stack gap="xs">
        {data.alerts.map((alert) => (
          <Text key={alert.type} size="sm">
            {WORDS[alert.type](alert)} Noticed <RelativeTime at={alert.since} />.
          </Text>
        ))}
        <TextLink to="/analytics/setup/debug" search={{ sourceId }} size="sm">
          Open Debug
        </TextLink>
      </Stack>
    </Alert>
  );
}
