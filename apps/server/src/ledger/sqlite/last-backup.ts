/** When `headwater backup` has last succeeded: the time of an empty file in DATA_DIR, so that it survives restarts. */
import { renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const pathIn = (dataDir: string) => join(dataDir, "last-backup");

/** Notes that a backup has succeeded. Another user may have made the file. */
export function noteBackup(dataDir: string): void {
  const path = pathIn(dataDir);
  writeFileSync(`${path}.new`, "", { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** In milliseconds since the epoch; 0: never. */
export const lastBackupMs = (dataDir: string): number =>
  statSync(pathIn(dataDir), { throwIfNoEntry: false })?.mtimeMs ?? 0;
