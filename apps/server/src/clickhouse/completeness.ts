/**
 * Whether the warehouse still has the events that were shipped to it. The worker that counts the missing events publishes its
 * report here. A query that fails on damaged data is recorded here until the parts are checked next.
 */
import { COMPLETE, type WarehouseReport } from "../ledger/warehouse-report.ts";

/** Error codes of ClickHouse for data on the disk that cannot be read. */
const DAMAGE_CODES = new Set([
  "32", // ATTEMPT_TO_READ_AFTER_EOF
  "33", // CANNOT_READ_ALL_DATA
  "39", // TOO_LARGE_SIZE_COMPRESSED
  "40", // CHECKSUM_DOESNT_MATCH
  "74", // CANNOT_READ_FROM_FILE_DESCRIPTOR
  "76", // CANNOT_OPEN_FILE
  "89", // UNKNOWN_COMPRESSION_METHOD
  "107", // FILE_DOESNT_EXIST
  "117", // INCORRECT_DATA
  "226", // NO_FILE_IN_DATA_PART
  "228", // BAD_SIZE_OF_FILE_IN_DATA_PART
  "246", // CORRUPTED_DATA
  "271", // CANNOT_DECOMPRESS
  "341", // UNFINISHED: a migration that waits for a part that cannot be read
  "432", // UNKNOWN_CODEC
  "713", // BROKEN_PROJECTION
]);

/** @param code a number as text */
export const isDamageCode = (code: string): boolean => DAMAGE_CODES.has(code);

/** Whether a query failed because data of the warehouse is damaged. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Error && "code" in error && isDamageCode(String(error.code));

export interface WarehouseCompleteness {
  /** The report that was published last. */
  report(): WarehouseReport;
  publish(report: WarehouseReport): void;
  /** Whether events are missing, or a query has failed on damaged data since the parts were last checked. */
  isIncomplete(): boolean;
  /** Call it when a query failed on damaged data. */
  suspectDamage(): void;
  /** Whether a query has failed on damaged data since the parts were last checked. */
  isSuspected(): boolean;
  /** Call it when the parts of the warehouse have been checked. */
  clearSuspicion(): void;
  /** @param listener called by `suspectDamage` */
  onSuspicion(listener: () => void): void;
}

export function createCompleteness(): WarehouseCompleteness {
  let report = COMPLETE;
  let isSuspected = false;
  const listeners: (() => void)[] = [];
  return {
    report: () => report,
    publish: (next) => {
      report = next;
    },
    isIncomplete: () => report.missingEvents > 0 || isSuspected,
    suspectDamage: () => {
      isSuspected = true;
      for (const listener of listeners) listener();
    },
    isSuspected: () => isSuspected,
    clearSuspicion: () => {
      isSuspected = false;
    },
    onSuspicion: (listener) => void listeners.push(listener),
  };
}
