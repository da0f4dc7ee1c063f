/** The plan is self-hosted: nothing is billed, what is used is shown (CONTRACT section 3). */
import type { Handler } from "../core/handler.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { utcDay } from "../core/time.ts";
import type { Catalog } from "../ledger/ledger.ts";
import { sumOf } from "./usage.ts";

/** The calendar month in UTC, both days inclusive. */
function monthOf(now: number): { from: string; to: string } {
  const at = new Date(now);
  const first = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
  const last = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0);
  return { from: utcDay(first), to: utcDay(last) };
}

export const getBilling =
  (ledger: Catalog): Handler<"getBilling"> =>
  async ({ organizationId, now }) => {
    const period = monthOf(now);
    const days = await ledger.usage({ organizationId, ...period });
    const sources = await ledger.sources({
      organizationId,
      limit: SERVER_LIMITS.maxSourcesPerWorkspace,
      cursor: null,
    });
    return {
      body: {
        organizationId,
        plan: "self-hosted",
        limits: { sources: SERVER_LIMITS.maxSourcesPerWorkspace, acceptedEvents: null },
        period,
        usage: { ...sumOf(days), sources: sources.rows.length },
      },
    };
  };
