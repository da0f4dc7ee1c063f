/** GET …/alerts: what is wrong with a source. */
import type { CatalogHandler } from "../http/handler.ts";
import { describeOpen } from "./topics.ts";

export const listAlerts: CatalogHandler<"listAlerts"> = async ({ source }, { catalog }) => {
  // nobody checks an inactive source any more
  const statuses = source.isActive ? await catalog.sourceAlerts({ sourceId: source.sourceId }) : [];
  return { body: { alerts: statuses.flatMap((status) => describeOpen(status) ?? []) } };
};
