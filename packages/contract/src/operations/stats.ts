/** The part of the table of operations that asks the warehouse. */
import { BODY, type Operation, onSource, QUERY } from "../operation.ts";
import * as stats from "../stats.ts";

/** What a question to the warehouse may meet. */
const ASKED = ["warehouse_off", "warehouse_unavailable", "query_too_heavy", "overloaded"] as const;
const posed = onSource([...BODY, ...ASKED]);
const inBody = {
  method: "POST",
  access: "stats:read",
  organization: "optional-body",
  source: "body",
  status: 200,
  codes: posed,
} as const;
const inQuery = {
  method: "GET",
  access: "stats:read",
  organization: "optional-query",
  source: "query",
  status: 200,
} as const;

export const STATS_OPERATIONS = [
  {
    ...inBody,
    id: "queryStats",
    path: "/api/stats/query",
    summary: "Metrics of a source's events over a range of time, by dimensions, under filters",
    body: stats.StatsQueryBody,
    answer: stats.StatsAnswer,
  },
  {
    ...inBody,
    id: "queryFunnel",
    path: "/api/stats/funnel",
    summary: "How many visitors took step after step within a time",
    body: stats.StatsFunnelBody,
    answer: stats.StatsFunnelAnswer,
  },
  {
    ...inBody,
    id: "queryRetention",
    path: "/api/stats/retention",
    summary: "How many visitors of each period were there again in those after it",
    body: stats.StatsRetentionBody,
    answer: stats.StatsRetentionAnswer,
  },
  {
    ...inBody,
    id: "queryPaths",
    path: "/api/stats/paths",
    summary: "Which page sessions went to from which, step by step",
    body: stats.StatsPathsBody,
    answer: stats.StatsPathsAnswer,
  },
  {
    ...inBody,
    id: "queryProperties",
    path: "/api/stats/properties",
    summary: "Which properties a source's events carry",
    body: stats.StatsPropertiesBody,
    answer: stats.StatsPropertiesAnswer,
  },
  {
    ...inQuery,
    id: "getStatsSource",
    path: "/api/stats/source",
    summary: "What whoever reads a source's numbers may know of it",
    query: stats.StatsSourceQuery,
    answer: stats.StatsSourceAnswer,
    codes: onSource(QUERY),
  },
  {
    ...inQuery,
    id: "getLive",
    path: "/api/stats/live",
    summary: "Visitors of the last five minutes",
    query: stats.StatsSourceQuery,
    answer: stats.StatsLiveAnswer,
    codes: onSource([...QUERY, ...ASKED]),
  },
] as const satisfies readonly Operation[];
