/** Whether the service can accept requests. A worker probes the ledger and its disk once a second (docs/contract.md section 8). */
import { type Ledger, type LedgerStatus, StorageError } from "../ledger/ledger.ts";

export interface ReadinessState {
  ready: boolean;
  /** The refusal that requests get when the service is not ready; null when it is. */
  refusal: "storage_unavailable" | "storage_full" | "shutting_down" | null;
  /** Whether the service is stopping. */
  draining: boolean;
  /** Why the service is not ready, in sentences for the operator. */
  problems: string[];
  /** The ledger's answer to the latest probe that succeeded. */
  status: LedgerStatus | null;
}

export interface Readiness {
  now(): ReadinessState;
  /**
   * Why no event can be accepted; null when it can. A ledger that failed the last probe is not a reason: ingest tries to
   * commit, and so learns at once when the ledger works again.
   */
  refusal(): "storage_full" | "shutting_down" | null;
  probe(): Promise<void>;
  /** From now on the service is stopping and not ready. */
  drain(): void;
}

export interface ReadinessDeps {
  ledger: Pick<Ledger, "probe">;
  clock(): number;
  /** DISK_LOW_WATER_BYTES. */
  lowWaterBytes: number;
  /** Called when a probe finds that the service became ready or not ready. */
  onChange(state: ReadinessState): void;
}

export function createReadiness({ ledger, clock, lowWaterBytes, onChange }: ReadinessDeps): Readiness {
  let isLedgerWritable = true;
  let hasDiskSpace = true;
  let draining = false;
  let status: LedgerStatus | null = null;
  let wasReady = true;

  const problems = () => [
    ...(isLedgerWritable ? [] : ["The ledger cannot be written. The log names the cause."]),
    ...(hasDiskSpace
      ? []
      : [
          `The disk of DATA_DIR has less than DISK_LOW_WATER_BYTES (${lowWaterBytes}) free. Free some space.`,
        ]),
    ...(draining ? ["The service is stopping."] : []),
  ];
  const refusal = () => {
    if (draining) return "shutting_down";
    return hasDiskSpace ? null : "storage_full";
  };
  const now = (): ReadinessState => {
    const reason = refusal() ?? (isLedgerWritable ? null : "storage_unavailable");
    return { ready: reason === null, refusal: reason, draining, problems: problems(), status };
  };

  return {
    now,
    refusal,
    probe: async () => {
      try {
        status = await ledger.probe({ now: clock() });
        isLedgerWritable = true;
        hasDiskSpace = status.freeBytes >= lowWaterBytes;
      } catch (error) {
        if (error instanceof StorageError && error.full) hasDiskSpace = false;
        else isLedgerWritable = false;
      }
      const state = now();
      if (state.ready !== wasReady) onChange(state);
      wasReady = state.ready;
    },
    drain: () => {
      draining = true;
    },
  };
}
