/** Keeps the warehouse up: starts or connects to it, migrates its schema, pings it, and starts again after a failure. */
import { setTimeout as sleep } from "node:timers/promises";
import { connect, NOT_CLICKHOUSE, type WarehouseClient } from "../clickhouse/client.ts";
import { isDamage } from "../clickhouse/completeness.ts";
import { migrate } from "../clickhouse/migrate.ts";
import type { StartWarehouse, Warehouse, WarehouseProcess, WarehouseState } from "../clickhouse/warehouse.ts";
import { needsOperator } from "../core/errors.ts";
import { startWorker, type Worker, type WorkerLog } from "./worker.ts";

const WAREHOUSE_PING_MS = 2_000;
const WAREHOUSE_PING_TIMEOUT_MS = 10_000;
/** The warehouse is down after 3 pings in a row without an answer. */
const MAX_MISSED_PINGS = 3;
const WAREHOUSE_RETRY_MS = 500;
const MAX_WAREHOUSE_RETRY_MS = 30_000;

interface WarehouseMonitorDeps {
  startWarehouse: StartWarehouse;
  log: WorkerLog & { info(message: string): void; error(message: string): void };
  /** Whether another node has taken the warehouse over, and the address of that node. */
  isLost?(): boolean;
  nodeUrl?(): string | null;
}

export interface WarehouseMonitor extends Warehouse {
  /**
   * Starts the worker that brings the warehouse up. Stopping the worker ends the process and closes the client.
   * @param onUnusable called when the warehouse, which was not up yet, can only be used by a newer Headwater
   */
  start(onUnusable?: (cause: Error) => void): Worker;
}

/** A proxy's whole page would only fill the log. */
const MAX_PROBLEM_LENGTH = 500;

const describeProblem = ({ message }: Error): string =>
  message.trim().slice(0, MAX_PROBLEM_LENGTH) || NOT_CLICKHOUSE;

interface WarehouseConnection {
  process: WarehouseProcess;
  client: WarehouseClient;
}

async function closeConnection({ process, client }: WarehouseConnection): Promise<void> {
  process.end();
  await client.close();
}

/** A migration that changes stored events stops at a damaged part. */
async function migrateIntact({ endpoint }: WarehouseProcess, signal: AbortSignal, log: WorkerLog) {
  try {
    await migrate(endpoint);
  } catch (error) {
    if (!isDamage(error) || endpoint.cluster !== null) throw error;
    const { setDamagedPartsAside } = await import("../clickhouse/part-checks.ts");
    const { detached } = await setDamagedPartsAside(endpoint, { signal });
    const parts = detached.map(({ name }) => name);
    log.warn({ parts }, "damaged parts of the warehouse were detached, so that it can be migrated");
    await migrate(endpoint);
  }
}

/** @throws Error when the warehouse cannot be started or migrated; its process has been ended then */
async function openConnection(
  { startWarehouse, log }: WarehouseMonitorDeps,
  signal: AbortSignal,
): Promise<WarehouseConnection> {
  const process = await startWarehouse(signal);
  const connection = { process, client: connect(process.endpoint) };
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    const migrated = migrateIntact(process, signal, log).then(() => null);
    const endReason = await Promise.race([process.ended, aborted.promise, migrated]);
    if (endReason !== null) throw new Error(endReason);
    return connection;
  } catch (error) {
    await closeConnection(connection);
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * Waits for the time of the next ping and sends it. Returns whether it was answered in time.
 * @throws Error when the process has ended
 */
async function pingAfterWait(
  { process, client }: WarehouseConnection,
  signal: AbortSignal,
): Promise<boolean> {
  const wait = sleep(WAREHOUSE_PING_MS, null, { signal, ref: false });
  const endReason = await Promise.race([process.ended, wait]);
  if (endReason !== null) throw new Error(endReason);
  const timeout = AbortSignal.timeout(WAREHOUSE_PING_TIMEOUT_MS);
  const { success } = await client.ping({ select: false, abort_signal: AbortSignal.any([signal, timeout]) });
  return success;
}

/** @param close closes the connection when the worker has stopped */
function startMonitor(
  round: (signal: AbortSignal) => Promise<boolean>,
  close: () => Promise<void>,
  log: WorkerLog,
): Worker {
  const worker = startWorker({
    name: "warehouse monitor",
    round,
    idleMs: 0,
    retryMs: WAREHOUSE_RETRY_MS,
    maxRetryMs: MAX_WAREHOUSE_RETRY_MS,
    stopMs: 0,
    consequence: "the warehouse is down, and accepted events wait in the ledger",
    log,
  });
  const stop = () => worker.stop().then(close);
  return { ...worker, stop, [Symbol.asyncDispose]: stop };
}

/** @throws Error when another node has taken the warehouse over */
function checkPlace({ isLost, log }: WarehouseMonitorDeps): void {
  if (!isLost?.()) return;
  log.error("another node has taken over the warehouse, so the engine of this node is ended");
  throw new Error("Another node has taken it over.");
}

export function createWarehouseMonitor(deps: WarehouseMonitorDeps): WarehouseMonitor {
  const { log } = deps;
  let state: WarehouseState = "starting";
  let problem: string | null = null;
  let connection: WarehouseConnection | null = null;
  let missedPings = 0;
  let disconnects = 0;
  let starts = 0;
  let reportUnusable: (cause: Error) => void = () => undefined;

  const close = async () => {
    const closing = connection;
    connection = null;
    if (closing) await closeConnection(closing);
  };
  const open = async (signal: AbortSignal) => {
    connection = await openConnection(deps, signal);
    missedPings = 0;
    problem = null;
    state = "up";
    starts += 1;
    log.info("the warehouse is up");
  };
  const checkConnection = async (checked: WarehouseConnection, signal: AbortSignal) => {
    const isAnswered = await pingAfterWait(checked, signal);
    missedPings = isAnswered ? 0 : missedPings + 1;
    if (missedPings >= MAX_MISSED_PINGS) throw new Error("It does not answer.");
    checkPlace(deps);
  };
  const round = async (signal: AbortSignal): Promise<boolean> => {
    try {
      if (connection) await checkConnection(connection, signal);
      else await open(signal);
      return true;
    } catch (error) {
      if (connection) disconnects += 1;
      await close();
      state = deps.isLost?.() ? "elsewhere" : "down";
      // a service that has served with it goes on: during an upgrade a newer node has migrated the warehouse of all nodes
      if (starts === 0 && needsOperator(error)) reportUnusable(error);
      problem = describeProblem(error instanceof Error ? error : new Error(String(error)));
      throw new Error(problem);
    }
  };

  return {
    state: () => state,
    problem: () => problem,
    client: () => connection?.client ?? null,
    endpoint: () => connection?.process.endpoint ?? null,
    disconnects: () => disconnects,
    restarts: () => Math.max(0, starts - 1),
    engineBytes: () => connection?.process.residentBytes?.() ?? null,
    nodeUrl: () => deps.nodeUrl?.() ?? null,
    start: (onUnusable = () => undefined) => {
      reportUnusable = onUnusable;
      return startMonitor(round, close, log);
    },
  };
}
