/** The options of commands that call a running service: its address, and an access token. */
import { readFileSync } from "node:fs";
import { createApi, type HeadwaterApi } from "../../../packages/api/src/index.ts";
import { UsageError } from "../src/cli/errors.ts";
import { pickSource, pickWorkspace } from "../src/cli/pick-named.ts";
import { systemCode } from "../src/core/errors.ts";

export function parseHttpUrl(given: string, name: string): URL {
  const url = URL.parse(given);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(
    `${name} must be an address such as https://shop.example/, not ${JSON.stringify(given)}.`,
  );
}

function readToken(path: string | undefined): string {
  if (path === undefined)
    throw new UsageError(
      "Missing option --token-file <file>: a file that holds an access token of the workspace.",
    );
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`--token-file ${path} cannot be read (${systemCode(error)}).`);
  }
}

/** @param tokenFile the value of --token-file */
export const remoteApi = ({ href }: URL, tokenFile: string | undefined): HeadwaterApi =>
  createApi({ baseUrl: href, token: readToken(tokenFile) });

interface SourceOptions {
  /** An id, a name or a slug. */
  readonly source: string;
  /** The id or name of a workspace; undefined: every workspace of the token. */
  readonly organization: string | undefined;
}

export async function findSourceId(
  api: HeadwaterApi,
  { source, organization }: SourceOptions,
): Promise<string> {
  const { organizations } = await api.listOrganizations({});
  const chosen = organization === undefined ? organizations : [pickWorkspace(organizations, organization)];
  const sources = [];
  for (const { organizationId } of chosen)
    sources.push(...(await api.listSources({ query: { organizationId } })).sources);
  return pickSource(sources, source).sourceId;
}
