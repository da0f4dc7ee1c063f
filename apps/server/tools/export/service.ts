/** Bytes of an export that a service gives. */
import { readFileSync } from "node:fs";
import type { ExportQuery } from "@headwater/contract";
import { CommandFailed, UsageError } from "../../src/cli/failure.ts";

export interface ServiceFlags {
  api: string;
  "token-file"?: string | undefined;
}

function readToken(path: string | undefined): string {
  if (path === undefined)
    throw new UsageError("--token-file is missing: a file with an access token of the source's workspace.");
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new UsageError(`--token-file ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function addressOf(api: string, query: ExportQuery): URL {
  const base = URL.parse(api);
  if (!base || !/^https?:$/.test(base.protocol))
    throw new UsageError(
      `--api must be the service's address, such as http://127.0.0.1:8790, not ${JSON.stringify(api)}.`,
    );
  const url = new URL(`${base.href.replace(/\/+$/, "")}/api/export/events`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return url;
}

export async function bytesOfService(
  flags: ServiceFlags,
  query: ExportQuery,
): Promise<AsyncIterable<Uint8Array>> {
  const url = addressOf(flags.api, query);
  const headers = { authorization: `Bearer ${readToken(flags["token-file"])}` };
  const reply = await fetch(url, { headers }).catch(({ cause, message }: Error) => {
    throw new CommandFailed(
      `${flags.api} does not answer (${(cause as Error | undefined)?.message ?? message}).`,
    );
  });
  if (reply.ok && reply.body) return reply.body;
  const failure = (await reply.json().catch(() => ({}))) as { message?: string; hint?: string };
  throw new CommandFailed(
    `${flags.api} refuses (${reply.status}): ${failure.message ?? ""} ${failure.hint ?? ""}`,
  );
}
