/** Whether the service can accept requests. A worker probes the ledger and its disk once a second (docs/contract.md section 8). */
import { type Ledger, type LedgerStatus, StorageError } from "../ledger/ledger.ts";

export interface ReadinessState {
  ready: boolean;
  /** The code with which /readyz refuses; null when the service is ready. */
  refusal: "storage_unavailable" | "storage_full" | "shutting_down" | null;
  /** Whether the service is stopping. */
  draining: boolean;
  /** Why the service is not ready, in sentences for the operator. */
  problems: string[];
  /** The ledger's answer to the latest probe that succeeded. */
  status: LedgerStatus | null;
}

export interface Readiness {
  state(): ReadinessState;
  /**
   * The code with which ingest refuses all requests; null when it accepts them. It is never `storage_unavailable`: while
   * the ledger fails, ingest tries each commit, and so learns at once when the ledger works again.
   */
  ingestRefusal(): "storage_full" | "shutting_down" | null;
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
  const ingestRefusal = () => {
    if (draining) return "shutting_down";
    return hasDiskSpace ? null : "storage_full";
  };
  const state = (): ReadinessState => {
    const refusal = ingestRefusal() ?? (isLedgerWritable ? null : "storage_unavailable");
    return { ready: refusal === null, refusal, draining, problems: problems(), status };
  };

  return {
    state,
    ingestRefusal,
    probe: async () => {
      try {
        status = await ledger.probe({ now: clock() });
        isLedgerWritable = true;
        hasDiskSpace = status.freeBytes >= lowWaterBytes;
      } catch (error) {
        if (error instanceof StorageError && error.kind === "full") hasDiskSpace = false;
        else isLedgerWritable = false;
      }
      const found = state();
      if (found.ready !== wasReady) onChange(found);
      wasReady = found.ready;
    },
    drain: () => {
      draining = true;
    },
  };
}
