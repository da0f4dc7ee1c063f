/** GET /api/export/events: a source's events, streamed. */

import { EXPORT_MEDIA_TYPES } from "@headwater/contract";
import type { Warehouse } from "../clickhouse/warehouse.ts";
import type { Handler } from "../core/handler.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { Refusal } from "../core/refusal.ts";
import type { OutboxLedger } from "../ledger/ledger.ts";
import { pagesOfLedger } from "./from-ledger.ts";
import { pagesOfWarehouse } from "./from-warehouse.ts";
import { type Asked, askedOf } from "./range.ts";
import { bytesOf } from "./render.ts";

export interface ExportDeps {
  /** null: it has not begun. */
  warehouse(): Pick<Warehouse, "state" | "client"> | null;
  ledger: Pick<OutboxLedger, "readOutbox">;
  /** Aborts when the service stops. */
  stopping: AbortSignal;
}

/** Waits for the first page, so that what cannot be answered is refused before an answer has begun. */
async function begun(pages: AsyncGenerator<Buffer>): Promise<AsyncGenerator<Buffer>> {
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

/** Gives the place back, once, however it ends. */
async function* leaving<T>(stream: AsyncIterable<T>, leave: () => void): AsyncGenerator<T> {
  try {
    yield* stream;
  } finally {
    leave();
  }
}

function pagesOf({ warehouse, ledger }: ExportDeps, asked: Asked, signal: AbortSignal) {
  if (warehouse()?.state() === "off") return pagesOfLedger(ledger, asked);
  const client = () => {
    const up = warehouse()?.client();
    if (!up) throw new Refusal("warehouse_unavailable");
    return up;
  };
  return pagesOfWarehouse(client, asked, signal);
}

export function createExport(deps: ExportDeps): Handler<"exportEvents"> {
  let open = 0;
  const takePlace = () => {
    if (open >= SERVER_LIMITS.maxExports) {
      throw new Refusal("overloaded", {
        message: `${SERVER_LIMITS.maxExports} exports are under way, which is as many as there may be.`,
        hint: "Try again when one of them has ended.",
      });
    }
    open += 1;
    let isTaken = true;
    return () => {
      if (isTaken) open -= 1;
      isTaken = false;
    };
  };
  return async ({ source, query, signal: gone }) => {
    const { sourceId } = source;
    const asked = askedOf(sourceId, query);
    const format = query.format ?? "ndjson";
    const leave = takePlace();
    const signal = AbortSignal.any([gone, deps.stopping]);
    signal.addEventListener("abort", leave, { once: true });
    try {
      const pages = await begun(pagesOf(deps, asked, signal));
      const stream = leaving(bytesOf(pages, format, asked.cursor !== null), leave);
      const headers = { "Content-Disposition": `attachment; filename="events.${format}"` };
      return { stream, mediaType: EXPORT_MEDIA_TYPES[format], headers };
    } catch (error) {
      leave();
      throw error;
    }
  };
}
