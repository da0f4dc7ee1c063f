/** The part of the table of operations that gives data out. */
import Type from "typebox";
import { EXPORT_MEDIA_TYPES, ExportQuery } from "../export.ts";
import { type Operation, QUERY_CODES, sourceCodes, WAREHOUSE_CODES } from "../operation.ts";
import { StoredEvents, StoredEventsQuery } from "../stored-events.ts";

export const EXPORT_OPERATIONS = [
  {
    id: "exportEvents",
    tag: "Export",
    method: "GET",
    path: "/api/export/events",
    summary: "Export the stored events of a source",
    description:
      "The response is a stream of events in their stored form. When a download is interrupted, pass the `analyticsEventId` of the last whole event as `cursor`.",
    access: "export:read",
    organization: "optional-query",
    source: "query",
    query: ExportQuery,
    status: 200,
    responseHeaders: ["Headwater-Incomplete"],
    answer: Type.String(),
    mediaType: EXPORT_MEDIA_TYPES.ndjson,
    otherMediaTypes: [EXPORT_MEDIA_TYPES.csv, EXPORT_MEDIA_TYPES.parquet],
    isStream: true,
    codes: sourceCodes([
      ...QUERY_CODES,
      "warehouse_off",
      "warehouse_elsewhere",
      "warehouse_unavailable",
      "warehouse_damaged",
      "overloaded",
    ]),
  },
  {
    id: "listEvents",
    tag: "Export",
    method: "GET",
    path: "/api/tracking-sources/:sourceId/events",
    summary: "List the stored events of a session or a visitor, or the latest of a name",
    description:
      "Events are returned as they are stored, without the values that the source's rules masked or removed. Pass exactly one of `sessionId`, `anonymousId`, `userId` and `name`.",
    access: "export:read",
    organization: "optional-query",
    source: "path",
    query: StoredEventsQuery,
    status: 200,
    answer: StoredEvents,
    codes: sourceCodes([...QUERY_CODES, ...WAREHOUSE_CODES]),
  },
] as const satisfies readonly Operation[];
