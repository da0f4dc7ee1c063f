/** The set-up steps of a workspace that are done, computed from its data. */
import { toIsoTimeOrNull } from "../core/time.ts";
import type { CatalogHandler } from "../http/handler.ts";
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

export const getOnboarding: CatalogHandler<"getOnboarding"> = async (call, { catalog }) => ({
  body: await renderOnboarding(catalog, call.organizationId),
});

export const completeOnboarding: CatalogHandler<"completeOnboarding"> = async (
  { organizationId, actor, now },
  { catalog },
) => {
  await catalog.completeOnboarding({ organizationId, actor, now });
  return { body: await renderOnboarding(catalog, organizationId) };
};
