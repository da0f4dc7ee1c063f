/** What to attach to a report (CONTRACT section 3): version, settings without secrets, health. */
import type { Handler } from "../core/handler.ts";
import { toIsoTime } from "../core/time.ts";

/** The server's own account of itself; whoever gives it leaves secrets out. */
export interface SupportFacts {
  readonly settings: Record<string, unknown>;
  readonly health: { readonly ready: boolean; readonly problems: readonly string[] };
  /** Further facts for the bundle: engine, platform, sizes. */
  readonly facts: Record<string, unknown>;
}

export const getSupport =
  (version: string, supportFacts: () => Promise<SupportFacts>): Handler<"getSupport"> =>
  async ({ organizationId, now }) => {
    const { settings, health, facts } = await supportFacts();
    const known = { ready: health.ready, problems: [...health.problems] };
    const bundle = { generatedAt: toIsoTime(now), version, settings, health: known, ...facts };
    return { body: { organizationId, version, settings, health: known, bundle } };
  };
