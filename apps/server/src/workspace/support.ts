/**
 * The support bundle, to attach to a bug report: version, settings without secrets, health. Only
 * operators see the details of the machine and its settings.
 */
import type { BuildInfo } from "../config/build-info.ts";
import { toIsoTime } from "../core/time.ts";
import type { Call, Handler } from "../http/handler.ts";

/** Facts about the server. They contain no secrets. */
export interface SupportFacts {
  readonly settings: Record<string, unknown>;
  readonly health: { readonly ready: boolean; readonly problems: readonly string[] };
  /** More facts for the bundle: engine, platform, sizes. */
  readonly facts: Record<string, unknown>;
}

interface SupportDeps {
  readonly build: BuildInfo;
  readonly supportFacts: () => Promise<SupportFacts>;
  readonly isOperator: (call: Call<"getSupport">) => Promise<boolean>;
}

export const getSupport =
  ({ build, supportFacts, isOperator }: SupportDeps): Handler<"getSupport"> =>
  async (call) => {
    const { organizationId, now } = call;
    const known = await supportFacts();
    const { ready } = known.health;
    const hasDetails = await isOperator(call);
    const settings = hasDetails ? known.settings : {};
    const health = { ready, problems: hasDetails ? [...known.health.problems] : [] };
    const facts = hasDetails ? known.facts : {};
    const bundle = { generatedAt: toIsoTime(now), ...build, settings, health, ...facts };
    return { body: { organizationId, ...build, isOperator: hasDetails, settings, health, bundle } };
  };
