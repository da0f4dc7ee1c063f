/** Reads request bodies: a statement into memory, the data of an insert into a file, which the engine then reads. */
import { createWriteStream, mkdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { exception } from "./exception.ts";

const MAX_BODY_BYTES = 128 * 1_048_576;

/** Encodings of insert data, and the engine's names for them. */
const COMPRESSIONS = new Map([
  ["identity", "none"],
  ["zstd", "zstd"],
]);

/** The data of an insert, in a file. */
export interface DataFile {
  path: string;
  /** The engine's name of the compression. */
  compression: string;
}

async function* readBounded(request: IncomingMessage): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES)
      throw exception(229, "QUERY_IS_TOO_LARGE", `The body is larger than ${MAX_BODY_BYTES} bytes`);
    yield chunk;
  }
}

/** @throws ClickHouseException when the body is compressed or too large */
export async function readStatement(request: IncomingMessage): Promise<string> {
  if (request.headers["content-encoding"] !== undefined)
    throw exception(48, "NOT_IMPLEMENTED", "The embedded warehouse takes no compressed statements");
  const chunks: Buffer[] = [];
  for await (const chunk of readBounded(request)) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

export interface Inbox {
  /** Calls `work` with the body in a file, and deletes the file afterwards. */
  receive<T>(request: IncomingMessage, work: (file: DataFile) => Promise<T>): Promise<T>;
}

/** @param folder emptied first: files that an earlier process left behind are of no use */
export function openInbox(folder: string): Inbox {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  let files = 0;
  return {
    receive: async (request, work) => {
      const encoding = request.headers["content-encoding"] ?? "identity";
      const compression = COMPRESSIONS.get(encoding);
      if (compression === undefined)
        throw exception(
          48,
          "NOT_IMPLEMENTED",
          `The embedded warehouse cannot read Content-Encoding ${encoding}`,
        );
      files += 1;
      const path = join(folder, String(files));
      try {
        await pipeline(readBounded(request), createWriteStream(path, { mode: 0o600 }));
        return await work({ path, compression });
      } finally {
        await rm(path, { force: true });
      }
    },
  };
}
