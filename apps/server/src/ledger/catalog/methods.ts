/** The methods of the ledger that SQLite and PostgreSQL share. */
import type { AlertLedger, Catalog, ErasureLedger } from "../ledger.ts";
import type { WarehouseLedger } from "../warehouse-ledger.ts";

/** Each engine implements the excluded methods itself. */
export interface CatalogMethods
  extends Catalog,
    Omit<WarehouseLedger, "warehousePlace" | "claimWarehouse">,
    Omit<AlertLedger, "recentAttemptCounts">,
    Omit<ErasureLedger, "eraseOutbox" | "eraseAttempts"> {}
