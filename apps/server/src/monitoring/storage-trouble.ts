/**
 * A storage that fails is said when it begins, with the cause, and when it is over, with how many requests failed:
 * a line a request would fill the very disk that is full.
 */
import type { StorageError } from "../ledger/ledger.ts";

export interface TroubleLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface StorageTrouble {
  /** A request could not be answered because of the storage. */
  failed(error: StorageError, requestId: string): void;
  /** Something was stored. */
  worked(): void;
}

/** A disk with room for small writes only is one trouble, not one a request. */
const OVER_AFTER_MS = 5_000;
/** A failure after so long without one has a cause of its own. */
const ANEW_AFTER_MS = 60_000;

/** @param clock milliseconds since the epoch */
export function watchStorageTrouble(log: TroubleLog, clock: () => number): StorageTrouble {
  let failed = 0;
  let lastAt = 0;

  return {
    failed(error, requestId) {
      const now = clock();
      const begins = failed === 0 || now - lastAt > ANEW_AFTER_MS;
      lastAt = now;
      failed++;
      if (begins)
        log.error({ err: error, requestId }, "the storage fails; requests are answered 503 until it works");
    },
    worked() {
      if (failed === 0 || clock() - lastAt < OVER_AFTER_MS) return;
      log.info({ failed }, "the storage works again");
      failed = 0;
    },
  };
}
