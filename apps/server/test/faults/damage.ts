/** Damages SQLite files as a failing disk does. */
import { closeSync, openSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** Overwrites the first page of a table. A process that has read the page before may not notice. */
export function damageTable(path: string, table: string): void {
  const database = new DatabaseSync(path);
  const { page_size: pageSize } = database.prepare("pragma page_size").get() as { page_size: number };
  const found = database.prepare("select rootpage from sqlite_schema where name = ?").get(table);
  database.close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(pageSize, 0xa5), 0, pageSize, (Number(found?.rootpage) - 1) * pageSize);
  closeSync(file);
}
