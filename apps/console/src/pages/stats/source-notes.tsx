/** What the reader of a source's figures should know of them, below the figures. */
import { DeliveryNote } from "../delivery/delivery-note.tsx";
import { HostSplitNote } from "../install/host-split.tsx";

export const SourceNotes = ({ sourceId }: { readonly sourceId: string }) => (
  <>
    <HostSplitNote sourceId={sourceId} />
    <DeliveryNote sourceId={sourceId} />
  </>
);
