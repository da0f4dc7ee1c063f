/** Notes below the figures of a source: visitors who are split over hosts, and lost events. */
import { DeliveryNote } from "../delivery/delivery-note.tsx";
import { HostSplitNote } from "../install/host-split.tsx";
import type { ViewRange } from "./view-range.ts";

interface SourceNotesProps {
  readonly sourceId: string;
  /** The days of the figures. */
  readonly days: ViewRange["days"];
}

export const SourceNotes = ({ sourceId, days }: SourceNotesProps) => (
  <>
    <HostSplitNote sourceId={sourceId} />
    <DeliveryNote sourceId={sourceId} shown={days} />
  </>
);
