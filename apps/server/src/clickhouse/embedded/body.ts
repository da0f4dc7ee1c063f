/** What comes with a request: a statement is read into memory; the data of an insert go to a file, from which the engine reads them. */
import { createWriteStream, mkdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { gunzip as gunzipWithCallback } from "node:zlib";
import { exception } from "./exception.ts";
import type { DataFile } from "./question.ts";

const gunzip = promisify(gunzipWithCallback);

/** A statement with its data, as it comes. */
const BODY_BYTES = 128 * 1_048_576;

/** Encodings of a body, and what the engine calls them. */
const COMPRESSIONS: Readonly<Record<string, string>> = { identity: "none", gzip: "gzip", zstd: "zstd" };

const encodingOf = ({ headers }: IncomingMessage) => headers["content-encoding"] ?? "identity";
const notHere = (encoding: string) =>
  exception(48, "NOT_IMPLEMENTED", `There is no Content-Encoding ${encoding} here`);

async function* bounded(request: IncomingMessage): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > BODY_BYTES)
      throw exception(229, "QUERY_IS_TOO_LARGE", `The body is larger than ${BODY_BYTES} bytes`);
    yield chunk as Buffer;
  }
}

/** The whole body, unpacked. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bounded(request)) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const encoding = encodingOf(request);
  if (encoding === "identity") return body;
  if (encoding !== "gzip") throw notHere(encoding);
  return gunzip(body, { maxOutputLength: BODY_BYTES }).catch((error: Error) => {
    throw exception(354, "ZLIB_INFLATE_FAILED", `The body cannot be inflated: ${error.message}`);
  });
}

export interface Inbox {
  /** Does the work with the body in a file, as it came. */
  receive<T>(request: IncomingMessage, work: (file: DataFile) => Promise<T>): Promise<T>;
}

/** @param folder of files that are gone when the process begins anew */
export function openInbox(folder: string): Inbox {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  let files = 0;
  return {
    receive: async (request, work) => {
      const encoding = encodingOf(request);
      const compression = COMPRESSIONS[encoding];
      if (compression === undefined) throw notHere(encoding);
      files += 1;
      const path = join(folder, String(files));
      try {
        await pipeline(bounded(request), createWriteStream(path, { mode: 0o600 }));
        return await work({ path, compression });
      } finally {
        await rm(path, { force: true });
      }
    },
  };
}
