/** So many questions at work; the others wait, and the workspaces come to their turns one after the other. */
import { Refusal } from "../core/refusal.ts";

/** What one workspace may have of the places, and of the room to wait. */
const SHARE = 1 / 2;

export const busy = (cause?: unknown) =>
  new Refusal(
    "overloaded",
    {
      message: "More questions are asked than the warehouse can answer just now.",
      hint: "Ask again after Retry-After.",
    },
    cause,
  );

export type InTurn = <T>(workspace: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/** @returns what waits for a turn and works in it; throws Refusal: too many wait, or the client has gone */
export function createTurns(atWork: number, waiting: number): InTurn {
  const atWorkOfOne = Math.ceil(atWork * SHARE);
  const waitingOfOne = Math.ceil(waiting * SHARE);
  const working = new Map<string, number>();
  /** In the order of their turns. */
  const queues = new Map<string, Set<() => void>>();
  let total = 0;
  let waitingInAll = 0;

  const mayBegin = (workspace: string) => total < atWork && (working.get(workspace) ?? 0) < atWorkOfOne;
  const count = (workspace: string, change: 1 | -1) => {
    total += change;
    const now = (working.get(workspace) ?? 0) + change;
    if (now === 0) working.delete(workspace);
    else working.set(workspace, now);
  };
  const take = (workspace: string, queue: Set<() => void>, one: () => void) => {
    waitingInAll -= 1;
    queue.delete(one);
    if (queue.size === 0) queues.delete(workspace);
  };

  const wait = (workspace: string, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const queue = queues.get(workspace) ?? new Set();
      if (waitingInAll >= waiting || queue.size >= waitingOfOne) throw busy();
      const leave = () => {
        take(workspace, queue, begin);
        reject(new Refusal("warehouse_unavailable"));
      };
      const begin = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      queues.set(workspace, queue.add(begin));
      waitingInAll += 1;
      signal.addEventListener("abort", leave, { once: true });
    });

  const beginNext = () => {
    for (const [workspace, queue] of queues) {
      if (!mayBegin(workspace)) continue;
      const [begin] = queue as Set<() => void> & [() => void];
      take(workspace, queue, begin);
      // behind the others
      if (queue.size > 0 && queues.delete(workspace)) queues.set(workspace, queue);
      count(workspace, 1);
      begin();
      return;
    }
  };

  return async (workspace, signal, work) => {
    if (mayBegin(workspace)) count(workspace, 1);
    else await wait(workspace, signal);
    try {
      return await work();
    } finally {
      count(workspace, -1);
      beginNext();
    }
  };
}
