/** Which build this is: the version, and the commit that it was made of. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export interface BuildInfo {
  readonly version: string;
  /** Null where neither a release nor git tells it. */
  readonly commit: string | null;
  /** Whether files differ from the commit. */
  readonly isModified: boolean;
}

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const DESCRIBE = ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"];
const GIT_TIMEOUT_MS = 5_000;

interface BuildManifest {
  readonly version: string;
  /** The answer of `askGit` when the release was made. */
  readonly build?: string;
}

function readManifest(): BuildManifest {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
}

/**
 * For a checkout. A folder without a history may lie in the repository of something else.
 * @returns the commit, with `-dirty` when files differ from it; an empty text when git does not tell it
 */
export async function askGit(): Promise<string> {
  if (!existsSync(`${ROOT}/.git`)) return "";
  const options = { cwd: ROOT, timeout: GIT_TIMEOUT_MS };
  return promisify(execFile)("git", DESCRIBE, options).then(
    ({ stdout }) => stdout.trim(),
    () => "",
  );
}

/** The version alone, without waiting for git. */
export const readVersion = (): string => readManifest().version;

export async function readBuild(): Promise<BuildInfo> {
  const { version, build = await askGit() } = readManifest();
  const [, commit = null, dirty] = /^([0-9a-f]{40})(-dirty)?$/.exec(build) ?? [];
  return { version, commit, isModified: dirty !== undefined };
}

const SHORT_COMMIT = 12;

/** For people: `0.1.0 (f0253fe03a1b, modified)`. */
export function describeBuild({ version, commit, isModified }: BuildInfo): string {
  if (commit === null) return version;
  return `${version} (${commit.slice(0, SHORT_COMMIT)}${isModified ? ", modified" : ""})`;
}
