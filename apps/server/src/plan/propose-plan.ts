/**
 * Proposes a tracking plan from what the event catalogue has seen. It states only what was always so: types as they were seen, and
 * properties that every event had. A value that was not seen yet is not a violation, so it proposes no lists of values, and
 * further properties are allowed. Pure.
 */
import { LIMITS, type TrackingPlan } from "@headwater/contract";
import type { CatalogEventRecord, CatalogPropertyRecord } from "../ledger/records.ts";
import { EMAIL } from "../masking/emails.ts";
import { MASKED } from "../masking/hidden.ts";

/** A property is proposed as required only if at least 20 events were sampled and all of them had it. */
const MIN_SAMPLED_TO_REQUIRE = 20;
/** For the other members of the body that saves the plan. */
const ENVELOPE_BYTES = 1_024;

/** The catalogue has masked names; the events have others. */
const isMaskedName = (name: string) => name.includes(MASKED) || name.includes(EMAIL);

function propertySchema({ types }: CatalogPropertyRecord): Record<string, unknown> {
  const seen = Object.keys(types);
  // a value that was always null says nothing of other values
  if (seen.every((type) => type === "null")) return {};
  return { type: seen.length === 1 ? seen[0] : seen.toSorted() };
}

function eventSchema({ properties, sampled }: CatalogEventRecord): Record<string, unknown> {
  const known = properties.filter(({ name }) => !isMaskedName(name));
  const required = known
    .filter((property) => sampled >= MIN_SAMPLED_TO_REQUIRE && property.sampled === sampled)
    .map(({ name }) => name)
    .toSorted();
  return {
    type: "object",
    properties: Object.fromEntries(known.map((property) => [property.name, propertySchema(property)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

interface ProposedPlan {
  readonly plan: TrackingPlan;
  readonly addedEvents: string[];
  /** How many further events the plan has no room for. */
  readonly leftOut: number;
}

/** @param current its events are kept as they are */
export function proposePlan(current: TrackingPlan, seen: readonly CatalogEventRecord[]): ProposedPlan {
  const events = new Map(Object.entries(current.events));
  const candidates = seen
    .filter(({ name, count }) => name !== "" && count > 0 && !events.has(name) && !isMaskedName(name))
    .toSorted((a, b) => b.count - a.count);
  let sizeBytes = Buffer.byteLength(JSON.stringify(current)) + ENVELOPE_BYTES;
  const addedEvents: string[] = [];
  for (const event of candidates) {
    const planned = { mode: null, schema: eventSchema(event) };
    const addedBytes = Buffer.byteLength(JSON.stringify({ [event.name]: planned }));
    if (events.size >= LIMITS.maxPlannedEvents || sizeBytes + addedBytes > LIMITS.maxPlanBytes) continue;
    sizeBytes += addedBytes;
    events.set(event.name, planned);
    addedEvents.push(event.name);
  }
  const plan = { ...current, events: Object.fromEntries(events) };
  return { plan, addedEvents, leftOut: candidates.length - addedEvents.length };
}
