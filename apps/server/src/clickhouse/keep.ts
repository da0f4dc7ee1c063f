/** Keeps a warehouse up: brings it up, brings its schema up to date, watches it, and begins again when it went away. */

import { setTimeout as pause } from "node:timers/promises";
import type { ClickHouseClient } from "@clickhouse/client";
import { SERVER_LIMITS } from "../core/limits.ts";
import { connect, NOT_CLICKHOUSE, type WarehouseClient } from "./client.ts";
import { migrate } from "./migrate.ts";
import type { Endpoint, Warehouse, WarehouseState } from "./warehouse.ts";

/** From one start to its end. */
export interface Life {
  endpoint: Endpoint;
  /** Resolves with the reason when it has ended by itself; a server elsewhere never tells. */
  ended: Promise<string>;
  /** Ends it for certain, if it is ours to end. */
  end(): void;
}

/** @param signal gives up a start that is under way */
export type StartLife = (signal?: AbortSignal) => Promise<Life>;

export interface KeepOptions {
  start: StartLife;
  log: { info(message: string): void; warn(fields: object, message: string): void };
}

/** Of a proxy's page nobody wants more in the log. */
const PROBLEM_LENGTH = 500;

const problemOf = ({ message }: Error): string => message.trim().slice(0, PROBLEM_LENGTH) || NOT_CLICKHOUSE;

/** Resolves with the reason when it has not answered for too long. */
async function silence(client: ClickHouseClient, signal: AbortSignal): Promise<string> {
  for (let missed = 0; missed < SERVER_LIMITS.warehousePingsMissed; ) {
    await pause(SERVER_LIMITS.warehousePingMs, undefined, { signal, ref: false });
    const answered = await Promise.race([
      client.ping().then(({ success }) => success),
      pause(SERVER_LIMITS.warehousePingPatienceMs, false, { signal, ref: false }),
    ]);
    missed = answered ? 0 : missed + 1;
  }
  return "it does not answer";
}

export function keepWarehouse({ start, log }: KeepOptions): Warehouse {
  const closing = new AbortController();
  let state: WarehouseState = "starting";
  let problem: string | null = null;
  let client: WarehouseClient | null = null;
  let losses = 0;

  /** One life, from its start; returns why it is over. */
  const live = async (onUp: () => void): Promise<string> => {
    const life = await start(closing.signal);
    const watch = new AbortController();
    const signal = AbortSignal.any([closing.signal, watch.signal]);
    const candidate = connect(life.endpoint);
    const stopped = new Promise<string>((resolve) => {
      signal.addEventListener("abort", () => resolve("it was stopped"), { once: true });
    });
    try {
      closing.signal.throwIfAborted();
      const over = Promise.race([life.ended, stopped]);
      const migrated = migrate(life.endpoint).then(() => null);
      const early = await Promise.race([over, migrated]);
      if (early !== null) return early;
      client = candidate;
      onUp();
      return await Promise.race([over, silence(candidate, signal).catch(() => "it was stopped")]);
    } finally {
      client = null;
      watch.abort();
      life.end();
      await candidate.close();
    }
  };

  const keep = async () => {
    let waitMs: number = SERVER_LIMITS.warehouseRetryMs;
    while (!closing.signal.aborted) {
      let wasUp = false;
      problem = await live(() => {
        wasUp = true;
        problem = null;
        state = "up";
        log.info("the warehouse is up");
      }).catch(problemOf);
      if (closing.signal.aborted) return;
      state = "down";
      if (wasUp) losses += 1;
      waitMs = wasUp
        ? SERVER_LIMITS.warehouseRetryMs
        : Math.min(2 * waitMs, SERVER_LIMITS.warehouseRetryMostMs);
      log.warn({ problem, retryInMs: waitMs }, "the warehouse is down; accepted events wait in the ledger");
      await pause(waitMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  };
  const kept = keep();

  return {
    state: () => state,
    problem: () => problem,
    client: () => client,
    losses: () => losses,
    close: async () => {
      closing.abort();
      await kept;
    },
  };
}
