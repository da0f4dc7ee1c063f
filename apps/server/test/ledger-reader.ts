/** An independent reader of the ledger's file: what was promised, as it stands on the disk. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
type Row = any;

export function rowsOf(dataDir: string, sql: string, ...parameters: string[]): Row[] {
  const database = new DatabaseSync(join(dataDir, "ledger.sqlite"), { readOnly: true });
  try {
    return database.prepare(sql).all(...parameters);
  } finally {
    database.close();
  }
}

/** The normal form of every accepted event, in the order in which they were stored. */
export function storedEvents(dataDir: string): Row[] {
  return rowsOf(dataDir, "select payload from outbox order by seq").flatMap(({ payload }) =>
    zstdDecompressSync(payload)
      .toString("utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  );
}

/** The one stored event with that client id. */
export function storedEvent(dataDir: string, eventId: string): Row {
  const found = storedEvents(dataDir).filter((event) => event.eventId === eventId);
  if (found.length !== 1) throw new Error(`${eventId} is stored ${found.length} times`);
  return found[0];
}
