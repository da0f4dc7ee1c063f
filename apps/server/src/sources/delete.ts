import type { Handler } from "../core/handler.ts";
import { Refusal } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import type { Catalog } from "../ledger/ledger.ts";

/** A soft delete: keys stop, history is kept (CONTRACT section 2). */
export const deleteSource =
  (ledger: Catalog): Handler<"deleteSource"> =>
  async ({ source, actor, now }) => {
    const { sourceId } = source;
    const outcome = await ledger.deleteSource({ sourceId, actor, now });
    if (outcome === "unknown") throw new Refusal("source_not_found");
    return { body: { sourceId, deletedAt: toIsoTime(now) } };
  };
