/** The process that checks the ledger's file. It only reads, table by table, and reports the first damage. */
import { DatabaseSync } from "node:sqlite";
import { trySetPriority } from "../../overload/priority.ts";
import { isDamage } from "./failure.ts";

/** The parent's message. */
export interface DamageCheckOrder {
  /** The path of the database. */
  path: string;
}
/** The answer: SQLite's description of the first damage, or why the check could not be made. */
export type DamageCheckReport = { damage: string | null } | { failure: string };

/** With this priority it gets about a tenth of a processor that a busy service shares with it. */
const NICE = 10;

const quoteName = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Each table is a transaction of its own, because the service's `-wal` grows as long as one is open. */
function findFirstDamage(path: string): string | null {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
    for (const { name } of tables) {
      const found = database.prepare(`pragma quick_check(${quoteName(String(name))})`).get()?.quick_check;
      // its first line names the database, which is always `main`
      if (found !== "ok") return String(found).split("\n").at(-1) ?? "";
    }
    return null;
  } finally {
    database.close();
  }
}

function check(path: string): DamageCheckReport {
  try {
    return { damage: findFirstDamage(path) };
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    return isDamage(error) ? { damage: message } : { failure: message };
  }
}

trySetPriority(NICE);
process.once("message", ({ path }: DamageCheckOrder) => {
  process.send?.(check(path), () => process.disconnect());
});
