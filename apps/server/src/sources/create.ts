import { DEFAULT_COUNTING, type SourceLimits } from "@headwater/contract";
import type { Handler } from "../core/handler.ts";
import type { SourceRecord } from "../core/records.ts";
import { Refusal } from "../core/refusal.ts";
import type { Catalog } from "../ledger/ledger.ts";
import { readFields } from "./fields.ts";
import { newPublicKey } from "./public-key.ts";
import { renderSource } from "./source.ts";

const NO_LIMITS: SourceLimits = { maxBatchSize: null, maxPayloadBytes: null, clientRatePerSecond: null };

/** Creates a source (spec 4.1, CONTRACT section 2): active, wanting an origin, and letting none in until some are given. */
export const createSource =
  (ledger: Catalog, newId: (prefix: string) => string): Handler<"createSource"> =>
  async ({ organizationId, actor, body, now }) => {
    const { allowedOrigins = [], frameworkHint = null, goals = [] } = readFields(body);
    const source: SourceRecord = {
      sourceId: newId("src"),
      organizationId,
      name: body.name.trim(),
      slug: body.slug ?? "",
      publicKey: newPublicKey(),
      previousKeyExpiresAt: null,
      publicKeyRotatedAt: null,
      allowedOrigins,
      frameworkHint,
      isActive: true,
      requireOrigin: body.requireOrigin ?? true,
      privacy: { respectGpc: false, requireConsent: false, ...body.privacy },
      goals,
      bots: body.bots ?? DEFAULT_COUNTING.bots,
      excludedPaths: body.excludedPaths ?? [],
      retentionDays: body.retentionDays ?? null,
      limits: NO_LIMITS,
      lastBootstrapAt: null,
      lastEventAt: null,
      createdAt: now,
      updatedAt: now,
    };
    const slugGiven = body.slug != null;
    const created = await ledger.createSource({ source, slugGiven, actor, now });
    if (created === "slug_taken" || created === "too_many_sources") throw new Refusal(created);
    return {
      body: renderSource(created, now),
      headers: { Location: `/api/tracking-sources/${encodeURIComponent(created.sourceId)}` },
    };
  };
