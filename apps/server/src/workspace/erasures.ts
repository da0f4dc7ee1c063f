/** Requests the erasure of a visitor's data and shows its status (docs/api/erasure.md). */
import type { Erasure, VisitorKind } from "@headwater/contract";
import { DAILY_ID_PREFIX, NO_ID } from "../core/ids.ts";
import { issueAt, Refusal, requireNoIssues } from "../core/refusal.ts";
import { toIsoTime, toIsoTimeOrNull } from "../core/time.ts";
import type { CatalogHandler } from "../http/handler.ts";
import type { ErasureRecord } from "../ledger/records.ts";

const renderErasure = ({ kind, requestedAt, finishedAt, ...shown }: ErasureRecord): Erasure => ({
  ...shown,
  by: kind,
  requestedAt: toIsoTime(requestedAt),
  finishedAt: toIsoTimeOrNull(finishedAt),
});

/** Exactly one of the two ids names the visitor. For a body of any shape (`FieldRules`). */
export function checkVisitor({ anonymousId, userId }: Readonly<Record<string, unknown>>): void {
  const given = [anonymousId, userId].filter((id) => id !== undefined && id !== null);
  if (given.length === 1 && anonymousId !== NO_ID) return;
  const found =
    given.length === 0
      ? issueAt("anonymousId", "anonymousId or userId is required", "required")
      : given.length === 2
        ? issueAt("userId", "userId cannot be combined with anonymousId. Send one request for each.")
        : issueAt(
            "anonymousId",
            `anonymousId ${NO_ID} is shared by many visitors. Send the one that an export shows, which begins with ${DAILY_ID_PREFIX}`,
          );
  requireNoIssues([found]);
}

/** Responds once the erasure is certain to happen. `getErasure` shows when it is done. */
export const eraseVisitor: CatalogHandler<"eraseVisitor"> = async (
  { organizationId, body, actor, now },
  { catalog, newId },
) => {
  const kind: VisitorKind = body.userId == null ? "anonymousId" : "userId";
  const id = body.userId ?? body.anonymousId ?? "";
  const requested = await catalog.requestErasure({
    receiptId: newId("era"),
    organizationId,
    sourceId: body.sourceId ?? null,
    kind,
    id,
    actor,
    now,
  });
  if (requested === "unknown_source") throw new Refusal("source_not_found");
  if (requested === "too_many") throw new Refusal("too_many_erasures");
  const { receiptId } = requested;
  const query = new URLSearchParams({ organizationId });
  return {
    body: renderErasure(requested),
    headers: { Location: `/api/visitors/erase/${encodeURIComponent(receiptId)}?${query}` },
  };
};

export const getErasure: CatalogHandler<"getErasure"> = async ({ organizationId, params }, { catalog }) => {
  const erasure = await catalog.erasure({ receiptId: params.receiptId, organizationId });
  if (!erasure) throw new Refusal("erasure_not_found");
  return { body: renderErasure(erasure) };
};
