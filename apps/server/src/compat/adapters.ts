/** The adapter of each compatible endpoint. */
import type { Adapters } from "../ingest/adapter.ts";
import { GA4 } from "./ga4.ts";
import { MATOMO } from "./matomo.ts";
import { PLAUSIBLE } from "./plausible.ts";
import { SEGMENT } from "./segment.ts";
import { UMAMI } from "./umami.ts";

export const ADAPTERS: Adapters = {
  segment: SEGMENT,
  plausible: PLAUSIBLE,
  umami: UMAMI,
  ga4: GA4,
  matomo: MATOMO,
};
