/** Which set-up steps are done, from the data (CONTRACT section 3). */
import type { Handler } from "../core/handler.ts";
import { toIsoTimeOrNull } from "../core/time.ts";
import type { Catalog } from "../ledger/ledger.ts";

const step = (at: number | null) => ({ done: at !== null, at: toIsoTimeOrNull(at) });

async function onboardingOf(ledger: Catalog, organizationId: string) {
  const found = await ledger.onboarding({ organizationId });
  return {
    organizationId,
    steps: {
      sourceCreated: step(found.sourceCreatedAt),
      firstBootstrap: step(found.firstBootstrapAt),
      firstAcceptedEvent: step(found.firstEventAt),
    },
    completed: found.completedAt !== null,
    completedAt: toIsoTimeOrNull(found.completedAt),
  };
}

export const getOnboarding =
  (ledger: Catalog): Handler<"getOnboarding"> =>
  async ({ organizationId }) => ({ body: await onboardingOf(ledger, organizationId) });

export const completeOnboarding =
  (ledger: Catalog): Handler<"completeOnboarding"> =>
  async ({ organizationId, actor, now }) => {
    await ledger.completeOnboarding({ organizationId, actor, now });
    return { body: await onboardingOf(ledger, organizationId) };
  };
