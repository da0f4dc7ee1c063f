/** zstd at its fastest level, for outbox rows and debug records: compressing is part of every commit. */
import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";

const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compressLater = promisify(zstdCompress);

/** The known length lets zstd allocate small tables for small inputs; the synchronous call knows it anyway. */
export const compress = (bytes: string | Uint8Array): Promise<Buffer> =>
  compressLater(bytes, { ...FASTEST, pledgedSrcSize: Buffer.byteLength(bytes) });
export const decompress: (bytes: Uint8Array) => Promise<Buffer> = promisify(zstdDecompress);

/** Blocks the thread; for the threads of the ledger. */
export const compressSync = (bytes: string | Uint8Array): Buffer => zstdCompressSync(bytes, FASTEST);
/** Blocks the thread; for the threads of the ledger. */
export const decompressSync = (bytes: Uint8Array): Buffer => zstdDecompressSync(bytes);
