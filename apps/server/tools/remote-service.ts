/** The options of commands that call a running service: its address, and an access token. */
import { readFileSync } from "node:fs";
import { systemCode, UsageError } from "../src/cli/errors.ts";

/** @param path the value of --token-file */
export function readToken(path: string | undefined): string {
  if (path === undefined)
    throw new UsageError(
      "Missing option --token-file <file>: a file that holds an access token of the workspace.",
    );
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new UsageError(`--token-file ${path} cannot be read (${systemCode(error)}).`);
  }
}

/**
 * @param api the value of --api
 * @param path of the operation
 */
export function remoteUrl(api: string, path: string): URL {
  const base = URL.parse(api);
  if (!base || !/^https?:$/.test(base.protocol))
    throw new UsageError(
      `--api must be the address of the service, such as http://127.0.0.1:8790, not ${JSON.stringify(api)}.`,
    );
  return new URL(`${base.href.replace(/\/+$/, "")}${path}`);
}
