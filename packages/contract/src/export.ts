/** Exports of events (GET /api/export/events). */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import { Closed, OneOf, SameOrganizationId, SourceId, TimeText } from "./shapes.ts";

/** The media type of each format. The first format is the default. */
export const EXPORT_MEDIA_TYPES = {
  ndjson: "application/x-ndjson",
  csv: "text/csv; charset=utf-8",
  parquet: "application/vnd.apache.parquet",
} as const;
export type ExportFormat = keyof typeof EXPORT_MEDIA_TYPES;
export const EXPORT_FORMATS = Object.keys(EXPORT_MEDIA_TYPES) as ExportFormat[];

export const ExportQuery = Closed({
  sourceId: SourceId,
  organizationId: SameOrganizationId,
  from: TimeText("The earliest `occurredAt`: a day (UTC) or an ISO 8601 time. Default: the first event."),
  to: TimeText("The end of the range of `occurredAt`, exclusive, as a day or a time. Default: no end."),
  format: Type.Optional(OneOf(EXPORT_FORMATS, { description: "The format of the file. Default: `ndjson`." })),
  cursor: Type.Optional(
    Type.String({
      pattern: "^evt_[0-9a-f]{32}$",
      description:
        "the analyticsEventId of the last event that the client received; the export continues after it, and CSV has no header row",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LIMITS.maxExportRows, description: "The maximum number of events." }),
  ),
});
export type ExportQuery = Static<typeof ExportQuery>;
