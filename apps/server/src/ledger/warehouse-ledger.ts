/** The ledger's part in comparing the warehouse with what was shipped to it (docs/decisions/0022). */
import type { DayCount, WarehouseReport } from "./warehouse-report.ts";

/** What the warehouse must hold, as far as the ledger has counted it. */
export interface ShippedDays {
  /** Counts events that were shipped, and not the ones that were removed on purpose. */
  days: DayCount[];
  /** How often the counts were changed otherwise than by shipping. Once it has changed, an earlier answer can no longer be compared. */
  revision: number;
  /** Whether visitors are being deleted from the warehouse, so that it may hold more than `days` says. */
  isErasing: boolean;
}

/** The outcome of the latest checks, shared by all nodes. */
export interface WarehouseCheck {
  /** 0: never. */
  comparedAt: number;
  /** When a node last began to check the files of the warehouse; 0: never. */
  partsCheckedAt: number;
  report: WarehouseReport;
}

/** The embedded warehouse of the nodes that share a ledger. */
export interface WarehousePlace {
  /** The id of its folder. */
  placeId: string;
  /** The address of the node that has it. */
  url: string;
}

export interface WarehouseLedger {
  /** null: no node has had an embedded warehouse. */
  warehousePlace(): Promise<WarehousePlace | null>;
  /**
   * Takes the place for this node.
   * @throws OperatorError when the events are in another folder, and Error while another node has the same one
   */
  claimWarehouse(place: WarehousePlace): Promise<void>;
  /** The ids of all sources, deleted ones included: their events still exist. */
  allSourceIds(): Promise<string[]>;
  /** The days of these sources. Read it before the warehouse is counted: events are shipped meanwhile. */
  shippedDays(asked: { sourceIds: string[] }): Promise<ShippedDays>;
  /**
   * Adds to the number of events that the warehouse must hold on each of these days.
   * @param change.revision what `shippedDays` returned before the events were counted
   * @returns false when the counts were changed otherwise than by shipping since then: nothing is added
   */
  addShippedDays(change: { days: DayCount[]; revision: number }): Promise<boolean>;
  /** Forgets the days of a source before a day, because their events are going to be deleted from the warehouse. */
  forgetShippedDays(expired: { sourceId: string; before: number }[]): Promise<void>;

  warehouseCheck(): Promise<WarehouseCheck>;
  /** @returns false while another node has the claim */
  claimWarehouseCheck(claim: { now: number; leaseMs: number }): Promise<boolean>;
  /** Stores the outcome of a comparison, and ends the claim. */
  saveWarehouseReport(outcome: { report: WarehouseReport; comparedAt: number }): Promise<void>;
  savePartsCheck(begun: { partsCheckedAt: number }): Promise<void>;
}
