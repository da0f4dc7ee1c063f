/** The worker that checks the warehouse for failing merges, stuck mutations and other problems, twice a minute. */
import { readFindings } from "../clickhouse/health.ts";
import type { WarehouseHealth, WarehouseProblem } from "../clickhouse/problems.ts";
import type { Warehouse } from "../clickhouse/warehouse.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { SECOND_MS } from "../core/time.ts";
import { startWorker, type Worker, type WorkerLog } from "./worker.ts";

/** Twice a minute, so that an alert rule with `for: 1m` fires within two minutes. */
const CHECK_INTERVAL_MS = 30 * SECOND_MS;

interface WarehouseHealthDeps {
  warehouse: Pick<Warehouse, "client">;
  health: WarehouseHealth;
  clock(): number;
  log: WorkerLog & {
    info(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

/** Logs each problem when it appears and when it is resolved. */
function logChanges(previous: readonly WarehouseProblem[], { health, log }: WarehouseHealthDeps): void {
  const current = health.problems();
  for (const { key, text } of current)
    if (!previous.some((problem) => problem.key === key)) log.error({ problem: key }, text);
  for (const { key, text } of previous)
    if (!current.some((problem) => problem.key === key))
      log.info({ problem: key }, `warehouse problem resolved: ${text}`);
}

export function startWarehouseHealthWorker(deps: WarehouseHealthDeps): Worker {
  const { warehouse, health, clock, log } = deps;
  let checkedAt = Number.NEGATIVE_INFINITY;

  const round = async (cutOff: AbortSignal): Promise<boolean> => {
    const client = warehouse.client();
    if (client === null) {
      health.forget();
      checkedAt = Number.NEGATIVE_INFINITY;
      return false;
    }
    const now = clock();
    if (Math.abs(now - checkedAt) < CHECK_INTERVAL_MS) return false;
    checkedAt = now;
    const before = health.problems();
    health.update(await readFindings(client, health.failedMerges(), now, cutOff), now);
    logChanges(before, deps);
    return false;
  };
  return startWorker({
    name: "warehouse health",
    round,
    idleMs: SERVER_LIMITS.warehouseCheckIdleMs,
    retryMs: SERVER_LIMITS.warehouseCheckRetryMs,
    consequence: "merges and mutations of the warehouse that fail may go unnoticed",
    log,
  });
}
