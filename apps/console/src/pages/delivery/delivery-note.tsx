/** Says below the stats of a source that a share of the events of the shown days was lost. */
import { useQuery } from "@tanstack/react-query";
import { numberFormatter } from "../../own-format.ts";
import { TextLink } from "../../ui/links.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { formatDays } from "../stats/format.ts";
import { type DeliveryDays, deliveryQuery, rateOf, statementDays } from "./delivery-query.ts";

/** A smaller share changes no figure that a reader would notice. */
const MIN_LOST = 0.01;
const formatShare = numberFormatter({ style: "percent", maximumFractionDigits: 1 });

interface DeliveryNoteProps {
  readonly sourceId: string;
  /** The days of the stats. Of a longer range the newest days are looked at. */
  readonly shown: DeliveryDays;
}

export function DeliveryNote({ sourceId, shown }: DeliveryNoteProps) {
  const { can } = useWorkspace();
  const days = statementDays(shown);
  const { data } = useQuery({ ...deliveryQuery(sourceId, days), enabled: can("sources:read") });
  const lost = 1 - (rateOf(data?.days ?? []) ?? 1);
  if (lost < MIN_LOST) return null;
  return (
    <p className="excluded wrap">
      {formatDays(days)}: {formatShare(lost)} of events were lost.{" "}
      <TextLink to="/sources/delivery" search={{ sourceId, days: days.join("..") }} underline="always">
        Open Delivery
      </TextLink>
    </p>
  );
}
