import type { Handler } from "../core/handler.ts";
import { Refusal } from "../core/refusal.ts";
import type { Catalog } from "../ledger/ledger.ts";
import { newPublicKey } from "./public-key.ts";
import { renderSource } from "./source.ts";

/** A new public key; the old one stops, at once or after the grace period (spec 3, CONTRACT section 2). */
export const regenerateKey =
  (ledger: Catalog): Handler<"regenerateKey"> =>
  async ({ source, actor, body, now }) => {
    const graceMs = (body.gracePeriodSeconds ?? 0) * 1_000;
    const { sourceId } = source;
    const rotated = await ledger.rotateKey({ sourceId, publicKey: newPublicKey(), graceMs, actor, now });
    if (rotated === "unknown") throw new Refusal("source_not_found");
    return { body: renderSource(rotated, now) };
  };
