/** SQLite leaves what was deleted in unused pages. What an erasure deletes is overwritten, also in the `-wal`. */
import type { DatabaseSync } from "node:sqlite";

/**
 * Until it is disposed, what is deleted is overwritten with zeros. Ordinary deletions are overwritten only where no further
 * page has to be written.
 */
export function overwriteDeleted(database: DatabaseSync): Disposable {
  database.exec("pragma secure_delete = on");
  return {
    [Symbol.dispose]() {
      database.exec("pragma secure_delete = fast");
      // while another process reads, a later checkpoint empties the -wal
      database.exec("pragma busy_timeout = 0; pragma wal_checkpoint(truncate); pragma busy_timeout = 5000");
    },
  };
}
