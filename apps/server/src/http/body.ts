/** Reads request bodies. Every read is bounded; ingest bodies may be compressed with gzip (docs/api/ingest.md). */
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Refusal } from "../core/refusal.ts";
import {
  addPendingBody,
  type BodyOwner,
  endPendingBody,
  growPendingBody,
} from "../overload/pending-bodies.ts";

/**
 * How much beyond the limit is read and dropped, so that a client that sends its whole body first can read the
 * refusal. It covers the largest limit that a source can have and that a proxy lets through (deploy/nginx.conf).
 */
const MAX_DRAINED_BYTES = 6_291_456;

export interface RequestBytes {
  /** The body, cut off at the limit. */
  readonly bytes: Buffer;
  /** The bytes that were received; larger than the limit when the body is too large. */
  readonly sizeBytes: number;
}

/** The body of an ingest request, decompressed. */
export interface IngestBody extends RequestBytes {
  /** `too_large`: `bytes` holds the beginning. `bad_encoding`: an unknown, doubled or corrupt content encoding. */
  readonly problem: "too_large" | "bad_encoding" | null;
}

const connectionClosed = () =>
  new Refusal("request_timeout", {
    message: "The connection was closed before the request was complete.",
  });

/** Frees the memory of a chunk at once. Otherwise chunks of refused bodies stay in memory until a garbage collection. */
function freeChunk({ buffer, byteLength }: Buffer): void {
  const isItsOwn = buffer.byteLength === byteLength;
  if (isItsOwn && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/**
 * Reads a body up to `maxBytes`. The request is paused when far more than that arrives.
 * @throws Refusal 408 when the client disconnects or is too slow, 400 when it sends invalid HTTP
 */
export function readBytes(
  request: IncomingMessage,
  maxBytes: number,
  owner: BodyOwner,
): Promise<RequestBytes> {
  const { socket } = request;
  return new Promise((resolve, reject) => {
    if (request.destroyed) return reject(connectionClosed());
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const receive = (chunk: Buffer) => {
      sizeBytes += chunk.length;
      growPendingBody(socket, chunk.length);
      if (sizeBytes <= maxBytes) chunks.push(chunk);
      else if (sizeBytes > maxBytes + MAX_DRAINED_BYTES) {
        request.pause();
        finish();
      }
    };
    const finish = () => {
      endPendingBody(socket);
      const [first = Buffer.alloc(0)] = chunks;
      resolve({ bytes: chunks.length > 1 ? Buffer.concat(chunks) : first, sizeBytes });
      if (chunks.length > 1) chunks.forEach(freeChunk);
    };
    const fail = (refusal: Refusal) => {
      endPendingBody(socket);
      // what arrives now is dropped
      request.off("data", receive);
      chunks.splice(0).forEach(freeChunk);
      reject(refusal);
    };
    if (!request.complete) addPendingBody(request, owner, fail);
    request.on("data", receive);
    request.on("end", finish);
    request.on("error", () => fail(connectionClosed()));
    request.on("close", () => {
      if (!request.complete) fail(connectionClosed());
    });
  });
}

const gunzipAsync = promisify(gunzip);
const isTooLargeError = (error: unknown) =>
  error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";

/** Decompresses up to the limit and no further, so that a decompression bomb costs no more than a large body. */
async function decompress(compressed: Buffer, maxBytes: number): Promise<IngestBody> {
  try {
    const bytes = await gunzipAsync(compressed, { maxOutputLength: maxBytes });
    return { bytes, sizeBytes: bytes.length, problem: null };
  } catch (error) {
    if (isTooLargeError(error)) return { bytes: compressed, sizeBytes: maxBytes + 1, problem: "too_large" };
    return { bytes: compressed, sizeBytes: compressed.length, problem: "bad_encoding" };
  }
}

/** Data that does not compress grows a little: a header, and a few bytes for each block. */
const maxCompressedBytes = (maxBytes: number) => maxBytes + (maxBytes >> 8) + 1_024;

/**
 * Reads the body of an ingest request.
 * @param maxBytes counts decompressed bytes
 * @throws Refusal as `readBytes`
 */
export async function readIngestBody(
  request: IncomingMessage,
  maxBytes: number,
  owner: BodyOwner,
): Promise<IngestBody> {
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  const isGzip = encoding === "gzip" || encoding === "x-gzip";
  const maxReceived = isGzip ? maxCompressedBytes(maxBytes) : maxBytes;
  const received = await readBytes(request, maxReceived, owner);
  if (received.sizeBytes > maxReceived) return { ...received, problem: "too_large" };
  if (isGzip) return decompress(received.bytes, maxBytes);
  const isPlain = encoding === "" || encoding === "identity";
  return { ...received, problem: isPlain ? null : "bad_encoding" };
}
