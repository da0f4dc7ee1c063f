/** The ways to recover events that are not in the stats: replay, wait, or nothing. */
import type { DeliveryDay, Source } from "@headwater/contract";
import type { ReactNode } from "react";
import { pluralize } from "../../ui/format-count.ts";
import { ButtonLink } from "../../ui/links.tsx";
import { Group, Paper, Stack, Text } from "../../ui/primitives/elements.tsx";
import { SectionHeader } from "../../ui/section-header.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { meaningOf } from "../debug/attempt-summary.ts";
import { lostOf, total, useKept } from "./delivery-query.ts";

interface RecoveryProps {
  readonly source: Source;
  readonly days: readonly DeliveryDay[];
}

/** Nothing for days without events while nothing is kept. */
export function Recovery({ source, days }: RecoveryProps) {
  const kept = useKept(source.sourceId);
  if (days.length === 0 && !kept?.events) return null;
  const waiting = total(days, ({ stillPossible }) => stillPossible);
  const damaged = total(days, ({ lostInWarehouse }) => lostInWarehouse);
  const lost = total(days, lostOf);
  return (
    <Paper p="lg" component="section" aria-label="Replay rejected events">
      <Stack gap="md">
        <SectionHeader title="Replay rejected events">
          Rejected events can be kept and replayed. Events that never reached Headwater cannot.
        </SectionHeader>
        <KeptEventsOffer source={source} />
        {waiting > 0 && (
          <Text size="sm">Wait up to a day. {pluralize(waiting, "event")} may still arrive.</Text>
        )}
        {damaged > 0 && (
          <Text size="sm" className="wrap">
            {pluralize(damaged, "accepted event")} {damaged === 1 ? "is" : "are"} missing from the warehouse.
            The operator can restore a backup.
          </Text>
        )}
        {lost > 0 && (
          <Text size="sm">
            {pluralize(lost, "lost event")} cannot be recovered. Fix the causes to stop further losses.
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

interface RecoveryOfferProps {
  readonly text: string;
  readonly children?: ReactNode;
}

const Offer = ({ text, children }: RecoveryOfferProps) => (
  <Group justify="space-between" gap="sm">
    <Text size="sm" className="recovery-text">
      {text}
    </Text>
    {children}
  </Group>
);

/** The kept events of the source, of all days. */
function KeptEventsOffer({ source: { sourceId, keepRejected } }: Pick<RecoveryProps, "source">) {
  const { can } = useWorkspace();
  const kept = useKept(sourceId);
  if (!kept) return null;
  const causes = new Set(kept.groups.map(({ code }) => meaningOf(code)));
  if (kept.events > 0)
    return (
      <Offer
        text={`${pluralize(kept.events, "kept event")} can be replayed after you fix ${causes.size === 1 ? "the cause" : "the causes"}: ${[...causes].join(", ")}. The number covers all days and includes events from refused requests.`}
      >
        <ButtonLink
          to="/analytics/setup/debug"
          search={{ sourceId }}
          hash="kept-events"
          size="xs"
          variant="default"
        >
          Review kept events
        </ButtonLink>
      </Offer>
    );
  if (keepRejected > 0) return <Offer text="There are no kept events to replay." />;
  return (
    <Offer text="This source does not keep rejected events, so they cannot be replayed.">
      {can("sources:write") && (
        <ButtonLink to="/sources/settings" search={{ sourceId }} size="xs" variant="default">
          Keep rejected events{" "}
        </ButtonLink>
      )}
    </Offer>
  );
}
