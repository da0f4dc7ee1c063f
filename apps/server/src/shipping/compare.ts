/**
 * Compares what the ledger has counted as shipped with what the warehouse holds (docs/decisions/0022). The warehouse may
 * hold more: imports and shipments that are not counted yet add to it. It must never hold less.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { WarehouseClient } from "../clickhouse/client.ts";
import { isDeleting } from "../clickhouse/deletion.ts";
import { DAY_MS, dayOf } from "../core/time.ts";
import type { DayCount } from "../core/warehouse-report.ts";
import type { Ledger } from "../ledger/ledger.ts";

export type ComparedLedger = Pick<Ledger, "probe" | "allSourceIds" | "shippedDays" | "setShippedDays">;

export interface ComparisonDeps {
  ledger: ComparedLedger;
  client: WarehouseClient;
  now: number;
  signal: AbortSignal;
}

/** A day on which the warehouse lacks shipped events. */
export interface MissingDay extends DayCount {
  /** How many events of the day the warehouse holds. */
  held: number;
}

export interface WarehouseComparison {
  missing: MissingDay[];
  /** Events on days that were counted for the first time, or that have more events than before. */
  adopted: number;
}

/** Sources in one query: few enough that the days of ten years fit into its answer. */
const SOURCES_AT_ONCE = 20;
/** The ledger detects duplicates for this long, so an event that waits in the outbox cannot be older. */
const MAX_AGE_MS = 12 * DAY_MS;
/** A comparison starts again when events were removed meanwhile. */
const MAX_TRIES = 20;
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

/** Days on which the warehouse holds more than was counted. */
function findSurplus(held: readonly DayCount[], counted: ReadonlyMap<string, number>, before: number) {
  return held.filter((count) => count.day < before && count.events > (counted.get(keyOf(count)) ?? 0));
}

/** Days on which it holds less. */
const findMissing = (counted: readonly DayCount[], inWarehouse: ReadonlyMap<string, number>): MissingDay[] =>
  counted.flatMap((count) => {
    const held = inWarehouse.get(keyOf(count)) ?? 0;
    const events = count.events - held;
    return events > 0 ? [{ ...count, events, held }] : [];
  });

/**
 * @param closedBefore no event of an earlier day is on its way, so on these days the number in the warehouse is final
 * @returns null when events were removed meanwhile, or when a replica may lag behind
 */
async function compareOnce(
  { ledger, client, signal }: ComparisonDeps,
  sourceIds: string[],
  closedBefore: number,
): Promise<WarehouseComparison | null> {
  // read first: everything that is counted by now is in the warehouse
  const { days, removals, isErasing } = await ledger.shippedDays({ sourceIds });
  const isChanging = isErasing || (await isDeleting(client, "").catch(() => true));
  const held = await countHeld({ client, signal }, sourceIds);
  const surplus = isChanging ? [] : findSurplus(held, byKey(days), closedBefore);
  if (!(await ledger.setShippedDays({ days: surplus, removals }))) return null;
  const counted = byKey(days);
  const adopted = surplus.reduce((sum, count) => sum + count.events - (counted.get(keyOf(count)) ?? 0), 0);
  return { missing: findMissing(days, byKey(held)), adopted };
}

async function compareSources(
  deps: ComparisonDeps,
  sourceIds: string[],
  closedBefore: number,
): Promise<WarehouseComparison> {
  let latest: WarehouseComparison | null = null;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    latest = (await compareOnce(deps, sourceIds, closedBefore)) ?? latest;
    // the replica that answered may lag behind for a moment
    const mayLag = deps.client.cluster !== null && latest !== null && latest.missing.length > 0;
    if (latest && !mayLag) return latest;
    await pause(RETRY_MS, undefined, { signal: deps.signal });
  }
  if (latest) return latest;
  throw new Error("Events are removed from the warehouse all the time, so it cannot be compared at present.");
}

/** @param only the sources to compare; default: all */
export async function compareWarehouse(deps: ComparisonDeps, only?: string[]): Promise<WarehouseComparison> {
  const { ledger, now } = deps;
  const { outboxOldestAt } = await ledger.probe({ now });
  const closedBefore = dayOf(Math.min(now, outboxOldestAt ?? now) - MAX_AGE_MS);
  const sourceIds = only ?? (await ledger.allSourceIds());
  const whole: WarehouseComparison = { missing: [], adopted: 0 };
  for (let start = 0; start < sourceIds.length; start += SOURCES_AT_ONCE) {
    const part = await compareSources(deps, sourceIds.slice(start, start + SOURCES_AT_ONCE), closedBefore);
    whole.missing.push(...part.missing);
    whole.adopted += part.adopted;
  }
  return whole;
}
