/** Asking for a visitor's erasure, and for how far it has come (CONTRACT section 3). */
import type { Erasure, Issue, VisitorKind } from "@headwater/contract";
import type { Handler } from "../core/handler.ts";
import type { ErasureRecord } from "../core/records.ts";
import { Refusal } from "../core/refusal.ts";
import { toIsoTime, toIsoTimeOrNull } from "../core/time.ts";
import type { Catalog } from "../ledger/ledger.ts";

const renderErasure = ({ kind, requestedAt, finishedAt, ...shown }: ErasureRecord): Erasure => ({
  ...shown,
  by: kind,
  requestedAt: toIsoTime(requestedAt),
  finishedAt: toIsoTimeOrNull(finishedAt),
});

/** A rule of bodies of any shape (`FieldRules`): one of the two names the visitor. */
export function checkVisitor({ anonymousId, userId }: Readonly<Record<string, unknown>>): void {
  const given = [anonymousId, userId].filter((id) => id !== undefined && id !== null);
  if (given.length === 1) return;
  const issue: Issue =
    given.length === 0
      ? { path: ["anonymousId"], code: "required", message: "anonymousId or userId is required" }
      : {
          path: ["userId"],
          code: "invalid_value",
          message: "userId and anonymousId exclude each other: send a request for each",
        };
  throw new Refusal("invalid_payload", { issues: [issue] });
}

/** Answers when it is certain that it will be done; `getErasure` says when it is. */
export const eraseVisitor =
  (ledger: Catalog, newId: (prefix: string) => string): Handler<"eraseVisitor"> =>
  async ({ organizationId, body, actor, now }) => {
    const kind: VisitorKind = body.userId == null ? "anonymousId" : "userId";
    const requested = await ledger.requestErasure({
      receiptId: newId("era"),
      organizationId,
      sourceId: body.sourceId ?? null,
      kind,
      id: body[kind]!,
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

export const getErasure =
  (ledger: Catalog): Handler<"getErasure"> =>
  async ({ organizationId, params }) => {
    const erasure = await ledger.erasure({ receiptId: params.receiptId, organizationId });
    if (!erasure) throw new Refusal("erasure_not_found");
    return { body: renderErasure(erasure) };
  };
