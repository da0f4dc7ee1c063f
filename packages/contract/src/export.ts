/** Events as files (GET /api/export/events). */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import { Closed, Id, OneOf } from "./shapes.ts";

/** The first is what is sent when none is asked for. */
export const EXPORT_MEDIA_TYPES = {
  ndjson: "application/x-ndjson",
  csv: "text/csv; charset=utf-8",
  parquet: "application/vnd.apache.parquet",
} as const;
export type ExportFormat = keyof typeof EXPORT_MEDIA_TYPES;
export const EXPORT_FORMATS = Object.keys(EXPORT_MEDIA_TYPES) as ExportFormat[];

const Moment = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 40, description }));

export const ExportQuery = Closed({
  sourceId: Id,
  organizationId: Type.Optional(Id),
  from: Moment(
    "the first moment, of `occurredAt`: a day (its first moment in UTC) or an ISO 8601 date-time; default: the first event",
  ),
  to: Moment("the end, itself not included, in the same form; default: none"),
  format: Type.Optional(OneOf(EXPORT_FORMATS)),
  cursor: Type.Optional(
    Type.String({
      pattern: "^evt_[0-9a-f]{32}$",
      description:
        "the analyticsEventId of the last event that is had: what comes after it is sent, without a head",
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.maxExportRows })),
});
export type ExportQuery = Static<typeof ExportQuery>;
