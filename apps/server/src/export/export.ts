/** GET /api/export/events: streams the events of a source as a file. */
import { EXPORT_MEDIA_TYPES } from "@headwater/contract";
import type { WarehouseCompleteness } from "../clickhouse/completeness.ts";
import type { Warehouse } from "../clickhouse/warehouse.ts";
import { createAdmission, type Release } from "../core/admission.ts";
import type { Handler } from "../core/handler.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import { mayMiss } from "../core/warehouse-report.ts";
import type { OutboxLedger } from "../ledger/ledger.ts";
import { toFormat } from "./format.ts";
import { ledgerPages } from "./from-ledger.ts";
import { warehousePages } from "./from-warehouse.ts";
import { type ExportSelection, readSelection } from "./selection.ts";

export interface ExportDeps {
  readonly warehouse: Pick<Warehouse, "state" | "client">;
  readonly completeness: Pick<WarehouseCompleteness, "report" | "isSuspected" | "suspectDamage">;
  readonly ledger: Pick<OutboxLedger, "readOutbox">;
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal;
}

/** Records an export that failed on damaged data. */
async function* watchDamage(pages: AsyncGenerator<Buffer>, { completeness }: ExportDeps) {
  try {
    yield* pages;
  } catch (error) {
    if (error instanceof Refusal && error.code === "warehouse_damaged") completeness.suspectDamage();
    throw error;
  }
}

function openPages(deps: ExportDeps, selection: ExportSelection, signal: AbortSignal) {
  const { warehouse, ledger } = deps;
  if (warehouse.state() === "off") return ledgerPages(ledger, selection);
  const client = () => {
    const connected = warehouse.client();
    if (!connected) throw new Refusal("warehouse_unavailable");
    return connected;
  };
  return watchDamage(warehousePages(client, selection, signal), deps);
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

/** Reads the first page now: an export that cannot work is refused before the answer begins. */
async function withFirstPage(pages: AsyncGenerator<Buffer>): Promise<AsyncGenerator<Buffer>> {
  const first = await pages.next();
  return (async function* () {
    try {
      if (first.done) return;
      yield first.value;
      yield* pages;
    } finally {
      await pages.return(undefined);
    }
  })();
}

/** Gives the slot back when the stream ends, however it ends. */
async function* releasing<Part>(stream: AsyncIterable<Part>, release: Release): AsyncGenerator<Part> {
  try {
    yield* stream;
  } finally {
    release();
  }
}

export function createExport(deps: ExportDeps): Handler<"exportEvents"> {
  const { maxExports } = SERVER_LIMITS;
  const admission = createAdmission({ maxActive: maxExports });
  return async ({ source, query, signal: clientGone }) => {
    const selection = readSelection(source.sourceId, query);
    const { format = "ndjson" } = query;
    const release = admission.tryEnter(source.sourceId);
    if (!release)
      throw new Refusal("overloaded", {
        message: `Too many concurrent exports (at most ${maxExports}).`,
        hint: "Retry when one of them has ended.",
      });
    const signal = AbortSignal.any([clientGone, deps.stopping]);
    signal.addEventListener("abort", release, { once: true });
    try {
      const pages = await withFirstPage(openPages(deps, selection, signal));
      const stream = releasing(toFormat(pages, format, selection.cursor !== null), release);
      return {
        stream,
        mediaType: EXPORT_MEDIA_TYPES[format],
        headers: headersOf(deps, selection, format),
      };
    } catch (error) {
      release();
      throw error;
    }
  };
}
