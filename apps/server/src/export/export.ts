/** GET /api/export/events: streams the events of a source as a file. */
import { EXPORT_MEDIA_TYPES } from "@headwater/contract";
import type { WarehouseCompleteness } from "../clickhouse/completeness.ts";
import { refuseElsewhere, type Warehouse } from "../clickhouse/warehouse.ts";
import { Refusal } from "../core/refusal.ts";
import type { Handler } from "../http/handler.ts";
import type { OutboxLedger } from "../ledger/ledger.ts";
import { mayMiss } from "../ledger/warehouse-report.ts";
import { type EventStores, readEvents, toFile } from "./format.ts";
import { type ExportSelection, readSelection } from "./selection.ts";
import { createExportSlots } from "./slots.ts";

interface ExportDeps {
  readonly warehouse: Pick<Warehouse, "state" | "client" | "nodeUrl">;
  readonly completeness: Pick<WarehouseCompleteness, "report" | "isSuspected" | "suspectDamage">;
  readonly ledger: Pick<OutboxLedger, "readOutbox">;
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal;
  /** Logs an export that ended because its client read too slowly. */
  readonly onSlowClient: (ended: SlowExport) => void;
}

export interface SlowExport {
  readonly organizationId: string;
  readonly sourceId: string;
  readonly requestId: string;
  /** For how long the client had read nothing. */
  readonly stalledSeconds: number;
}

/** Records an export that failed on damaged data. */
async function* watchDamage(events: AsyncGenerator<Buffer>, { completeness }: ExportDeps) {
  try {
    yield* events;
  } catch (error) {
    if (error instanceof Refusal && error.code === "warehouse_damaged") completeness.suspectDamage();
    throw error;
  }
}

function storesOf({ warehouse, ledger }: ExportDeps): EventStores {
  refuseElsewhere(warehouse);
  if (warehouse.state() === "off") return { ledger, client: null };
  const client = () => {
    const connected = warehouse.client();
    if (!connected) throw new Refusal("warehouse_unavailable");
    return connected;
  };
  return { ledger, client };
}

/** For programs that check whether a file is complete. */
function headersOf({ completeness }: ExportDeps, selection: ExportSelection, format: string) {
  const isIncomplete =
    completeness.isSuspected() || mayMiss(completeness.report(), selection.sourceId, selection);
  return {
    "Content-Disposition": `attachment; filename="events.${format}"`,
    ...(isIncomplete ? { "Headwater-Incomplete": "true" } : {}),
  };
}

/** Reads the first events now: an export that cannot work is refused before the answer begins. */
async function afterFirst(events: AsyncGenerator<Buffer>): Promise<AsyncGenerator<Buffer>> {
  const first = await events.next();
  return (async function* () {
    try {
      if (first.done) return;
      yield first.value;
      yield* events;
    } finally {
      await events.return(undefined);
    }
  })();
}

export function createExport(deps: ExportDeps): Handler<"exportEvents"> {
  const enter = createExportSlots();
  return async ({ source, query, organizationId, requestId, signal: clientGone }) => {
    const { sourceId } = source;
    const selection = readSelection(sourceId, query);
    const { format = "ndjson" } = query;
    const slot = enter(organizationId, (stalledSeconds) =>
      deps.onSlowClient({ organizationId, sourceId, requestId, stalledSeconds }),
    );
    const signal = AbortSignal.any([clientGone, deps.stopping, slot.cutOff]);
    signal.addEventListener("abort", slot.release, { once: true });
    try {
      const events = readEvents(storesOf(deps), selection, format, signal);
      const begun = await afterFirst(watchDamage(events, deps));
      return {
        stream: slot.deliver(toFile(begun, format, selection.cursor !== null)),
        cutOff: slot.cutOff,
        mediaType: EXPORT_MEDIA_TYPES[format],
        headers: headersOf(deps, selection, format),
      };
    } catch (error) {
      slot.release();
      throw error;
    }
  };
}
