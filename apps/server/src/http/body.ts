/** The body of an ingest request (CONTRACT section 4): gzip is read, and limits count what comes out of it. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Body } from "../core/ingest-request.ts";
import { Refusal } from "../core/refusal.ts";

/**
 * So much beyond the limit is read and dropped, so that a client which sends it all gets to read the refusal: whatever a
 * proxy lets through that is set up for the largest limit a source can have (deploy/nginx.conf).
 */
const DRAINED_BYTES = 6_291_456;

const gunzipAsync = promisify(gunzip);

const gone = () =>
  new Refusal("request_timeout", { message: "The connection was closed before the request was whole." });

interface Raw {
  /** No more than the limit. */
  bytes: Buffer;
  sizeBytes: number;
}

/** Who reads a body from a socket just now. */
const reading = new WeakMap<Socket, (refusal: Refusal) => void>();

/** Ends the reading of a body that will never be whole; false when none is read from that socket. */
export function breakOff(socket: Socket, refusal: Refusal): boolean {
  const reject = reading.get(socket);
  reject?.(refusal);
  return reject !== undefined;
}

function readRaw(request: IncomingMessage, limitBytes: number): Promise<Raw> {
  return new Promise((resolve, reject) => {
    reading.set(request.socket, reject);
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const finish = () => {
      reading.delete(request.socket);
      resolve({ bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), sizeBytes });
    };
    request.on("data", (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= limitBytes) chunks.push(chunk);
      else if (sizeBytes > limitBytes + DRAINED_BYTES) {
        request.pause();
        finish();
      }
    });
    request.on("end", finish);
    request.on("error", () => reject(gone()));
    request.on("close", () => {
      if (!request.complete) reject(gone());
    });
  });
}

/** A bomb is unpacked up to the limit and no further. */
async function decompress(compressed: Buffer, limitBytes: number): Promise<Body> {
  try {
    const bytes = await gunzipAsync(compressed, { maxOutputLength: limitBytes });
    return { bytes, tooLarge: false, sizeBytes: bytes.length, badEncoding: false };
  } catch (error) {
    const tooLarge = (error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE";
    return {
      bytes: compressed,
      tooLarge,
      sizeBytes: tooLarge ? limitBytes + 1 : compressed.length,
      badEncoding: !tooLarge,
    };
  }
}

/** What does not compress grows by its packing: a header, and a few bytes a block. */
const packedBytes = (limitBytes: number) => limitBytes + (limitBytes >> 8) + 1_024;

/**
 * @param limitBytes counts decompressed bytes
 * @throws Refusal 408 when the client goes away (there is then nobody to answer) or is too slow; 400 when what it
 *   sends is no HTTP
 */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Body> {
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  const isPacked = encoding === "gzip" || encoding === "x-gzip";
  const bound = isPacked ? packedBytes(limitBytes) : limitBytes;
  const { bytes, sizeBytes } = await readRaw(request, bound);
  if (sizeBytes > bound) return { bytes, tooLarge: true, sizeBytes, badEncoding: false };
  if (isPacked) return decompress(bytes, limitBytes);
  const badEncoding = encoding !== "identity" && encoding !== "";
  return { bytes, tooLarge: false, sizeBytes, badEncoding };
}
