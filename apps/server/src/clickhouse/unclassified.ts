/**
 * Events without a channel: a version of Headwater stored them that knew no sources and channels. This finds where they
 * came from, and writes what that means. ClickHouse runs each update in the background and resumes it after a restart.
 */
import { CAMPAIGN_PATTERN } from "../core/channels/campaign.ts";
import type { VisitSource } from "../core/channels/classify-visit.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { WarehouseClient } from "./client.ts";
import { onCluster, onEveryNode, storedName } from "./cluster.ts";

/** Where events came from. All events with the same key have the same origin. */
export interface EventOrigin {
  readonly key: string;
  readonly sourceId: string;
  /** Empty: no page. */
  readonly pageHost: string;
  /** The referrer's host, and its path if a list of sources may name it. Empty: none outside the page's host. */
  readonly referrer: string;
  /** The parameters of the campaign, as a query. */
  readonly campaign: string;
}

/** Text as an SQL literal. */
const quote = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`;
const textOf = (column: string) => `ifNull(CAST(${column} AS Nullable(String)), '')`;
const REFERRER_HOST = textOf("page.referrerHost");

/** @param labels the hosts whose paths matter have one of these labels, of letters, digits and hyphens */
function originColumns(labels: readonly string[]): readonly string[] {
  const hasPath = quote(`(?:^|\\.)(?:${labels.join("|")})\\.`);
  const path = `substringUTF8(path(${textOf("page.referrer")}), 1, ${SERVER_LIMITS.maxReferrerPathLength})`;
  return [
    "toString(sourceId)",
    textOf("page.host"),
    `concat(${REFERRER_HOST}, if(match(${REFERRER_HOST}, ${hasPath}), ${path}, ''))`,
    `arrayStringConcat(extractAll(${textOf("page.query")}, ${quote(CAMPAIGN_PATTERN)}), '&')`,
  ];
}

const rowsOf = async <Row>(client: WarehouseClient, query: string, signal: AbortSignal): Promise<Row[]> => {
  const settings = {
    max_memory_usage: String(SERVER_LIMITS.maxStatsMemoryBytes),
    max_bytes_before_external_group_by: String(SERVER_LIMITS.maxStatsMemoryBytes / 4),
    output_format_json_quote_64bit_integers: 0 as const,
  };
  const format = "JSONEachRow";
  return (
    await client.query({ query, format, abort_signal: signal, clickhouse_settings: settings })
  ).json<Row>();
};

export interface UnclassifiedMonth {
  /** Such as 202611: the name of the partition. */
  readonly month: number;
  readonly events: number;
}

/** The months with events that have no channel, the newest first. */
export const unclassifiedMonths = (
  client: WarehouseClient,
  signal: AbortSignal,
): Promise<UnclassifiedMonth[]> =>
  rowsOf(
    client,
    "SELECT toYYYYMM(occurredAt) AS month, count() AS events FROM events WHERE channel IS NULL GROUP BY month ORDER BY month DESC",
    signal,
  );

/** The most frequent origins of a month's events without a channel. Not all of them: call it again after an update. */
export const readOrigins = (
  client: WarehouseClient,
  month: number,
  labels: readonly string[],
  signal: AbortSignal,
): Promise<EventOrigin[]> => {
  const { classifiedEventsPerUpdate, classifiedOriginsPerUpdate } = SERVER_LIMITS;
  const names = ["sourceId", "pageHost", "referrer", "campaign"];
  const columns = originColumns(labels).map((sql, index) => `${sql} AS ${names[index]}_`);
  const query = `SELECT toString(cityHash64(${names.map((name) => `${name}_`).join(", ")})) AS key,
      ${names.map((name) => `${name}_ AS ${name}`).join(", ")}
    FROM (
      SELECT ${columns.join(", ")} FROM events
      WHERE channel IS NULL AND toYYYYMM(occurredAt) = ${month} LIMIT ${classifiedEventsPerUpdate}
    ) GROUP BY ${names.map((name) => `${name}_`).join(", ")} ORDER BY count() DESC LIMIT ${classifiedOriginsPerUpdate}`;
  return rowsOf(client, query, signal);
};

const UPDATE = "UPDATE source = ";

/**
 * Whether an update is under way.
 * @throws Error when it fails; ClickHouse keeps retrying it
 */
export async function isUpdating(client: WarehouseClient, signal: AbortSignal): Promise<boolean> {
  const running = await rowsOf<{ failure: string }>(
    client,
    `SELECT latest_fail_reason AS failure FROM ${onEveryNode(client, "system.mutations")}
      WHERE database = '${client.database}' AND table = '${storedName(client, "events")}'
        AND NOT is_done AND NOT is_killed AND position(command, '${UPDATE}') > 0`,
    signal,
  );
  const failed = running.find(({ failure }) => failure !== "");
  if (failed) throw new Error(`ClickHouse cannot store sources and channels: ${failed.failure}`);
  return running.length > 0;
}

/** An SQL expression of the value at the index of a row's key. */
const chosen = (values: readonly (string | null)[], index: string): string =>
  `CAST([${values.map((value) => (value === null ? "NULL" : quote(value))).join()}] AS Array(Nullable(String)))[${index}]`;

/** Starts an update of all events of the month with these origins. It may run twice: it changes events without a channel only. */
export async function startUpdate(
  client: WarehouseClient,
  month: number,
  labels: readonly string[],
  visits: ReadonlyMap<string, VisitSource>,
): Promise<void> {
  const distinct = [...new Map([...visits.values()].map((visit) => [JSON.stringify(visit), visit])).values()];
  const numbers = new Map(distinct.map((visit, index) => [JSON.stringify(visit), index + 1]));
  const keys = [...visits.keys()];
  const key = `cityHash64(${originColumns(labels).join(", ")})`;
  const index = `transform(${key}, [${keys}], [${keys.map((one) => numbers.get(JSON.stringify(visits.get(one))))}], 1)`;
  const sources = distinct.map(({ source }) => source);
  const channels = distinct.map(({ channel }) => channel);
  await client.command({
    query: `ALTER TABLE ${client.database}.${storedName(client, "events")}${onCluster(client)}
      ${UPDATE}${chosen(sources, index)}, channel = ${chosen(channels, index)}
      IN PARTITION ${month} WHERE channel IS NULL AND ${key} IN (${keys})`,
    clickhouse_settings: { mutations_sync: "0", fsync_metadata: 1, max_query_size: "4194304" },
  });
}
