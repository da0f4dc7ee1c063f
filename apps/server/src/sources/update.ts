import type { Handler } from "../core/handler.ts";
import { Refusal } from "../core/refusal.ts";
import type { Catalog } from "../ledger/ledger.ts";
import { readFields } from "./fields.ts";
import { renderSource } from "./source.ts";

/** Changes the supplied fields of a source, and nothing when none are (spec 4.1, CONTRACT section 2). */
export const updateSource =
  (ledger: Catalog): Handler<"updateSource"> =>
  async ({ source, actor, body, now }) => {
    const { slug, isActive, requireOrigin, privacy, bots, excludedPaths, retentionDays, limits } = body;
    const counting = { bots, excludedPaths, retentionDays };
    const change = { ...readFields(body), slug, isActive, requireOrigin, privacy, ...counting, limits };
    const updated = await ledger.updateSource({ sourceId: source.sourceId, change, actor, now });
    if (updated === "unknown") throw new Refusal("source_not_found");
    if (updated === "slug_taken") throw new Refusal("slug_taken");
    return { body: renderSource(updated, now) };
  };
