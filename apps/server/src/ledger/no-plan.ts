import type { TrackingPlan } from "@headwater/contract";

/** The plan of a source that has none: nothing is checked. */
export const NO_PLAN: TrackingPlan = { mode: "off", unknownEvents: "allow", events: {} };
