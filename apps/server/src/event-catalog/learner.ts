/**
 * Learns what the accepted events of each source look like, in bounded memory, until a worker stores it. All events are counted; the
 * properties of some are looked at. A value or a page is only kept once three sessions have sent it, so what one
 * visitor alone has sent is in no catalogue, and an erasure need not search it.
 */
import { type CatalogType, LIMITS } from "@headwater/contract";
import { copyText } from "../core/text.ts";
import { dayOf } from "../core/time.ts";
import { OTHER_EVENTS } from "../ledger/merge-events.ts";
import type { CatalogEventRecord, PlanViolationRecord } from "../ledger/records.ts";
import { maskJson, maskString } from "../masking/mask.ts";
import { noteSession, type SessionsOfText, sharedTexts } from "./sessions-of-text.ts";
import { createViolationLearner, type SeenViolation } from "./violations.ts";

/** Most names, properties, values and pages that a node holds until they are stored in the catalogue; about 400 bytes each. */
export const MAX_LEARNED_ENTRIES = 20_000;

/** An accepted event. */
export interface SeenEvent {
  readonly name: string;
  readonly properties: Readonly<Record<string, unknown>> | null | undefined;
  readonly sessionId: string;
  readonly clientVersion: string | null;
  /** The path of the page, as it is stored. */
  readonly path: string | null;
}

interface LearnedProperty {
  sampled: number;
  types: Map<CatalogType, number>;
  values: SessionsOfText;
}

interface LearnedEvent {
  count: number;
  sampled: number;
  firstSeenAt: number;
  lastSeenAt: number;
  readonly properties: Map<string, LearnedProperty>;
  readonly clientVersions: Set<string>;
  readonly pages: SessionsOfText;
}

export interface EventLearner {
  see(sourceId: string, event: SeenEvent, at: number): void;
  /** Violations are stored in the row of further events, which every source can have. */
  seeViolation(sourceId: string, violation: SeenViolation, at: number): void;
  /** Takes the events that were seen since the last call, by source. */
  take(): Map<string, CatalogEventRecord[]>;
}

/** The first 20 events of a name are sampled, then one in 16: a new event is known at once, and a frequent one costs little. */
const FIRST_SAMPLED = 20;
const SAMPLE_EVERY = 16;

const createEvent = (at: number): LearnedEvent => ({
  count: 0,
  sampled: 0,
  firstSeenAt: at,
  lastSeenAt: at,
  properties: new Map(),
  clientVersions: new Set(),
  pages: new Map(),
});

function typeOf(value: unknown): CatalogType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

const MAX_VALUES = 2 * LIMITS.maxCatalogExamples;

/** The masked value as JSON. null: it is long, has members, or is new and there is no room for it. */
function exampleOf(name: string, value: unknown, known: SessionsOfText): string | null {
  if (
    typeof value === "object" ||
    (typeof value === "string" && value.length > LIMITS.maxCatalogExampleLength)
  )
    return null;
  // what is known has been masked
  const json = JSON.stringify(value);
  if (known.has(json)) return json;
  if (known.size >= MAX_VALUES) return null;
  const masked = maskJson(JSON.stringify({ [name]: value }));
  return masked === null ? null : JSON.stringify(Object.values(JSON.parse(masked))[0]);
}

/** @returns how many properties and values were added */
function learnProperties(learned: LearnedEvent, { properties, sessionId }: SeenEvent): number {
  let added = 0;
  for (const [name, value] of Object.entries(properties ?? {})) {
    let property = learned.properties.get(name);
    if (!property) {
      const hasRoom = learned.properties.size < LIMITS.maxCatalogProperties;
      if (!hasRoom || name.length > LIMITS.maxCatalogPathLength) continue;
      property = { sampled: 0, types: new Map(), values: new Map() };
      learned.properties.set(name, property);
      added += 1;
    }
    property.sampled += 1;
    const type = typeOf(value);
    property.types.set(type, (property.types.get(type) ?? 0) + 1);
    const example = exampleOf(name, value, property.values);
    if (example !== null) added += noteSession(property.values, example, sessionId, MAX_VALUES);
  }
  return added;
}

/** @returns how many pages were added */
function learnSender(learned: LearnedEvent, { clientVersion, path, sessionId }: SeenEvent): number {
  if (clientVersion !== null && learned.clientVersions.size < LIMITS.maxCatalogVersions)
    learned.clientVersions.add(
      copyText(clientVersion.slice(0, LIMITS.maxCatalogExampleLength).toWellFormed()),
    );
  if (path === null || path.length > LIMITS.maxCatalogPathLength) return 0;
  return noteSession(learned.pages, path, sessionId, 2 * LIMITS.maxCatalogPages);
}

/** Names are masked here: few are new, and many events have them. */
function toRecord(name: string, learned: LearnedEvent): CatalogEventRecord {
  const properties = [...learned.properties].map(([own, { sampled, types, values }]) => ({
    name: maskString(own),
    sampled,
    types: Object.fromEntries(types),
    examples: sharedTexts(values),
  }));
  const { count, sampled, firstSeenAt, lastSeenAt } = learned;
  const clientVersions = [...learned.clientVersions].map(maskString);
  const pages = sharedTexts(learned.pages);
  return {
    name: maskString(name),
    count,
    sampled,
    firstSeenAt,
    lastSeenAt,
    // what came just before midnight counts on the day after
    days: { [dayOf(lastSeenAt)]: count },
    properties,
    clientVersions,
    pages,
  };
}

/** Counts start at 0 after `take`. Values stay, because one is shown only after it occurred in several sessions. */
function restart(learned: LearnedEvent): void {
  learned.count = 0;
  learned.sampled = 0;
  for (const property of learned.properties.values()) {
    property.sampled = 0;
    property.types = new Map();
  }
}

/** Adds the violations to the row of further events. */
function addViolations(
  events: readonly CatalogEventRecord[],
  violations: readonly PlanViolationRecord[],
): CatalogEventRecord[] {
  const others = events.find(({ name }) => name === OTHER_EVENTS);
  const at = violations[0]?.firstSeenAt ?? 0;
  const row = others ?? toRecord(OTHER_EVENTS, createEvent(at));
  return [...events.filter((event) => event !== others), { ...row, violations }];
}

export function createEventLearner(): EventLearner {
  const sources = new Map<string, Map<string, LearnedEvent>>();
  const violations = createViolationLearner();
  /** Names, properties, values and pages of all sources. */
  let entries = 0;

  /** The record of that name. When there is no room for a new name: the record of all further names. */
  const findOrCreate = (sourceId: string, name: string, at: number): LearnedEvent => {
    let events = sources.get(sourceId);
    if (!events) {
      events = new Map();
      sources.set(sourceId, events);
    }
    const hasRoom = events.size < LIMITS.maxCatalogEvents && entries < MAX_LEARNED_ENTRIES;
    const kept = events.has(name) || hasRoom ? name : OTHER_EVENTS;
    let learned = events.get(kept);
    if (!learned) {
      learned = createEvent(at);
      events.set(kept, learned);
      entries += 1;
    }
    return learned;
  };

  /** Counts the event. Only sampled events are searched for properties and pages. */
  const see = (sourceId: string, event: SeenEvent, at: number) => {
    const learned = findOrCreate(sourceId, event.name, at);
    if (learned.count === 0) learned.firstSeenAt = at;
    learned.count += 1;
    learned.lastSeenAt = Math.max(learned.lastSeenAt, at);
    if (learned.count > FIRST_SAMPLED && learned.count % SAMPLE_EVERY !== 0) return;
    const isOther = learned === sources.get(sourceId)?.get(OTHER_EVENTS);
    if (isOther || entries >= MAX_LEARNED_ENTRIES) return;
    learned.sampled += 1;
    entries += learnProperties(learned, event) + learnSender(learned, event);
  };

  const take = () => {
    const taken = new Map<string, CatalogEventRecord[]>();
    for (const [sourceId, events] of sources) {
      const seen = [...events].filter(([, learned]) => learned.count > 0);
      if (seen.length > 0)
        taken.set(
          sourceId,
          seen.map(([name, learned]) => toRecord(name, learned)),
        );
      for (const [, learned] of seen) restart(learned);
    }
    for (const [sourceId, seen] of violations.take())
      taken.set(sourceId, addViolations(taken.get(sourceId) ?? [], seen));
    if (entries > MAX_LEARNED_ENTRIES / 2) {
      sources.clear();
      entries = 0;
    }
    return taken;
  };
  return { see, seeViolation: violations.see, take };
}
