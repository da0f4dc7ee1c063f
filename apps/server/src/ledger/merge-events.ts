/** Merges what is known of the events of one name. Pure. */
import { LIMITS } from "@headwater/contract/limits";
import { dayOf } from "../core/time.ts";
import type { CatalogEventRecord, CatalogPropertyRecord, PlanViolationRecord } from "./records.ts";

/** The name of the row that counts the events of further names. No event has an empty name. */
export const OTHER_EVENTS = "";

/** The first values of both lists, without repetition. */
const union = (one: readonly string[], other: readonly string[], max: number): string[] =>
  [...new Set([...one, ...other])].slice(0, max);

function mergeCounts(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>) {
  const sums = new Map(Object.entries(one));
  for (const [name, count] of Object.entries(other)) sums.set(name, (sums.get(name) ?? 0) + count);
  return Object.fromEntries(sums);
}

/** The days for which a catalogue keeps counts: three weeks, and the two days that are compared with them. */
const COUNTED_DAYS = 23;

function mergeDays(one: CatalogEventRecord, other: CatalogEventRecord): CatalogEventRecord["days"] {
  const counts = mergeCounts(one.days, other.days);
  const newest = dayOf(Math.max(one.lastSeenAt, other.lastSeenAt));
  return Object.fromEntries(Object.entries(counts).filter(([day]) => Number(day) > newest - COUNTED_DAYS));
}

const mergeProperty = (one: CatalogPropertyRecord, other: CatalogPropertyRecord): CatalogPropertyRecord => ({
  name: one.name,
  sampled: one.sampled + other.sampled,
  types: mergeCounts(one.types, other.types),
  examples: union(one.examples, other.examples, LIMITS.maxCatalogExamples),
});

function mergeProperties(one: readonly CatalogPropertyRecord[], other: readonly CatalogPropertyRecord[]) {
  const merged = new Map(one.map((property) => [property.name, property]));
  for (const property of other) {
    const known = merged.get(property.name);
    if (known) merged.set(property.name, mergeProperty(known, property));
    else if (merged.size < LIMITS.maxCatalogProperties) merged.set(property.name, property);
  }
  return [...merged.values()];
}

const mergeViolation = (one: PlanViolationRecord, other: PlanViolationRecord): PlanViolationRecord => ({
  ...other,
  count: one.count + other.count,
  firstSeenAt: Math.min(one.firstSeenAt, other.firstSeenAt),
  lastSeenAt: Math.max(one.lastSeenAt, other.lastSeenAt),
  clientVersions: union(other.clientVersions, one.clientVersions, LIMITS.maxCatalogVersions),
  pages: union(other.pages, one.pages, LIMITS.maxCatalogPages),
});

/** The violations that were seen last are kept. */
function mergeViolations(one: readonly PlanViolationRecord[], other: readonly PlanViolationRecord[]) {
  const keyOf = ({ event, path, expected }: PlanViolationRecord) => JSON.stringify([event, path, expected]);
  const merged = new Map(one.map((violation) => [keyOf(violation), violation]));
  for (const violation of other) {
    const known = merged.get(keyOf(violation));
    merged.set(keyOf(violation), known ? mergeViolation(known, violation) : violation);
  }
  const newestFirst = [...merged.values()].sort((a, b) => b.lastSeenAt - a.lastSeenAt);
  return newestFirst.slice(0, LIMITS.maxPlanViolations);
}

export const mergeCatalogEvents = (
  one: CatalogEventRecord,
  other: CatalogEventRecord,
): CatalogEventRecord => ({
  name: one.name,
  count: one.count + other.count,
  firstSeenAt: Math.min(one.firstSeenAt, other.firstSeenAt),
  lastSeenAt: Math.max(one.lastSeenAt, other.lastSeenAt),
  days: mergeDays(one, other),
  sampled: one.sampled + other.sampled,
  properties: mergeProperties(one.properties, other.properties),
  clientVersions: union(one.clientVersions, other.clientVersions, LIMITS.maxCatalogVersions),
  pages: union(one.pages, other.pages, LIMITS.maxCatalogPages),
  ...(one.violations || other.violations
    ? { violations: mergeViolations(one.violations ?? [], other.violations ?? []) }
    : {}),
});
