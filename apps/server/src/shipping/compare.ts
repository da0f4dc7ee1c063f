/**
 * Compares what the ledger has counted as shipped with what the warehouse holds (docs/decisions/0022). Both are equal, unless events
 * are lost or are being shipped, or the warehouse is older than the ledger.
 */
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { WarehouseClient } from "../clickhouse/client.ts";
import { isDeleting } from "../clickhouse/deletion.ts";
import { dayOf } from "../core/time.ts";
import type { Ledger, ShippedDays } from "../ledger/ledger.ts";
import { type DayCount, sumEvents } from "../ledger/warehouse-report.ts";

export type ComparedLedger = Pick<
  Ledger,
  "allSourceIds" | "retentions" | "outboxStatus" | "sealedPages" | "shippedDays" | "addShippedDays"
>;

export interface ComparisonDeps {
  ledger: ComparedLedger;
  client: WarehouseClient;
  now: number;
  /** The warehouse may already hold events that were accepted before and still wait, such as those of a restored ledger. */
  startedAt: number;
  signal: AbortSignal;
  /** Called when the ledger counts events that it never shipped to this warehouse. */
  onSurplus(days: readonly DayCount[]): void;
}

/** A day on which the warehouse lacks events. */
export interface MissingDay extends DayCount {
  /** How many events of the day the warehouse holds. */
  held: number;
  /** The revision of the counts that say so. */
  revision: number;
}

/** Sources in one query: few enough that the days of ten years fit into its answer. */
const SOURCES_AT_ONCE = 20;
/** A comparison starts again when the counts were changed meanwhile, and on a cluster when a replica may lag behind. */
const MAX_TRIES = 20;
/** Events that are shipped and not counted yet hide missing ones, so days are counted that often until nothing is on its way. */
const MAX_COUNTS = 5;
const RETRY_MS = 500;

const keyOf = ({ sourceId, day }: DayCount) => `${sourceId} ${day}`;

/** Counts the events of the sources by day. Reads only the projection `days`. */
async function countHeld({ client, signal }: ComparisonDeps, sourceIds: string[]): Promise<DayCount[]> {
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

/** The days on which the counts differ. `events`: how many the warehouse lacks; below 0, how many it has besides. */
function findDifferences({ days: counted, revision }: ShippedDays, held: readonly DayCount[]): MissingDay[] {
  const days = new Map(
    held.map((day) => [keyOf(day), { ...day, events: -day.events, held: day.events, revision }]),
  );
  for (const day of counted) {
    const inWarehouse = days.get(keyOf(day))?.held ?? 0;
    days.set(keyOf(day), { ...day, events: day.events - inWarehouse, held: inWarehouse, revision });
  }
  return [...days.values()].filter(({ events }) => events !== 0);
}

interface Count {
  differing: MissingDay[];
  /** Nothing was on its way: the differences are exact. */
  isStill: boolean;
}

/** Days that are expired, or expire today, are being deleted: they are not compared. */
async function createDayFilter({ ledger, now }: ComparisonDeps): Promise<(day: DayCount) => boolean> {
  const retentions = await ledger.retentions();
  const expiring = new Map(
    retentions.map(({ sourceId, retentionDays }) => [sourceId, dayOf(now) - retentionDays]),
  );
  return ({ sourceId, day }) => day > (expiring.get(sourceId) ?? Number.NEGATIVE_INFINITY);
}

/** @returns null when the counts were changed otherwise than by shipping, so that it has to be counted again */
async function countOnce(deps: ComparisonDeps, sourceIds: string[]): Promise<Count | null> {
  const { ledger, client } = deps;
  // read first: everything that is counted by now is in the warehouse
  const counted = await ledger.shippedDays({ sourceIds });
  // read afterwards: the retention of every day that is counted as expired by now is known
  const isCompared = await createDayFilter(deps);
  const isRemoving = counted.isErasing || (await isDeleting(client, "").catch(() => true));
  const held = await countHeld(deps, sourceIds);
  const { outboxOldestAt } = await ledger.outboxStatus();
  // an event that waits no more and that is in the warehouse by now is in a sealed page, or counted afterwards
  const sealed = await ledger.sealedPages();
  const after = await ledger.shippedDays({ sourceIds });
  const { revision } = counted;
  if (after.revision !== revision) return null;
  const differing = findDifferences(counted, held).filter(isCompared);
  const isWaiting = outboxOldestAt !== null && outboxOldestAt < deps.startedAt;
  const isStill = !isRemoving && !isWaiting && sealed.length === 0 && isDeepStrictEqual(after, counted);
  const uncounted = differing.filter(({ events }) => events < 0);
  if (!isStill || uncounted.length === 0) return { differing, isStill };
  // the ledger never counted these events, for example because the warehouse is older: count them now, so that they are compared
  const added = uncounted.map(({ sourceId, day, events }) => ({ sourceId, day, events: -events }));
  if (await ledger.addShippedDays({ days: added, revision })) deps.onSurplus(added);
  return null;
}

async function compareSources(deps: ComparisonDeps, sourceIds: string[]): Promise<MissingDay[]> {
  const isCluster = deps.client.cluster !== null;
  /** For each day the count that found most. */
  const missing = new Map<string, MissingDay>();
  let counts = 0;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = await countOnce(deps, sourceIds);
    if (found) {
      counts += 1;
      // a replica that answered may lag behind for a moment, so on a cluster the last count is the right one
      if (isCluster || found.isStill) missing.clear();
      for (const day of found.differing)
        if (day.events > (missing.get(keyOf(day))?.events ?? 0)) missing.set(keyOf(day), day);
      const isExact = found.isStill || found.differing.length === 0 || counts === MAX_COUNTS;
      if (isExact && !(isCluster && missing.size > 0)) return [...missing.values()];
    }
    await pause(RETRY_MS, undefined, { signal: deps.signal });
  }
  if (counts > 0) return [...missing.values()];
  throw new Error(
    "The counts of shipped events change all the time, so the warehouse cannot be compared at present.",
  );
}

/** Compares all sources. @returns the days on which the warehouse lacks events */
export async function compareWarehouse(deps: ComparisonDeps): Promise<MissingDay[]> {
  const sourceIds = await deps.ledger.allSourceIds();
  const missing: MissingDay[] = [];
  for (let start = 0; start < sourceIds.length; start += SOURCES_AT_ONCE)
    missing.push(...(await compareSources(deps, sourceIds.slice(start, start + SOURCES_AT_ONCE))));
  return missing;
}

/** A sentence for the operator about the days that `onSurplus` names. */
export const describeSurplus = (days: readonly DayCount[]): string =>
  `The warehouse holds ${sumEvents(days)} events that the ledger had not counted as shipped. The warehouse is older than the ledger, ` +
  "or somebody added rows to it. They are counted from now on.";

/**
 * Makes the ledger expect only what the warehouse holds.
 * @returns false when the counts were changed otherwise than by shipping since the comparison: nothing is accepted then
 */
export async function acceptMissing(
  ledger: Pick<Ledger, "addShippedDays">,
  missing: readonly MissingDay[],
): Promise<boolean> {
  if (missing.length === 0) return true;
  const days = missing.map(({ sourceId, day, events }) => ({ sourceId, day, events: -events }));
  return ledger.addShippedDays({ days, revision: Math.min(...missing.map(({ revision }) => revision)) });
}
