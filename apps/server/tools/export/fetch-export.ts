/** Downloads an export from a running service. */
import { readFileSync } from "node:fs";
import type { ExportQuery } from "@headwater/contract";
import { CommandFailed, systemCode, UsageError } from "../../src/cli/errors.ts";
import { describeFetchError, describeRefusal } from "../http-errors.ts";

export interface ExportRequest {
  /** The value of --api. */
  readonly api: string;
  /** The value of --token-file. */
  readonly tokenFile: string | undefined;
  readonly query: ExportQuery;
}

function readToken(path: string | undefined): string {
  if (path === undefined)
    throw new UsageError(
      "Missing option --token-file <file>: a file that holds an access token of the source's workspace.",
    );
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new UsageError(`--token-file ${path} cannot be read (${systemCode(error)}).`);
  }
}

function buildUrl({ api, query }: ExportRequest): URL {
  const base = URL.parse(api);
  if (!base || !/^https?:$/.test(base.protocol))
    throw new UsageError(
      `--api must be the address of the service, such as http://127.0.0.1:8790, not ${JSON.stringify(api)}.`,
    );
  const url = new URL(`${base.href.replace(/\/+$/, "")}/api/export/events`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return url;
}

export async function fetchExport(request: ExportRequest): Promise<AsyncIterable<Uint8Array>> {
  const { api, tokenFile } = request;
  const url = buildUrl(request);
  const headers = { authorization: `Bearer ${readToken(tokenFile)}` };
  const response = await fetch(url, { headers }).catch((error: unknown) => {
    throw new CommandFailed(describeFetchError(api, error));
  });
  if (response.ok && response.body) return response.body;
  throw new CommandFailed(await describeRefusal(api, response));
}
