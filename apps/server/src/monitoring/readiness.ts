/** Can the service take requests? Asked of the ledger and the disk every second (CONTRACT section 8). */
import { type Ledger, type LedgerStatus, StorageError } from "../ledger/ledger.ts";

const PROBE_MS = 1_000;

export interface Readiness {
  ready: boolean;
  /** Why not, as a refusal's code; null when it is ready. */
  refusal: "storage_unavailable" | "storage_full" | "shutting_down" | null;
  draining: boolean;
  problems: string[];
  status: LedgerStatus | null;
}

export interface ReadinessWatch {
  now(): Readiness;
  /** Why nothing can be accepted; null: it can. */
  refusal(): "storage_full" | "shutting_down" | null;
  probe(): Promise<void>;
  drain(): void;
  stop(): void;
}

export function watchReadiness(
  ledger: Pick<Ledger, "probe">,
  clock: () => number,
  lowWaterBytes: number,
  onChange: (readiness: Readiness) => void,
): ReadinessWatch {
  let ledgerWrites = true;
  let hasRoom = true;
  let draining = false;
  let status: LedgerStatus | null = null;
  let wasReady = true;

  const problems = () => [
    ...(ledgerWrites ? [] : ["The ledger cannot be written."]),
    ...(hasRoom ? [] : [`The disk of DATA_DIR has less than DISK_LOW_WATER_BYTES (${lowWaterBytes}) free.`]),
    ...(draining ? ["The service is stopping."] : []),
  ];
  /** While the ledger is said to fail, ingest tries it all the same: it learns at once that it works again. */
  const refusal = () => (draining ? "shutting_down" : hasRoom ? null : "storage_full");
  const now = (): Readiness => {
    const reason = refusal() ?? (ledgerWrites ? null : "storage_unavailable");
    return { ready: reason === null, refusal: reason, draining, problems: problems(), status };
  };

  const probe = async () => {
    try {
      status = await ledger.probe({ now: clock() });
      ledgerWrites = true;
      hasRoom = status.freeBytes >= lowWaterBytes;
    } catch (error) {
      if (error instanceof StorageError && error.full) hasRoom = false;
      else ledgerWrites = false;
    }
    const readiness = now();
    if (readiness.ready !== wasReady) onChange(readiness);
    wasReady = readiness.ready;
  };

  let probing = false;
  const timer = setInterval(async () => {
    if (probing) return;
    probing = true;
    await probe();
    probing = false;
  }, PROBE_MS);
  timer.unref();

  return {
    now,
    refusal,
    probe,
    drain: () => {
      draining = true;
    },
    stop: () => clearInterval(timer),
  };
}
