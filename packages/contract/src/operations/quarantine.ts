/** The operations on events that a source keeps although it did not store them. */
import { type Operation, QUERY_CODES, sourceCodes } from "../operation.ts";
import { KeptEventList, KeptEventsQuery, Quarantine } from "./quarantine-schemas.ts";
import { SourceOrganizationQuery } from "./queries.ts";

const QUARANTINE = "/api/tracking-sources/:sourceId/quarantine";

export const QUARANTINE_OPERATIONS = [
  {
    id: "getQuarantine",
    tag: "Debug",
    method: "GET",
    path: QUARANTINE,
    summary: "Count the events that a source keeps although it did not store them",
    description:
      "A source keeps what it refuses for `keepRejected` days, if a change of its settings or of its tracking plan can mend the reason.",
    access: "debug:read",
    organization: "optional-query",
    source: "path",
    query: SourceOrganizationQuery,
    status: 200,
    answer: Quarantine,
    codes: sourceCodes(QUERY_CODES),
  },
  {
    id: "listKeptEvents",
    tag: "Debug",
    method: "GET",
    path: `${QUARANTINE}/events`,
    summary: "List the kept events of a source",
    description: "The events are masked as in the debug view, the newest first.",
    access: "debug:read",
    organization: "optional-query",
    source: "path",
    query: KeptEventsQuery,
    status: 200,
    answer: KeptEventList,
    codes: sourceCodes(QUERY_CODES),
  },
] as const satisfies readonly Operation[];
