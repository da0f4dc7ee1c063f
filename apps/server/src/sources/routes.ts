/** The operations on sources and their public keys (spec 3 and 4.1, docs/api/sources.md). */

import { randomBytes } from "node:crypto";
import { SOURCE_DEFAULTS } from "@headwater/contract";
import { Refusal, requireNoIssues } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import type { CatalogHandler, Handler } from "../http/handler.ts";
import type { SourceRecord } from "../ledger/records.ts";
import { pathIssues, readSourceFields, readUpdate } from "./fields.ts";
import { renderSource } from "./render.ts";

/** A public key is `pk_` and 144 random bits, safe in a URL. No key is ever used twice. */
const createPublicKey = (): string => `pk_${randomBytes(18).toString("base64url")}`;

export const getSource: Handler<"getSource"> = async ({ source, now }) => ({
  body: renderSource(source, now),
});

/** A new source is active. It allows no origin until the user adds one. */
export const createSource: CatalogHandler<"createSource"> = async (call, { catalog, newId }) => {
  const { organizationId, actor, body, now } = call;
  const { organizationId: _, slug = null, privacy, pathRules, ...fields } = body;
  const source: SourceRecord = {
    ...SOURCE_DEFAULTS,
    ...readSourceFields(fields),
    name: body.name.trim(),
    slug: slug ?? "",
    privacy: { ...SOURCE_DEFAULTS.privacy, ...privacy },
    pathRules: { ...SOURCE_DEFAULTS.pathRules, ...pathRules },
    limits: SOURCE_DEFAULTS.limits,
    sourceId: newId("src"),
    organizationId,
    publicKey: createPublicKey(),
    previousKeyExpiresAt: null,
    publicKeyRotatedAt: null,
    lastBootstrapAt: null,
    lastEventAt: null,
    createdAt: now,
    updatedAt: now,
  };
  requireNoIssues(pathIssues(source));
  const created = await catalog.createSource({ source, slugGiven: slug !== null, actor, now });
  if (created === "slug_taken" || created === "too_many_sources") throw new Refusal(created);
  return {
    body: renderSource(created, now),
    headers: { Location: `/api/tracking-sources/${encodeURIComponent(created.sourceId)}` },
  };
};

/** Changes the fields that the body has, and no others. */
export const updateSource: CatalogHandler<"updateSource"> = async (
  { source, actor, body, now },
  { catalog },
) => {
  const change = readUpdate(body, source);
  const { goals, contentGroups, excludedPaths } = change;
  if (goals ?? contentGroups ?? excludedPaths ?? change.pathRules) {
    const pathRules = { ...source.pathRules, ...change.pathRules };
    requireNoIssues(pathIssues({ ...source, ...change, pathRules }));
  }
  const updated = await catalog.updateSource({ sourceId: source.sourceId, change, actor, now });
  if (updated === "unknown") throw new Refusal("source_not_found");
  if (updated === "slug_taken") throw new Refusal("slug_taken");
  return { body: renderSource(updated, now) };
};

/** Deletes a source softly: its keys stop working, its history is kept. */
export const deleteSource: CatalogHandler<"deleteSource"> = async (
  { source: { sourceId }, actor, now },
  { catalog },
) => {
  const outcome = await catalog.deleteSource({ sourceId, actor, now });
  if (outcome === "unknown") throw new Refusal("source_not_found");
  return { body: { sourceId, deletedAt: toIsoTime(now) } };
};

/** Gives the source a new public key. The old one stops working at once, or after the grace period. */
export const regenerateKey: CatalogHandler<"regenerateKey"> = async (call, { catalog }) => {
  const { source, actor, body, now } = call;
  const graceMs = (body.gracePeriodSeconds ?? 0) * 1_000;
  const rotation = { sourceId: source.sourceId, publicKey: createPublicKey(), graceMs, actor, now };
  const rotated = await catalog.rotateKey(rotation);
  if (rotated === "unknown") throw new Refusal("source_not_found");
  return { body: renderSource(rotated, now) };
};

/** Accepts a retired key of this source again, for the grace period. */
export const restoreKey: CatalogHandler<"restoreKey"> = async (call, { catalog }) => {
  const { source, actor, body, now } = call;
  const { publicKey, gracePeriodSeconds } = body;
  const graceMs = gracePeriodSeconds * 1_000;
  const { sourceId } = source;
  const restored = await catalog.restoreKey({ sourceId, publicKey, graceMs, actor, now });
  if (restored === "unknown") throw new Refusal("source_not_found");
  if (restored === "not_retired") throw new Refusal("key_not_retired");
  return { body: renderSource(restored, now) };
};
