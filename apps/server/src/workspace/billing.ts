/** The plan and the usage of the current month. Nothing is billed: the plan is self-hosted. */
import type { Config } from "../config/settings.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { utcDay } from "../core/time.ts";
import type { CatalogServices, HandlerWith } from "../http/handler.ts";
import { totalUsage } from "./usage.ts";

/** The first and the last day of the calendar month in UTC. */
function monthOf(now: number): { from: string; to: string } {
  const at = new Date(now);
  const first = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
  const last = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0);
  return { from: utcDay(first), to: utcDay(last) };
}

interface BillingServices extends Pick<CatalogServices, "catalog"> {
  readonly config: Config;
}

export const getBilling: HandlerWith<BillingServices, "getBilling"> = async (call, services) => {
  const { organizationId, now } = call;
  const { catalog, config } = services;
  const period = monthOf(now);
  const days = await catalog.usage({ organizationId, ...period });
  const sources = await catalog.sources({
    organizationId,
    limit: SERVER_LIMITS.maxSourcesPerWorkspace,
    cursor: null,
  });
  return {
    body: {
      organizationId,
      plan: "self-hosted",
      limits: {
        sources: SERVER_LIMITS.maxSourcesPerWorkspace,
        acceptedEvents: null,
        eventsPerDay: config.WORKSPACE_EVENTS_PER_DAY,
        bytesPerDay: config.WORKSPACE_BYTES_PER_DAY,
      },
      period,
      usage: { ...totalUsage(days), sources: sources.rows.length },
    },
  };
};
