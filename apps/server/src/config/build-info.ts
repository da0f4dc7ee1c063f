/** Which build this is: the version, and the commit that it was made of. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export interface BuildInfo {
  readonly version: string;
  /** Null: neither the release nor git has it. */
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
 * Reads the commit of a checkout. A folder without git history may be inside another repository.
 * @returns the commit, with `-dirty` when files differ from it; an empty text when git does not know it
 */
export async function askGit(): Promise<string> {
  if (!existsSync(`${ROOT}/.git`)) return "";
  const options = { cwd: ROOT, timeout: GIT_TIMEOUT_MS };
  return promisify(execFile)("git", DESCRIBE, options).then(
    ({ stdout }) => stdout.trim(),
    () => "",
  );
}

/** The version only, without waiting for git. */
export const readVersion = (): string => readManifest().version;

let fromGit: Promise<string> | undefined;

/** Asks git once: a process that starts several services, as tests do, forks for each of them otherwise. */
export async function readBuild(): Promise<BuildInfo> {
  const manifest = readManifest();
  if (manifest.build === undefined) fromGit ??= askGit();
  const { version, build = (await fromGit) ?? "" } = manifest;
  const [, commit = null, dirty] = /^([0-9a-f]{40})(-dirty)?$/.exec(build) ?? [];
  return { version, commit, isModified: dirty !== undefined };
}

const SHORT_COMMIT = 12;

/** For people: `0.1.0 (f0253fe03a1b, modified)`. */
export function describeBuild({ version, commit, isModified }: BuildInfo): string {
  if (commit === null) return version;
  return `${version} (${commit.slice(0, SHORT_COMMIT)}${isModified ? ", modified" : ""})`;
}
