/** The support bundle, to attach to a bug report: version, settings without secrets, health (docs/contract.md section 3). */
import type { Handler } from "../core/handler.ts";
import { toIsoTime } from "../core/time.ts";

/** Facts about the server. They contain no secrets. */
export interface SupportFacts {
  readonly settings: Record<string, unknown>;
  readonly health: { readonly ready: boolean; readonly problems: readonly string[] };
  /** More facts for the bundle: engine, platform, sizes. */
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
