/** An independent reader of the ledger: what was promised, as it stands in its file or its database. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";
import pg from "pg";
import { addressIn } from "../postgres/databases.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
type StoredRow = any;

export function rowsOf(dataDir: string, sql: string, ...parameters: string[]): StoredRow[] {
  const url = addressIn(dataDir);
  if (url) return rowsOfDatabase(url, sql, parameters);
  const database = new DatabaseSync(join(dataDir, "ledger.sqlite"), { readOnly: true });
  try {
    return database.prepare(sql).all(...parameters);
  } finally {
    database.close();
  }
}

export interface Reader {
  rows(sql: string, parameter: string): Promise<StoredRow[]>;
  close(): Promise<void>;
}

/** For tests that read all the time. The parameter is `?1`. */
export async function openReader(dataDir: string): Promise<Reader> {
  const url = addressIn(dataDir);
  if (url) {
    const client = new pg.Client({ connectionString: url, pipeline: true });
    await client.connect();
    return {
      rows: async (sql, parameter) => (await client.query(sql.replaceAll("?1", "$1"), [parameter])).rows,
      close: () => client.end(),
    };
  }
  const database = new DatabaseSync(join(dataDir, "ledger.sqlite"), { readOnly: true });
  return {
    rows: async (sql, parameter) => database.prepare(sql).all(parameter),
    close: async () => database.close(),
  };
}

/** By psql, because it is waited for: a test reads the ledger as it reads a file. */
function rowsOfDatabase(url: string, sql: string, parameters: string[]): StoredRow[] {
  let given = 0;
  const asked = sql.replace(/\?/g, () => `:'v${++given}'`);
  const text = `with found as (${asked}) select coalesce(json_agg(found), '[]') from found`;
  const variables = parameters.flatMap((value, index) => ["-v", `v${index + 1}=${value}`]);
  const words = ["--no-psqlrc", "--tuples-only", "--no-align", "-v", "ON_ERROR_STOP=1", ...variables, url];
  return JSON.parse(
    execFileSync("psql", words, { encoding: "utf8", input: text, maxBuffer: 2 ** 30 }),
  ) as StoredRow[];
}

/** The payloads of the outbox as they were stored; in PostgreSQL duplicates are among the lines, and named. */
function payloadsOf(dataDir: string): { payload: Uint8Array; skipped: number[] }[] {
  if (!addressIn(dataDir))
    return rowsOf(dataDir, "select payload from outbox order by seq").map(({ payload }) => ({
      payload,
      skipped: [],
    }));
  const rows = rowsOf(
    dataDir,
    "select encode(payload, 'base64') as payload, skipped from outbox order by seq",
  );
  return rows.map(({ payload, skipped }) => ({ payload: Buffer.from(payload, "base64"), skipped }));
}

/** The line of every accepted event, in the order in which they were stored. */
export function storedLines(dataDir: string): string[] {
  return payloadsOf(dataDir).flatMap(({ payload, skipped }) =>
    zstdDecompressSync(payload)
      .toString("utf8")
      .split("\n")
      .filter((line, index) => line !== "" && !skipped.includes(index + 1)),
  );
}

/** The normal form of every accepted event, in the order in which they were stored. */
export const storedEvents = (dataDir: string): StoredRow[] =>
  storedLines(dataDir).map((line) => JSON.parse(line));

/** The one stored event with that client id. */
export function storedEvent(dataDir: string, eventId: string): StoredRow {
  const found = storedEvents(dataDir).filter((event) => event.eventId === eventId);
  if (found.length !== 1) throw new Error(`${eventId} is stored ${found.length} times`);
  return found[0];
}
