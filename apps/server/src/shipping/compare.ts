/**
 * Compares what the ledger has counted as shipped with what the warehouse holds (docs/decisions/0022). The warehouse may
 * hold more: imports and shipments that are not counted yet add to it. It must never hold less.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { WarehouseClient } from "../clickhouse/client.ts";
import { isDeleting } from "../clickhouse/deletion.ts";
import type { DayCount } from "../core/warehouse-report.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { ShippedDays } from "../ledger/warehouse-ledger.ts";

export type ComparedLedger = Pick<Ledger, "probe" | "allSourceIds" | "shippedDays" | "setShippedDays">;

/**
 * Days on which the warehouse held more than was counted, as comparisons found them. Events that were on their way then have left
 * the outbox when its oldest event is younger than `at`. If the count is the same as before, the surplus was no shipment.
 */
export type SurplusMemory = Map<string, { at: number; removals: number; counted: number; held: number }>;

export interface ComparisonDeps {
  ledger: ComparedLedger;
  client: WarehouseClient;
  now: number;
  signal: AbortSignal;
  /** Keep it from one comparison to the next. Without it no events are adopted. */
  surplus?: SurplusMemory;
  /** Events are known to be missing, so that a comparison that finds none counts again. */
  isSuspicious?: boolean;
}

/** A day on which the warehouse lacks shipped events. */
export interface MissingDay extends DayCount {
  /** How many events of the day the warehouse holds. */
  held: number;
}

interface WarehouseComparison {
  missing: MissingDay[];
  /** Events that nobody has counted, such as imported ones, and that the warehouse must hold from now on. */
  adopted: number;
}

/** Sources in one query: few enough that the days of ten years fit into its answer. */
const SOURCES_AT_ONCE = 20;
/** More days with surplus are not remembered. */
const MAX_SURPLUS_DAYS = 20_000;
/** Longer than a comparison takes and than the clocks of nodes differ. */
const SETTLING_MS = 600_000;
/** A comparison starts again when events were removed meanwhile. */
const MAX_TRIES = 20;
/** Events that are shipped and not counted yet hide missing ones, so when some are missing, they are counted that often. */
const COUNTS_OF_MISSING = 5;
const RETRY_MS = 500;

const keyOf = ({ sourceId, day }: DayCount) => `${sourceId} ${day}`;
const byKey = (counts: readonly DayCount[]) => new Map(counts.map((count) => [keyOf(count), count.events]));

/** Selects the sources of a comparison and counts their events by day. Reads only the projection `days`. */
async function countHeld(
  { client, signal }: Pick<ComparisonDeps, "client" | "signal">,
  sourceIds: string[],
): Promise<DayCount[]> {
  const answer = await client.query({
    query: `SELECT sourceId, toUInt16(toDate(occurredAt)) AS day, count() AS events
      FROM events WHERE sourceId IN {sourceIds:Array(String)} GROUP BY sourceId, toDate(occurredAt)`,
    query_params: { sourceIds },
    format: "JSONEachRow",
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0, max_threads: 1 },
    abort_signal: signal,
  });
  return answer.json<DayCount>();
}

/**
 * Finds events to adopt, and remembers the days with surplus.
 * @param settledBefore every event that arrived earlier has left the outbox
 */
function findAdoptable(
  { now, surplus = new Map() }: ComparisonDeps,
  { days, removals }: ShippedDays,
  held: readonly DayCount[],
  settledBefore: number,
): DayCount[] {
  const countedOf = byKey(days);
  return held.flatMap((day) => {
    const key = keyOf(day);
    const counted = countedOf.get(key) ?? 0;
    const before = surplus.get(key);
    surplus.delete(key);
    if (day.events <= counted) return [];
    if (before?.counted !== counted || before.removals !== removals) {
      if (surplus.size < MAX_SURPLUS_DAYS) surplus.set(key, { at: now, removals, counted, held: day.events });
      return [];
    }
    if (before.at < settledBefore) return [{ ...day, events: before.held }];
    surplus.set(key, before);
    return [];
  });
}

/** Days on which it holds less. */
const findMissing = (counted: readonly DayCount[], inWarehouse: ReadonlyMap<string, number>): MissingDay[] =>
  counted.flatMap((count) => {
    const held = inWarehouse.get(keyOf(count)) ?? 0;
    const events = count.events - held;
    return events > 0 ? [{ ...count, events, held }] : [];
  });

/** @returns null when events were removed meanwhile, or when a replica may lag behind */
async function compareOnce(
  deps: ComparisonDeps,
  sourceIds: string[],
  settledBefore: number,
): Promise<WarehouseComparison | null> {
  const { ledger, client, signal } = deps;
  // read first: everything that is counted by now is in the warehouse
  const shipped = await ledger.shippedDays({ sourceIds });
  const { days, removals, isErasing } = shipped;
  const isChanging = isErasing || (await isDeleting(client, "").catch(() => true));
  const held = await countHeld({ client, signal }, sourceIds);
  const adoptable = isChanging ? [] : findAdoptable(deps, shipped, held, settledBefore);
  if (!(await ledger.setShippedDays({ days: adoptable, removals }))) return null;
  const counted = byKey(days);
  const adopted = adoptable.reduce((sum, day) => sum + day.events - (counted.get(keyOf(day)) ?? 0), 0);
  return { missing: findMissing(days, byKey(held)), adopted };
}

/** Merges two counts: each day keeps the one that found more missing events. */
function mergeCounts(one: WarehouseComparison, other: WarehouseComparison): WarehouseComparison {
  const days = new Map(one.missing.map((day) => [keyOf(day), day]));
  for (const day of other.missing)
    if (day.events > (days.get(keyOf(day))?.events ?? 0)) days.set(keyOf(day), day);
  return { missing: [...days.values()], adopted: one.adopted + other.adopted };
}

async function compareSources(
  deps: ComparisonDeps,
  sourceIds: string[],
  settledBefore: number,
): Promise<WarehouseComparison> {
  const { client, signal, isSuspicious } = deps;
  const isCluster = client.cluster !== null;
  let latest: WarehouseComparison | null = null;
  let counts = 0;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = await compareOnce(deps, sourceIds, settledBefore);
    if (found) {
      counts += 1;
      // a replica that answered may lag behind for a moment, so on a cluster the last count is the right one
      latest = latest && !isCluster ? mergeCounts(latest, found) : found;
    }
    const isClean = latest?.missing.length === 0 && (isCluster || !isSuspicious);
    if (latest && (isClean || (!isCluster && counts >= COUNTS_OF_MISSING))) return latest;
    await pause(RETRY_MS, undefined, { signal });
  }
  if (latest) return latest;
  throw new Error("Events are removed from the warehouse all the time, so it cannot be compared at present.");
}

/** Compares all sources. */
export async function compareWarehouse(deps: ComparisonDeps): Promise<WarehouseComparison> {
  const { ledger, now } = deps;
  const { outboxOldestAt } = await ledger.probe({ now });
  const settledBefore = (outboxOldestAt ?? now) - SETTLING_MS;
  const sourceIds = await ledger.allSourceIds();
  const whole: WarehouseComparison = { missing: [], adopted: 0 };
  for (let start = 0; start < sourceIds.length; start += SOURCES_AT_ONCE) {
    const part = await compareSources(deps, sourceIds.slice(start, start + SOURCES_AT_ONCE), settledBefore);
    whole.missing.push(...part.missing);
    whole.adopted += part.adopted;
  }
  return whole;
}
