/** Says that the warehouse has lost events of the source, so that nobody takes the figures for complete. */

import { useQuery } from "@tanstack/react-query";
import { HEADWATER } from "../../command-name.ts";
import { statsSourceQuery } from "../../queries.ts";
import { pluralize } from "../../ui/format-count.ts";
import { Alert } from "../../ui/primitives/elements.tsx";
import { TextWithCode } from "../../ui/text-with-code.tsx";

/** The service compares the warehouse hourly and after each start. */
const REFETCH_MS = 60_000;

export function MissingEventsAlert({ sourceId }: { readonly sourceId: string }) {
  const { data } = useQuery({ ...statsSourceQuery(sourceId), refetchInterval: REFETCH_MS });
  if (!data?.missingEvents) return null;
  const { events, firstDay, lastDay } = data.missingEvents;
  const days = firstDay === lastDay ? `for ${firstDay}` : `for ${firstDay} to ${lastDay}`;
  return (
    <Alert color="red" title="Stats are incomplete" role="alert">
      <TextWithCode
        text={`The warehouse has lost ${pluralize(events, "event")} ${days} (UTC), so figures for that time are too low. New events are not affected. The operator can list the missing events with \`${HEADWATER} check-warehouse\`.`}
      />
    </Alert>
  );
}
