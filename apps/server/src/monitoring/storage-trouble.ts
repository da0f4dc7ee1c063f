/**
 * Logs a failing storage once when it starts to fail, with the cause, and once when it works again, with the number of
 * failed requests. A line per request would fill the disk that is already full.
 */
import { type RequestIds, toLogIds } from "../http/trace-context.ts";
import type { StorageError } from "../ledger/ledger.ts";

interface StorageTroubleLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export type StorageTrouble = ReturnType<typeof watchStorageTrouble>;

/** A nearly full disk accepts small writes and refuses larger ones. After this long without a failure, the storage has recovered. */
const RECOVERED_AFTER_MS = 5_000;
/** After this long without a failure the next one is logged again, since it may have another cause. */
const LOG_AGAIN_AFTER_MS = 60_000;

/** @param clock milliseconds since the epoch */
export function watchStorageTrouble(log: StorageTroubleLog, clock: () => number) {
  let failed = 0;
  let lastAt = 0;

  return {
    /** Call it for each request that the storage failed. */
    failed(error: StorageError, ids: RequestIds): void {
      const now = clock();
      const isFirst = failed === 0 || now - lastAt > LOG_AGAIN_AFTER_MS;
      lastAt = now;
      failed++;
      if (isFirst)
        log.error({ err: error, ...toLogIds(ids) }, "the storage fails, so requests get 503 until it works");
    },
    /** Call it for each request that was stored. */
    worked(): void {
      if (failed === 0 || clock() - lastAt < RECOVERED_AFTER_MS) return;
      log.info({ failed }, "the storage works again");
      failed = 0;
    },
  };
}
