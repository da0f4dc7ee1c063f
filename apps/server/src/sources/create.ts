import { SOURCE_DEFAULTS } from "@headwater/contract";
import type { Handler } from "../core/handler.ts";
import type { SourceRecord } from "../core/records.ts";
import { Refusal } from "../core/refusal.ts";
import type { Catalog } from "../ledger/ledger.ts";
import { readFields } from "./fields.ts";
import { newPublicKey } from "./public-key.ts";
import { renderSource } from "./source.ts";

/** Creates a source (spec 4.1, CONTRACT section 2): active, wanting an origin, and letting none in until some are given. */
export const createSource =
  (ledger: Catalog, newId: (prefix: string) => string): Handler<"createSource"> =>
  async ({ organizationId, actor, body, now }) => {
    const { allowedOrigins = [], frameworkHint = null, goals = [] } = readFields(body);
    const { requireOrigin, privacy, bots, excludedPaths, retentionDays } = { ...SOURCE_DEFAULTS, ...body };
    const source: SourceRecord = {
      ...SOURCE_DEFAULTS,
      sourceId: newId("src"),
      organizationId,
      name: body.name.trim(),
      slug: body.slug ?? "",
      publicKey: newPublicKey(),
      previousKeyExpiresAt: null,
      publicKeyRotatedAt: null,
      allowedOrigins,
      frameworkHint,
      requireOrigin,
      privacy: { ...SOURCE_DEFAULTS.privacy, ...privacy },
      goals,
      bots,
      excludedPaths,
      retentionDays,
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
