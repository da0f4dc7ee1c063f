/** Notes below the figures of a source: visitors who are split over hosts, and lost events. */
import { DeliveryNote } from "../delivery/delivery-note.tsx";
import { HostSplitNote } from "../install/host-split.tsx";

export const SourceNotes = ({ sourceId }: { readonly sourceId: string }) => (
  <>
    <HostSplitNote sourceId={sourceId} />
    <DeliveryNote sourceId={sourceId} />
  </>
);
