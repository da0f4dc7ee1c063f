/** The operations of stats queries, a part of the table of operations. */
import { BODY_CODES, type Operation, QUERY_CODES, sourceCodes } from "../operation.ts";
import * as stats from "../stats.ts";

/** The refusals of queries that read the warehouse. */
const WAREHOUSE_CODES = [
  "warehouse_off",
  "warehouse_unavailable",
  "warehouse_damaged",
  "query_too_heavy",
  "overloaded",
] as const;
const queryCodes = sourceCodes([...BODY_CODES, ...WAREHOUSE_CODES]);
const bodyQuery = {
  method: "POST",
  access: "stats:read",
  organization: "optional-body",
  source: "body",
  status: 200,
  codes: queryCodes,
} as const;
const urlQuery = {
  method: "GET",
  access: "stats:read",
  organization: "optional-query",
  source: "query",
  status: 200,
} as const;

export const STATS_OPERATIONS = [
  {
    ...bodyQuery,
    id: "queryStats",
    path: "/api/stats/query",
    summary: "Get metrics of a source by dimensions, for a range of time, with filters",
    body: stats.StatsQueryBody,
    answer: stats.StatsAnswer,
  },
  {
    ...bodyQuery,
    id: "queryFunnel",
    path: "/api/stats/funnel",
    summary: "Count the visitors who took the given steps in order within a time window",
    body: stats.StatsFunnelBody,
    answer: stats.StatsFunnelAnswer,
  },
  {
    ...bodyQuery,
    id: "queryRetention",
    path: "/api/stats/retention",
    summary: "Count the visitors of each period who came back in later periods",
    body: stats.StatsRetentionBody,
    answer: stats.StatsRetentionAnswer,
  },
  {
    ...bodyQuery,
    id: "queryPaths",
    path: "/api/stats/paths",
    summary: "Count the sessions that went from one page to the next, for each step",
    body: stats.StatsPathsBody,
    answer: stats.StatsPathsAnswer,
  },
  {
    ...bodyQuery,
    id: "queryProperties",
    path: "/api/stats/properties",
    summary: "List the names of the properties that events have",
    body: stats.StatsPropertiesBody,
    answer: stats.StatsPropertiesAnswer,
  },
  {
    ...urlQuery,
    id: "getStatsSource",
    path: "/api/stats/source",
    summary:
      "Get the name of a source, the time of its last event, and what the warehouse lacks of its events",
    query: stats.StatsSourceQuery,
    answer: stats.StatsSourceAnswer,
    codes: sourceCodes(QUERY_CODES),
  },
  {
    ...urlQuery,
    id: "getLive",
    path: "/api/stats/live",
    summary: "Count the visitors of the last five minutes",
    query: stats.StatsSourceQuery,
    answer: stats.StatsLiveAnswer,
    codes: sourceCodes([...QUERY_CODES, ...WAREHOUSE_CODES]),
  },
] as const satisfies readonly Operation[];
