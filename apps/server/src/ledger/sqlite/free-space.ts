/**
 * Gives space of `ledger.sqlite` back to the disk. SQLite keeps the pages of deleted rows in the file and uses them again, so
 * after a long outage of the warehouse the file would stay as large as its backlog was.
 */
import type { DatabaseSync } from "node:sqlite";
import type { Statements } from "./statements.ts";

/** Unused pages of 4 KiB that stay in the file: 64 MiB, about the deletions of a minute. */
const MIN_SPARE_PAGES = 16_384;
/** Pages of a slice: 1 MiB. Commits wait for a slice, and then run before the next one, so a slice also ends after a time. */
export const RELEASED_PAGES_PER_SLICE = 256;
const RELEASE_SLICE_MS = 5;

/** Lets a new file shrink in small steps. A file that has content is not written to. */
export function enableShrinking(database: DatabaseSync): void {
  if (database.prepare("pragma page_count").get()?.page_count === 0)
    database.exec("pragma auto_vacuum = incremental");
}

const SELECT_PAGE_COUNTS = `select page_count as pages, freelist_count as spare from pragma_page_count, pragma_freelist_count`;
// each row that is read takes a page out of the file
const RELEASE = `pragma incremental_vacuum(${RELEASED_PAGES_PER_SLICE})`;

/**
 * Takes a slice of the spare pages out of the file. It keeps as many as are in use, and a minimum, so that the file does not
 * shrink and grow again all the time. A slice also ends after a time, because SQLite searches the list of spare pages for each.
 * @returns whether there may be more
 */
function releasePages(sql: Statements, stopwatch: () => number): boolean {
  const { pages = 0, spare = 0 } = sql.get<{ pages: number; spare: number }>(SELECT_PAGE_COUNTS) ?? {};
  if (spare <= Math.max(MIN_SPARE_PAGES, pages - spare)) return false;
  const end = stopwatch() + RELEASE_SLICE_MS;
  for (const _ of sql.each(RELEASE)) if (stopwatch() > end) break;
  return true;
}

/** @param stopwatch milliseconds, monotonic */
export const createSpaceMethods = (sql: Statements, stopwatch: () => number) => ({
  releasePages: () => releasePages(sql, stopwatch),
  /** `releasePages` changes the WAL only; copying it back to the file makes the file shorter. */
  truncateFile: () => void sql.get("pragma wal_checkpoint(passive)"),
});
