/**
 * The worker that reads the files of the warehouse: after each start of the warehouse, once a week, and when a query has
 * failed on damaged data.
 */
import type { WarehouseClient } from "../clickhouse/client.ts";
import type { WarehouseCompleteness } from "../clickhouse/completeness.ts";
import { type PartChecks, setDamagedPartsAside } from "../clickhouse/part-checks.ts";
import type { Warehouse } from "../clickhouse/warehouse.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { SECOND_MS } from "../core/time.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { sumEvents } from "../ledger/warehouse-report.ts";
import { startWorker, type Worker, type WorkerLog } from "./worker.ts";

/** All files of the warehouse are read this often; after a query has failed on damaged data, not more often than that. */
const PART_CHECK_MS = 7 * 86_400_000;
const SUSPICION_CHECK_MS = 600_000;

const MAX_LOGGED_PARTS = 10;

interface PartCheckDeps {
  ledger: Pick<Ledger, "warehouseCheck" | "savePartsCheck">;
  warehouse: Pick<Warehouse, "client" | "endpoint">;
  completeness: WarehouseCompleteness;
  /** Called when parts were detached: the warehouse holds less than before. */
  onDetached(): void;
  clock(): number;
  log: WorkerLog & { error(fields: object, message: string): void };
}

async function readStartTime(client: WarehouseClient, now: number): Promise<number> {
  const answer = await client.query({ query: "SELECT toUInt32(uptime()) AS seconds", format: "JSONEachRow" });
  const [row] = await answer.json<{ seconds: number }>();
  return now - (row?.seconds ?? 0) * SECOND_MS;
}

function logOutcome({ log }: PartCheckDeps, { detached, stuck, unchecked }: PartChecks): void {
  const describe = (parts: PartChecks["detached"]) => ({
    parts: parts.map(({ name }) => name),
    events: sumEvents(parts.map(({ rows }) => ({ events: rows }))),
  });
  if (detached.length > 0)
    log.error(
      describe(detached),
      "damaged parts of the warehouse were detached; see docs/operate/runbook/HeadwaterEventsMissing.md",
    );
  if (stuck.length > 0)
    log.error(
      describe(stuck),
      "damaged parts of the warehouse cannot be detached, so queries fail on them; detach them with ALTER TABLE events DETACH PART",
    );
  if (unchecked.length > 0)
    log.warn(
      { parts: unchecked.slice(0, MAX_LOGGED_PARTS), count: unchecked.length },
      "some parts of the warehouse could not be checked now; they are checked again at the next start",
    );
}

export function startPartCheckWorker(deps: PartCheckDeps): Worker {
  const { ledger, warehouse, completeness, onDetached, clock, log } = deps;
  /** The connection that needs no check until `nextAt`. */
  let checkedClient: WarehouseClient | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;
  /** When a check was last made because of a query that failed. */
  let suspicionAt = Number.NEGATIVE_INFINITY;

  /** Other nodes may have checked the warehouse since it was started. */
  const isDueAtStart = async (client: WarehouseClient, now: number): Promise<boolean> => {
    const { partsCheckedAt } = await ledger.warehouseCheck();
    const startedAt = await readStartTime(client, now);
    return partsCheckedAt < startedAt + SECOND_MS || now - partsCheckedAt >= PART_CHECK_MS;
  };
  const isDue = async (client: WarehouseClient, now: number): Promise<boolean> => {
    if (completeness.isSuspected() && Math.abs(now - suspicionAt) >= SUSPICION_CHECK_MS) return true;
    if (client !== checkedClient) return isDueAtStart(client, now);
    return Math.abs(now - checkedAt) >= PART_CHECK_MS;
  };
  const round = async (cutOff: AbortSignal, stopping: AbortSignal): Promise<boolean> => {
    const client = warehouse.client();
    const endpoint = warehouse.endpoint();
    const now = clock();
    // on a cluster, replicas check their parts and fetch damaged ones from each other
    if (client === null || endpoint === null || endpoint.cluster !== null) return false;
    if (await isDue(client, now)) {
      if (completeness.isSuspected()) suspicionAt = now;
      // before the check, so that no other node begins one too
      await ledger.savePartsCheck({ partsCheckedAt: now });
      const found = await setDamagedPartsAside(endpoint, { signal: cutOff, stopping, paceClock: clock });
      checkedAt = now;
      logOutcome(deps, found);
      if (found.detached.length > 0) onDetached();
      if (found.stuck.length === 0) completeness.clearSuspicion();
    }
    checkedClient = client;
    return false;
  };
  const worker = startWorker({
    name: "warehouse part checks",
    round,
    idleMs: SERVER_LIMITS.warehouseCheckIdleMs,
    retryMs: SERVER_LIMITS.warehouseCheckRetryMs,
    consequence: "damage of the warehouse's files may go unnoticed",
    log,
  });
  completeness.onSuspicion(worker.wake);
  return worker;
}
