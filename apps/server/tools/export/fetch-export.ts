/** Downloads an export from a running service. */
import type { ExportQuery } from "@headwater/contract";
import { CommandFailed } from "../../src/cli/errors.ts";
import { describeFetchError, describeRefusal } from "../http-errors.ts";
import { readToken, remoteUrl } from "../remote-service.ts";

export interface ExportRequest {
  /** The value of --api. */
  readonly api: string;
  /** The value of --token-file. */
  readonly tokenFile: string | undefined;
  readonly query: ExportQuery;
}

function buildUrl({ api, query }: ExportRequest): URL {
  const url = remoteUrl(api, "/api/export/events");
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
