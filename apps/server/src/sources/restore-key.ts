import type { Handler } from "../core/handler.ts";
import { Refusal } from "../core/refusal.ts";
import type { Catalog } from "../ledger/ledger.ts";
import { renderSource } from "./source.ts";

/** Lets a retired key of this source in again for a while (CONTRACT section 2). */
export const restoreKey =
  (ledger: Catalog): Handler<"restoreKey"> =>
  async ({ source, actor, body, now }) => {
    const graceMs = body.gracePeriodSeconds * 1_000;
    const { sourceId } = source;
    const restored = await ledger.restoreKey({ sourceId, publicKey: body.publicKey, graceMs, actor, now });
    if (restored === "unknown") throw new Refusal("source_not_found");
    if (restored === "not_retired") throw new Refusal("key_not_retired");
    return { body: renderSource(restored, now) };
  };
