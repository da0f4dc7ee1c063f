/** Says below the stats of a source that a share of its recent events was lost. */
import { useQuery } from "@tanstack/react-query";
import { numberFormatter } from "../../ui/format-count.ts";
import { TextLink } from "../../ui/links.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { deliveryQuery, rateOf } from "./delivery-query.ts";

/** A smaller share changes no figure that a reader would notice. */
const MIN_LOST = 0.01;
const formatShare = numberFormatter({ style: "percent", maximumFractionDigits: 1 });

export function DeliveryNote({ sourceId }: { readonly sourceId: string }) {
  const { can } = useWorkspace();
  const { data } = useQuery({ ...deliveryQuery(sourceId, 7), enabled: can("sources:read") });
  const lost = 1 - (rateOf(data?.days ?? []) ?? 1);
  if (lost < MIN_LOST) return null;
  return (
    <p className="excluded wrap">
      In the last 7 days {formatShare(lost)} of events were lost.{" "}
      <TextLink to="/sources/delivery" search={{ sourceId }} inherit underline="always">
        Open Delivery
      </TextLink>
    </p>
  );
}
