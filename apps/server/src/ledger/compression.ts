/** How lines of the outbox and records of attempts are kept: zstd, as fast as it gets, for it is on the way of a commit. */
import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";

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
