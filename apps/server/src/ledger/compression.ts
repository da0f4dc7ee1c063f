/** How lines of the outbox and records of attempts are kept: packed as fast as it gets. */
import { promisify } from "node:util";
import {
  constants,
  deflateSync,
  inflateSync,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from "node:zlib";

/** What is compressed says how long it is when it is unpacked. */
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const fastest = (bytes: string | Uint8Array) => ({ ...FASTEST, pledgedSrcSize: Buffer.byteLength(bytes) });
const compressLater = promisify(zstdCompress);

export const compress = (bytes: string | Uint8Array): Promise<Buffer> => compressLater(bytes, fastest(bytes));
/** For a thread of its own. */
export const compressSync = (bytes: string | Uint8Array): Buffer => zstdCompressSync(bytes, FASTEST);

export const decompress: (bytes: Uint8Array) => Promise<Buffer> = promisify(zstdDecompress);
/** For a thread of its own. */
export const decompressSync = (bytes: Uint8Array): Buffer => zstdDecompressSync(bytes);

/** With these eight bits zlib's format begins, and zstd's does not. */
const ZLIB = 0x78;

/** A record of an attempt, a few kilobytes of JSON: to begin with zstd would cost more than all of deflate. */
export const packRecord = (json: string): Buffer => deflateSync(json, { level: constants.Z_BEST_SPEED });
/** Also what the versions before packed, with zstd. */
export const unpackRecord = (packed: Uint8Array): string =>
  (packed[0] === ZLIB ? inflateSync(packed) : zstdDecompressSync(packed)).toString();
