/** The set-up steps of a workspace that are done, computed from its data. */
import { toIsoTimeOrNull } from "../core/time.ts";
import type { Handler } from "../http/handler.ts";
import type { Catalog } from "../ledger/ledger.ts";

const step = (at: number | null) => ({ done: at !== null, at: toIsoTimeOrNull(at) });

async function renderOnboarding(catalog: Catalog, organizationId: string) {
  const found = await catalog.onboarding({ organizationId });
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
  (catalog: Catalog): Handler<"getOnboarding"> =>
  async ({ organizationId }) => ({ body: await renderOnboarding(catalog, organizationId) });

export const completeOnboarding =
  (catalog: Catalog): Handler<"completeOnboarding"> =>
  async ({ organizationId, actor, now }) => {
    await catalog.completeOnboarding({ organizationId, actor, now });
    return { body: await renderOnboarding(catalog, organizationId) };
  };
