/** Whether the service can accept requests. A worker probes the ledger and its disk once a second (docs/api/service.md). */
import type { StorageFailure } from "../core/errors.ts";
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

interface ReadinessDeps {
  ledger: Pick<Ledger, "probe" | "freeBytes" | "outboxStatus">;
  clock(): number;
  /** DISK_LOW_WATER_BYTES. */
  lowWaterBytes: number;
  /** Called when a probe finds other problems than the probe before it, or another cause of them, until the service stops. */
  onChange(state: ReadinessState, cause: StorageError | null): void;
}

const diskProblem = (lowWaterBytes: number) =>
  `The disk of DATA_DIR has less than DISK_LOW_WATER_BYTES (${lowWaterBytes}) free. Free some space.`;

/** Holds the outcome of the latest probe, and says whether the service is ready. */
export class Readiness {
  readonly #deps: ReadinessDeps;
  /** The outcome of the latest probe. */
  #failure: StorageError | null = null;
  #freeBytes: number | null = null;
  #isDraining = false;
  #status: LedgerStatus | null = null;
  #lastProblems = "";

  constructor(deps: ReadinessDeps) {
    this.#deps = deps;
  }

  state(): ReadinessState {
    const failure = this.#failure?.kind;
    const refusal = this.ingestRefusal() ?? (failure === "failed" ? "storage_unavailable" : null);
    return {
      ready: refusal === null,
      refusal,
      draining: this.#isDraining,
      problems: this.#problems(),
      storageFailure: failure ?? (this.#hasDiskSpace() ? null : "full"),
      status: this.#status,
      freeBytes: this.#freeBytes,
      lowWaterBytes: this.#deps.lowWaterBytes,
    };
  }

  /**
   * The code with which ingest refuses all requests; null when it accepts them. After most failures of the ledger, ingest
   * keeps trying to commit, so it recovers as soon as the ledger works. If the ledger is lost or damaged, a commit may not
   * be kept, so ingest refuses.
   */
  ingestRefusal(): ReadinessState["refusal"] {
    if (this.#isDraining) return "shutting_down";
    if (this.#isUnsafe()) return "storage_unavailable";
    return this.#hasDiskSpace() ? null : "storage_full";
  }

  async probe(): Promise<void> {
    const { ledger, clock, onChange } = this.#deps;
    // the probe fails on a full disk
    this.#freeBytes = await ledger.freeBytes().catch(() => null);
    try {
      this.#status = await ledger.probe({ now: clock() });
      this.#failure = null;
    } catch (error) {
      this.#failure =
        error instanceof StorageError ? error : new StorageError(String(error), "failed", error);
      // a lost or damaged ledger still ships, and the operator waits until it has
      if (this.#status && this.#isUnsafe())
        this.#status = { ...this.#status, ...(await ledger.outboxStatus().catch(() => null)) };
    }
    const found = this.state();
    // PostgreSQL may come back behind a pooler that cannot be used: the same problem, with another cause
    const text = [...found.problems, this.#failure?.message ?? ""].join(" ");
    if (text !== this.#lastProblems && !this.#isDraining) onChange(found, this.#failure);
    this.#lastProblems = text;
  }

  /** From now on the service is stopping and not ready. */
  drain(): void {
    this.#isDraining = true;
  }

  #hasDiskSpace(): boolean {
    const isFull = this.#failure?.kind === "full";
    return !isFull && (this.#freeBytes === null || this.#freeBytes >= this.#deps.lowWaterBytes);
  }

  #isUnsafe(): boolean {
    return this.#failure?.kind === "lost" || this.#failure?.kind === "damaged";
  }

  #problems(): string[] {
    return [
      ...(this.#isUnsafe() ? [`${this.#failure?.message}.`] : []),
      ...(this.#failure?.kind === "failed" ? ["The ledger cannot be written. The log names the cause."] : []),
      ...(this.#hasDiskSpace() ? [] : [diskProblem(this.#deps.lowWaterBytes)]),
      ...(this.#isDraining ? ["The service is stopping."] : []),
    ];
  }
}
