/** The list of a backup's files. It is written last and checked first, so nothing is restored from a part of a backup. */
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { CommandFailed } from "../errors.ts";

export const MANIFEST = "manifest.json";
const CHUNK_BYTES = 1_048_576;

interface BackupManifest {
  /** The SHA-256 of each file, by its path in the folder. */
  files: Record<string, string>;
}

function hashFile(path: string): string {
  const hash = createHash("sha256");
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const file = openSync(path, "r");
  try {
    for (let bytes = readSync(file, chunk); bytes > 0; bytes = readSync(file, chunk))
      hash.update(chunk.subarray(0, bytes));
  } finally {
    closeSync(file);
  }
  return hash.digest("hex");
}

/** @param names files and folders of the backup */
export function writeManifest(folder: string, names: readonly string[]): void {
  const paths = names.flatMap((name) => listFiles(join(folder, name)));
  const files = Object.fromEntries(paths.map((path) => [relative(folder, path), hashFile(path)]));
  writeFileSync(join(folder, MANIFEST), JSON.stringify({ files } satisfies BackupManifest), { mode: 0o600 });
}

function listFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/**
 * Reads every file of the backup.
 * @throws CommandFailed when one is missing or was changed
 */
export function checkManifest(folder: string): void {
  const path = join(folder, MANIFEST);
  if (!existsSync(path))
    throw new CommandFailed(
      `${folder} has no ${MANIFEST}, so the backup is not complete. Restore another one.`,
    );
  const { files }: BackupManifest = readManifest(path);
  const wrong = Object.entries(files).flatMap(([name, hash]) => {
    const file = join(folder, name);
    if (!existsSync(file)) return [`${name} is missing`];
    return hashFile(file) === hash ? [] : [`${name} was changed or is damaged`];
  });
  if (wrong.length === 0) return;
  const more = wrong.length > 1 ? `, and ${wrong.length - 1} more` : "";
  throw new CommandFailed(
    `The backup ${folder} cannot be used: ${wrong[0]}${more}. Nothing was restored. Restore another one.`,
  );
}

function readManifest(path: string): BackupManifest {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new CommandFailed(`${path} cannot be read. Nothing was restored. Restore another backup.`);
  }
}
