/** The operations of stats queries, a part of the table of operations. */

import {
  BODY_CODES,
  COMMON_CODES,
  type Operation,
  QUERY_CODES,
  sourceCodes,
  WAREHOUSE_CODES,
} from "../operation.ts";
import * as stats from "../stats.ts";
import { DeliveryQuery, DeliveryStatement, OpenAlerts } from "./delivery-schemas.ts";
import { SourceOrganizationQuery } from "./queries.ts";
import { StatsVisitsAnswer, StatsVisitsBody } from "./visits-schemas.ts";

const queryCodes = sourceCodes(["password_required", ...BODY_CODES, ...WAREHOUSE_CODES]);
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
    tag: "Stats",
    path: "/api/stats/query",
    summary: "Query metrics by dimensions",
    description:
      "Metrics by dimensions, for a range of time, with filters: totals, time series, tables and comparisons.",
    body: stats.StatsQueryBody,
    answer: stats.StatsAnswer,
  },
  {
    ...bodyQuery,
    id: "queryFunnel",
    tag: "Stats",
    path: "/api/stats/funnel",
    summary: "Query a funnel",
    description:
      "Counts the visitors who took the steps in the given order within a time window. Other events may come between them.",
    body: stats.StatsFunnelBody,
    answer: stats.StatsFunnelAnswer,
  },
  {
    ...bodyQuery,
    id: "queryRetention",
    tag: "Stats",
    path: "/api/stats/retention",
    summary: "Query retention",
    description:
      "Counts the visitors of each period who came back in later periods. A cohort is the visitors who came first in the same period.",
    body: stats.StatsRetentionBody,
    answer: stats.StatsRetentionAnswer,
  },
  {
    ...bodyQuery,
    id: "queryPaths",
    tag: "Stats",
    path: "/api/stats/paths",
    summary: "Query paths",
    description:
      "Counts the sessions that went from one page to the next. Paths start at the entry page of each session, or at the first view of `startPage`.",
    body: stats.StatsPathsBody,
    answer: stats.StatsPathsAnswer,
  },
  {
    ...bodyQuery,
    id: "queryProperties",
    tag: "Stats",
    path: "/api/stats/properties",
    summary: "List the names of the properties that events have",
    description: "Use a name in a query as the dimension `property:<name>` or the metric `sum:<property>`.",
    body: stats.StatsPropertiesBody,
    answer: stats.StatsPropertiesAnswer,
  },
  {
    ...bodyQuery,
    id: "queryVisits",
    tag: "Stats",
    path: "/api/stats/visits",
    access: "export:read",
    summary: "List the latest visits behind a figure",
    description:
      "Each session with an event that the filters select, the latest active first. With `funnel`, those of the visitors who dropped off at a step.",
    body: StatsVisitsBody,
    answer: StatsVisitsAnswer,
  },
  {
    ...urlQuery,
    id: "getStatsSource",
    tag: "Stats",
    path: "/api/stats/source",
    summary: "Get the state of a source's stats",
    description:
      "The source's name, the time of its last event, and its events that the warehouse lacks. A share link shows no more about the source.",
    query: stats.StatsSourceQuery,
    answer: stats.StatsSourceAnswer,
    codes: sourceCodes(["password_required", ...QUERY_CODES]),
  },
  {
    ...urlQuery,
    id: "getLive",
    tag: "Stats",
    path: "/api/stats/live",
    summary: "Count the visitors of the last five minutes",
    description: "Visitors with an event in the last five minutes.",
    query: stats.StatsSourceQuery,
    answer: stats.StatsLiveAnswer,
    codes: sourceCodes(["password_required", ...QUERY_CODES, ...WAREHOUSE_CODES]),
  },
  {
    ...urlQuery,
    id: "getHostSplit",
    tag: "Stats",
    path: "/api/stats/host-split",
    summary: "Find visitors who are counted on two hosts",
    description:
      "Whether visitors of the last seven days went from one host of the source to another and are counted on both. Options of the client make each of them one visitor.",
    query: stats.StatsSourceQuery,
    answer: stats.StatsHostSplitAnswer,
    codes: sourceCodes(["password_required", ...QUERY_CODES, ...WAREHOUSE_CODES]),
  },
  {
    id: "getDelivery",
    tag: "Stats",
    method: "GET",
    path: "/api/tracking-sources/:sourceId/delivery",
    summary: "Account for the events that a source's clients produced",
    description:
      "How many arrived each day, how many were lost and why, and where the accepted ones are. Losses of clients that do not number their events are unknown.",
    access: "sources:read",
    organization: "optional-query",
    source: "path",
    query: DeliveryQuery,
    status: 200,
    answer: DeliveryStatement,
    codes: sourceCodes([...QUERY_CODES, ...WAREHOUSE_CODES]),
  },
  {
    id: "listAlerts",
    tag: "Stats",
    method: "GET",
    path: "/api/tracking-sources/:sourceId/alerts",
    summary: "List the open alerts of a source",
    description:
      "What is wrong with the source, and since when. Alerts are listed even if no webhook is set.",
    access: "sources:read",
    organization: "optional-query",
    source: "path",
    query: SourceOrganizationQuery,
    status: 200,
    answer: OpenAlerts,
    codes: sourceCodes(QUERY_CODES),
  },
  {
    id: "unlockStats",
    tag: "Stats",
    method: "POST",
    path: "/api/stats/unlock",
    summary: "Exchange the token and the password of a share link for a token that reads its stats",
    description: "The response's token works for 12 hours. A client address has a limited number of tries.",
    access: "public",
    body: stats.StatsUnlockBody,
    status: 200,
    answer: stats.StatsUnlockAnswer,
    codes: [
      "password_required",
      "invalid_token",
      "expired_token",
      "overloaded",
      ...COMMON_CODES,
      ...BODY_CODES,
    ],
  },
] as const satisfies readonly Operation[];
