/** The part of the table of operations that gives data out. */
import Type from "typebox";
import { EXPORT_MEDIA_TYPES, ExportQuery } from "../export.ts";
import { type Operation, QUERY_CODES, sourceCodes } from "../operation.ts";

export const EXPORT_OPERATIONS = [
  {
    id: "exportEvents",
    method: "GET",
    path: "/api/export/events",
    summary: "Export the stored events of a source as a stream. A cursor continues an interrupted export",
    access: "export:read",
    organization: "optional-query",
    source: "query",
    query: ExportQuery,
    status: 200,
    answer: Type.String(),
    mediaType: EXPORT_MEDIA_TYPES.ndjson,
    otherMediaTypes: [EXPORT_MEDIA_TYPES.csv, EXPORT_MEDIA_TYPES.parquet],
    isStream: true,
    codes: sourceCodes([...QUERY_CODES, "warehouse_unavailable", "warehouse_damaged", "overloaded"]),
  },
] as const satisfies readonly Operation[];
