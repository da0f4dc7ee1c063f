/** Renames a damaged database, so that a new one can take its place. Only the newest damaged one is kept. */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The files of a database. The database itself is renamed last: a new one must never be opened beside an old `-wal`. */
const SUFFIXES = ["-wal", "-shm", ""] as const;

/**
 * The connection must be closed, and no other process may have the database open.
 * @returns the new name, which has the time of the last write
 */
export function setAside(path: string): string {
  const [folder, file] = [dirname(path), basename(path)];
  const time = statSync(path).mtime.toISOString().replaceAll(":", "-");
  const name = `${file}.damaged-${time}`;
  for (const old of readdirSync(folder))
    if (old.startsWith(`${file}.damaged-`)) rmSync(join(folder, old), { force: true });
  for (const suffix of SUFFIXES)
    if (existsSync(path + suffix)) renameSync(path + suffix, join(folder, name + suffix));
  return name;
}
