/** Copies the events to PostgreSQL, into a plain table with the indexes that the queries need. */
import { chmodSync, createWriteStream, rmSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { ClickHouseClient } from "@clickhouse/client";
import pg from "pg";
import { type Cluster, query, startCluster } from "../../apps/server/test/postgres/cluster.ts";
import { newFolder, workFolder } from "../server.ts";
import type { BenchQuery, QueryRows } from "./stats-queries.ts";

export interface PostgresCopy {
  bytes: number;
  run(query: BenchQuery): Promise<{ ms: number; rows: QueryRows }>;
  stop(): Promise<void>;
}

const SETTINGS = {
  timezone: "UTC",
  shared_buffers: "2GB",
  work_mem: "256MB",
  maintenance_work_mem: "1GB",
  effective_cache_size: "8GB",
  max_wal_size: "8GB",
  wal_level: "minimal",
  max_wal_senders: "0",
  random_page_cost: "1.1",
};

const TABLE = `create table events (
  source_id text not null, event_id text not null, occurred_at timestamptz not null, type text not null, name text not null,
  session_id text not null, anonymous_id text not null, user_id text,
  url text, path text, title text, referrer text, referrer_host text, utm_source text, utm_medium text, utm_campaign text,
  device text, browser text, os text, locale text, country text, is_bot boolean not null, properties jsonb)`;
/** The columns in the order of the PostgreSQL table, which COPY relies on. */
const COLUMNS = `sourceId, eventId, occurredAt, type, name, sessionId, anonymousId, userId,
  page.url, page.path, page.title, page.referrer, page.referrerHost, page.utm.source, page.utm.medium, page.utm.campaign,
  device.device, device.browser, device.os, locale, country, device.isBot, properties`;
const INDEXES = [
  "create unique index on events (source_id, event_id)",
  "create index on events (source_id, occurred_at)",
  "create index on events (source_id, session_id, occurred_at)",
];

async function copy(client: ClickHouseClient, cluster: Cluster): Promise<void> {
  const folder = newFolder();
  // the PostgreSQL server, which runs as another user, reads the file
  for (const path of [workFolder, folder]) chmodSync(path, 0o755);
  const file = join(folder, "events.tsv");
  const { stream } = await client.exec({ query: `SELECT ${COLUMNS} FROM events FORMAT TabSeparated` });
  await pipeline(stream, createWriteStream(file));
  await query(cluster.url(), `copy events from '${file}'`);
  rmSync(folder, { recursive: true, force: true });
}

/** @param values the parameters of the queries: the source id, the start and the end of the range */
export async function openPostgres(
  client: ClickHouseClient,
  values: readonly string[],
): Promise<PostgresCopy> {
  const cluster = await startCluster(SETTINGS);
  await query(cluster.url(), TABLE);
  await copy(client, cluster);
  for (const index of INDEXES) await query(cluster.url(), index);
  await query(cluster.url(), "vacuum (analyze) events");
  const [size] = await query<{ bytes: number }>(
    cluster.url(),
    "select pg_total_relation_size('events')::float8 as bytes",
  );
  const connection = new pg.Client(cluster.url());
  await connection.connect();
  return {
    bytes: size!.bytes,
    run: async ({ sql }) => {
      const startedAt = performance.now();
      const { rows } = await connection.query({ text: sql, values: [...values], rowMode: "array" });
      return { ms: performance.now() - startedAt, rows: rows as QueryRows };
    },
    stop: async () => {
      await connection.end();
      await cluster.stop();
    },
  };
}
