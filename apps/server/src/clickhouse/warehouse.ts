/**
 * The warehouse: what can be asked. The rest of the service knows only a ClickHouse endpoint, through the official client;
 * whether that is a server, a cluster or the embedded engine is the affair of whoever opened it.
 */
import type { WarehouseClient } from "./client.ts";
import type { Place } from "./cluster.ts";

/** Where ClickHouse's HTTP interface is, and as whom it is asked. */
export interface Endpoint extends Place {
  url: string;
  username: string;
  password: string;
}

/** `starting`: it was never up. `down`: it was, or could not be opened; it is tried again. */
export type WarehouseState = "off" | "starting" | "up" | "down";

export interface Warehouse {
  state(): WarehouseState;
  /** Why it is not up, for the operator; null when it is, or is still starting. */
  problem(): string | null;
  /** null unless it is up. It is closed when the warehouse goes down: ask for it anew each time. */
  client(): WarehouseClient | null;
  /** How often it was up and went away. */
  losses(): number;
  close(): Promise<void>;
}

/** @param problem why there is none; null: because that is wanted */
export const noWarehouse = (problem: string | null): Warehouse => ({
  state: () => "off",
  problem: () => problem,
  client: () => null,
  losses: () => 0,
  close: async () => undefined,
});
