/** zstd at its fastest level, for outbox rows and debug records: compressing is part of every commit. */
import { promisify } from "node:util";
import {
  constants,
  type ZstdOptions,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from "node:zlib";

const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compressLater = promisify(zstdCompress);
const decompressLater: (bytes: Uint8Array, options: ZstdOptions) => Promise<Buffer> =
  promisify(zstdDecompress);

/** The known length lets zstd allocate small tables for small inputs; the synchronous call knows it anyway. */
export const compress = (bytes: string | Uint8Array): Promise<Buffer> =>
  compressLater(bytes, { ...FASTEST, pledgedSrcSize: Buffer.byteLength(bytes) });

/** Output is gathered in pieces, by default of 16 KiB. One byte more than the size, or a second piece would be made. */
const pieceOf = (size: number | undefined): ZstdOptions =>
  size === undefined ? {} : { chunkSize: Math.max(size + 1, constants.Z_MIN_CHUNK) };

/** @param size of the result, if it is known: unpacking in one piece takes a third of the time */
export const decompress = (bytes: Uint8Array, size?: number): Promise<Buffer> =>
  decompressLater(bytes, pieceOf(size));

/** Blocks the thread; for the threads of the ledger. */
export const compressSync = (bytes: string | Uint8Array): Buffer => zstdCompressSync(bytes, FASTEST);
/** Blocks the thread; for the threads of the ledger. @param size as of `decompress` */
export const decompressSync = (bytes: Uint8Array, size?: number): Buffer =>
  zstdDecompressSync(bytes, pieceOf(size));
