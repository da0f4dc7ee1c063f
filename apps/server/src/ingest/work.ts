/**
 * Overload, met where it begins: a request whose body is here does not go to work at once when others have had the event
 * loop for some milliseconds, but waits for its turn, the sources one after the other. Between two such slices of work
 * everything that has arrived meanwhile is looked at, and what finds all places taken is refused: a refusal takes a
 * fraction of the time of a request, and comes soon. When all places are taken a source is still let in as long as it
 * has less than its share of them, so that one that floods keeps no other out.
 */

import { MessageChannel } from "node:worker_threads";
import { SERVER_LIMITS } from "../core/limits.ts";
import { createHolders } from "./holders.ts";

export interface Work {
  /** All places are taken, and this source has its share of them. */
  isFull(sourceId: string): boolean;
  /** Does it when its turn comes; it has a place until it is done. */
  do<T>(sourceId: string, run: () => Promise<T>): Promise<T>;
}

/** At most so many times the places are taken when many sources have less than their share. */
const OVERFILL = 2;

function createPlaces(most: number) {
  const sources = createHolders();
  let taken = 0;
  return {
    isFull(sourceId: string) {
      if (taken < most) return false;
      const share = Math.max(1, most / sources.count());
      return taken >= most * OVERFILL || sources.heldBy(sourceId) >= share;
    },
    take(sourceId: string) {
      taken += 1;
      sources.enter(sourceId);
    },
    giveBack(sourceId: string) {
      taken -= 1;
      sources.leave(sourceId);
    },
  };
}

/** First in first out within a source; the sources take turns. */
function createFairQueue<T>() {
  const bySource = new Map<string, T[]>();
  return {
    isEmpty: () => bySource.size === 0,
    add(sourceId: string, item: T) {
      const own = bySource.get(sourceId);
      if (own) own.push(item);
      else bySource.set(sourceId, [item]);
    },
    next(): T | undefined {
      for (const [sourceId, own] of bySource) {
        bySource.delete(sourceId);
        const item = own.shift();
        if (own.length > 0) bySource.set(sourceId, own);
        return item;
      }
      return undefined;
    },
  };
}

/**
 * Runs it behind everything that has arrived by now; `setImmediate` would wait until nothing more arrives. Of two
 * channels in turns, because a message that is posted while its own channel's is handled is handled in the same go.
 */
function behindArrivals(run: () => void): () => void {
  const channels = [new MessageChannel(), new MessageChannel()];
  for (const { port1 } of channels) port1.on("message", run).unref();
  let latest = 0;
  return () => {
    latest = 1 - latest;
    channels[latest]!.port2.postMessage(null);
  };
}

/**
 * @param most requests at work at once
 * @param stopwatch milliseconds, monotonic
 */
export function createWork(most: number, stopwatch: () => number): Work {
  const places = createPlaces(most);
  const waiting = createFairQueue<() => void>();
  let begun = 0;
  /** When the present slice began; null: nothing has been at work since what arrived was last looked at. */
  let startedAt: number | null = null;

  const isOver = () => stopwatch() - startedAt! >= SERVER_LIMITS.workSliceMs;
  const mayBegin = () => begun < SERVER_LIMITS.workBegun;
  const startSlice = () => {
    startedAt = stopwatch();
    endBehindArrivals();
  };
  /** The next one begins when this one has got as far as it can: a tick that a promise asks for comes behind them all. */
  const beginNext = () => {
    if (isOver() || !mayBegin()) return;
    waiting.next()?.();
    if (!waiting.isEmpty()) queueMicrotask(() => process.nextTick(beginNext));
  };
  const endBehindArrivals = behindArrivals(() => {
    startedAt = null;
    if (waiting.isEmpty() || !mayBegin()) return;
    startSlice();
    beginNext();
  });

  const turn = (sourceId: string): Promise<void> | null => {
    if (startedAt === null) startSlice();
    if (waiting.isEmpty() && mayBegin() && !isOver()) return null;
    return new Promise((resolve) => waiting.add(sourceId, resolve));
  };
  const end = (sourceId: string) => {
    begun -= 1;
    places.giveBack(sourceId);
    if (startedAt === null && !waiting.isEmpty()) startSlice();
  };
  return {
    isFull: places.isFull,
    async do(sourceId, run) {
      places.take(sourceId);
      const mine = turn(sourceId);
      if (mine) await mine;
      begun += 1;
      try {
        return await run();
      } finally {
        end(sourceId);
      }
    },
  };
}
