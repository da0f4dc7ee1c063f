/** Whether the service can accept requests. A worker probes the ledger and its disk once a second (docs/contract.md section 8). */
import type { StorageFailure } from "../core/records.ts";
import { type Ledger, type LedgerStatus, StorageError } from "../ledger/ledger.ts";

export interface ReadinessState {
  ready: boolean;
  /** The code with which /readyz refuses; null when the service is ready. */
  refusal: "storage_unavailable" | "storage_full" | "shutting_down" | null;
  /** Whether the service is stopping. */
  draining: boolean;
  /** Why the service is not ready, in sentences for the operator. */
  problems: string[];
  /** How the ledger's storage failed at the latest probe; null when it works. */
  storageFailure: StorageFailure | null;
  /** The ledger's answer to the latest probe that succeeded. Of a lost or damaged ledger the outbox is current. */
  status: LedgerStatus | null;
  /** Free space on the ledger's disk; Infinity when the disk belongs to a database server, null when it cannot be read. */
  freeBytes: number | null;
  /** DISK_LOW_WATER_BYTES. */
  lowWaterBytes: number;
}

export interface Readiness {
  state(): ReadinessState;
  /**
   * The code with which ingest refuses all requests; null when it accepts them. After most failures of the ledger, ingest
   * keeps trying to commit, so it recovers as soon as the ledger works. If the ledger is lost or damaged, a commit may not
   * be kept, so ingest refuses.
   */
  ingestRefusal(): ReadinessState["refusal"];
  probe(): Promise<void>;
  /** From now on the service is stopping and not ready. */
  drain(): void;
}

export interface ReadinessDeps {
  ledger: Pick<Ledger, "probe" | "freeBytes" | "outboxStatus">;
  clock(): number;
  /** DISK_LOW_WATER_BYTES. */
  lowWaterBytes: number;
  /** Called when a probe finds other problems than the probe before it, or another cause of them, until the service stops. */
  onChange(state: ReadinessState, cause: StorageError | null): void;
}

const diskProblem = (lowWaterBytes: number) =>
  `The disk of DATA_DIR has less than DISK_LOW_WATER_BYTES (${lowWaterBytes}) free. Free some space.`;

export function createReadiness({ ledger, clock, lowWaterBytes, onChange }: ReadinessDeps): Readiness {
  /** The outcome of the latest probe. */
  let failure: StorageError | null = null;
  let freeBytes: number | null = null;
  let draining = false;
  let status: LedgerStatus | null = null;
  let lastProblems = "";

  const hasDiskSpace = () => failure?.kind !== "full" && (freeBytes === null || freeBytes >= lowWaterBytes);
  const isUnsafe = () => failure?.kind === "lost" || failure?.kind === "damaged";
  const problems = () => [
    ...(isUnsafe() ? [`${failure?.message}.`] : []),
    ...(failure?.kind === "failed" ? ["The ledger cannot be written. The log names the cause."] : []),
    ...(hasDiskSpace() ? [] : [diskProblem(lowWaterBytes)]),
    ...(draining ? ["The service is stopping."] : []),
  ];
  const ingestRefusal = () => {
    if (draining) return "shutting_down";
    if (isUnsafe()) return "storage_unavailable";
    return hasDiskSpace() ? null : "storage_full";
  };
  const state = (): ReadinessState => {
    const refusal = ingestRefusal() ?? (failure?.kind === "failed" ? "storage_unavailable" : null);
    const storageFailure = failure?.kind ?? (hasDiskSpace() ? null : "full");
    const disk = { freeBytes, lowWaterBytes };
    return {
      ready: refusal === null,
      refusal,
      draining,
      problems: problems(),
      storageFailure,
      status,
      ...disk,
    };
  };

  return {
    state,
    ingestRefusal,
    probe: async () => {
      // the probe fails on a full disk
      freeBytes = await ledger.freeBytes().catch(() => null);
      try {
        status = await ledger.probe({ now: clock() });
        failure = null;
      } catch (error) {
        failure = error instanceof StorageError ? error : new StorageError(String(error), "failed", error);
        // a lost or damaged ledger still ships, and the operator waits until it has
        if (status && isUnsafe()) status = { ...status, ...(await ledger.outboxStatus().catch(() => null)) };
      }
      const found = state();
      // PostgreSQL may come back behind a pooler that cannot be used: the same problem, with another cause
      const text = [...found.problems, failure?.message ?? ""].join(" ");
      if (text !== lastProblems && !draining) onChange(found, failure);
      lastProblems = text;
    },
    drain: () => {
      draining = true;
    },
  };
}
