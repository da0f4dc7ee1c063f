/** Checks every part of the warehouse and sets the damaged ones aside, so that everything else can be read. */
import { setTimeout as pause } from "node:timers/promises";
import { connect, type WarehouseClient } from "./client.ts";
import type { WarehouseEndpoint } from "./endpoint.ts";
import {
  checkPart,
  type DataPart,
  detachPart,
  emptyRollups,
  isAnswer,
  listDetached,
  listParts,
  type PartState,
  rebuildProjection,
} from "./parts.ts";
import { ROLLUP_TABLES } from "./schema/rollups.ts";

/** The check of one part: ClickHouse may take many minutes until it reports a damaged block. */
const WAREHOUSE_PART_CHECK_MS = 3_600_000;

export interface PartChecks {
  /** Damaged parts of the events that were detached. */
  detached: DataPart[];
  /** Damaged parts of the events that could not be detached. */
  stuck: DataPart[];
  /** Parts that could not be checked, with the reason. A part that was merged with others meanwhile is checked with these. */
  unchecked: { name: string; reason: string }[];
}

interface PartCheckOptions {
  signal: AbortSignal;
  /** Ends the checks after the present part. */
  stopping?: AbortSignal;
  /** Measures each check: the next part waits for as long as it took, so that queries get half of the disk and processor. */
  paceClock?: () => number;
}

const NEVER_ABORTED = new AbortController().signal;

const isOfEvents = ({ table }: DataPart) => table === "events";

async function hasDetachedRollups(client: WarehouseClient, signal: AbortSignal): Promise<boolean> {
  for (const table of ROLLUP_TABLES) if ((await listDetached(client, table, signal)).length > 0) return true;
  return false;
}

/** @throws Error when the connection is lost */
async function stateOf(
  client: WarehouseClient,
  part: DataPart,
  signal: AbortSignal,
): Promise<PartState | { reason: string }> {
  try {
    return await checkPart(client, part, signal);
  } catch (error) {
    if (!isAnswer(error)) throw error;
    return { reason: error.message };
  }
}

async function checkParts(
  client: WarehouseClient,
  { signal, stopping = NEVER_ABORTED, paceClock }: PartCheckOptions,
): Promise<PartChecks> {
  const found: PartChecks = { detached: [], stuck: [], unchecked: [] };
  const partitionsToRebuild = new Map<string, DataPart>();
  let areRollupsDamaged = await hasDetachedRollups(client, signal);
  for (const part of await listParts(client, signal)) {
    if (stopping.aborted) break;
    const startedAt = paceClock?.() ?? 0;
    const state = await stateOf(client, part, signal);
    if (typeof state === "object") found.unchecked.push({ name: part.name, ...state });
    else if (state !== "sound" && !isOfEvents(part)) areRollupsDamaged = true;
    else if (state === "readable") partitionsToRebuild.set(part.partition, part);
    else if (state === "damaged") {
      const isDetached = await detachPart(client, part).then(
        () => true,
        () => false,
      );
      found[isDetached ? "detached" : "stuck"].push(part);
    }
    if (paceClock) {
      // the clock may jump
      const waitMs = Math.min(paceClock() - startedAt, WAREHOUSE_PART_CHECK_MS);
      await pause(waitMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
  for (const part of partitionsToRebuild.values()) await rebuildProjection(client, part);
  if (areRollupsDamaged) await emptyRollups(client, signal);
  return found;
}

/**
 * Uses a connection of its own, because a check may take longer than a query. Not for a cluster, whose replicas fetch damaged
 * parts from each other.
 * @throws Error when the connection is lost
 */
export async function setDamagedPartsAside(
  endpoint: WarehouseEndpoint,
  options: PartCheckOptions,
): Promise<PartChecks> {
  const client = connect(endpoint, WAREHOUSE_PART_CHECK_MS);
  try {
    return await checkParts(client, options);
  } finally {
    await client.close();
  }
}
