/**
 * The warehouse as the rest of the service sees it: a ClickHouse client that may be missing for a while. Only
 * `open-warehouse.ts` knows whether it is a server, a cluster or the embedded engine.
 */
import { Refusal } from "../core/refusal.ts";
import type { WarehouseClient } from "./client.ts";
import type { WarehouseEndpoint } from "./endpoint.ts";

/**
 * A ClickHouse that was started, from its start to its end. For a server that belongs to somebody else, `ended` never
 * resolves and `end` does nothing.
 */
export interface WarehouseProcess {
  endpoint: WarehouseEndpoint;
  /** Resolves with the reason when the process has ended. */
  ended: Promise<string>;
  /** Kills the process. */
  end(): void;
  /** Resident memory of the process; null when it is not known. Absent for a server of somebody else. */
  residentBytes?(): number | null;
}

/** @param signal cancels a start that has not finished */
export type StartWarehouse = (signal?: AbortSignal) => Promise<WarehouseProcess>;

/**
 * `elsewhere`: embedded in another node. `starting`: not up yet, and nothing has failed. `down`: it ended or could not be started,
 * and is retried.
 */
export type WarehouseState = "off" | "elsewhere" | "starting" | "up" | "down";

export interface Warehouse {
  state(): WarehouseState;
  /** Why the warehouse is not up, for the operator. Null when it is up, still starting, or switched off on purpose. */
  problem(): string | null;
  /** Null unless the warehouse is up. The client is closed when the warehouse goes down, so do not keep it. */
  client(): WarehouseClient | null;
  /** For connections with another time limit. Null unless the warehouse is up. */
  endpoint(): WarehouseEndpoint | null;
  /** Times that the warehouse went from up to down. */
  disconnects(): number;
  /** Times that the warehouse came up again. */
  restarts(): number;
  /** Resident memory of the embedded engine's process; null when there is none or it is not known. */
  engineBytes(): number | null;
  /** The address of the node that has the warehouse, when it is elsewhere. */
  nodeUrl?(): string | null;
}

/**
 * @param problem why there is no warehouse; null when the settings say so
 * @param nodeUrl the address of another node that has one
 */
export const noWarehouse = (
  problem: string | null,
  nodeUrl: () => string | null = () => null,
): Warehouse => ({
  state: () => (nodeUrl() === null ? "off" : "elsewhere"),
  nodeUrl,
  problem: () => problem,
  client: () => null,
  endpoint: () => null,
  disconnects: () => 0,
  restarts: () => 0,
  engineBytes: () => null,
});

/** @throws Refusal on a node that does not have the warehouse of all nodes */
export function refuseElsewhere(warehouse: Pick<Warehouse, "state" | "nodeUrl">): void {
  if (warehouse.state() !== "elsewhere") return;
  throw new Refusal("warehouse_elsewhere", {
    message: `The warehouse is on the node ${warehouse.nodeUrl?.()}, so this node cannot answer queries.`,
  });
}
