/**
 * Admission control: how many callers work at once, how many wait, and how both are shared between keys (sources,
 * workspaces or client addresses). Ingest, request bodies, stats queries, exports, streams and commits all use it.
 */
export interface AdmissionLimits {
  /** Callers at work at once. Default: no limit. */
  readonly maxActive?: number;
  /** Callers of one key at work at once. Default: no limit. */
  readonly maxActivePerKey?: number;
  /** Callers at work and waiting together. A key below its fair share may exceed it, up to twice this number. */
  readonly maxAdmitted?: number;
  /** Callers of one key at work and waiting together. Default: no limit. */
  readonly maxAdmittedPerKey?: number;
  /** While this returns false, callers wait even if a slot is free. Call `resume` when it may return true again. */
  readonly isOpen?: () => boolean;
}

/** More callers want a slot than the limits admit. */
export class AdmissionFull extends Error {
  constructor() {
    super("too many callers are waiting");
    this.name = "AdmissionFull";
  }
}

/** Gives the slot back, when it is called or disposed of. Doing so again has no effect. */
export type Release = (() => void) & Disposable;

export interface Admission {
  /** Whether `enter` would reject this key with `AdmissionFull`. */
  isFull(key: string): boolean;
  /** Takes a slot, waiting for it in turn. Rejects with `AdmissionFull`, or with the signal's reason when it aborts first. */
  enter(key: string, signal?: AbortSignal): Promise<Release>;
  /** Takes a slot without waiting; null when none is free. */
  tryEnter(key: string): Release | null;
  /** Runs `work` in a slot. */
  run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Starts as many waiting callers as the limits and `isOpen` allow, and at most `maxCallers`. */
  resume(maxCallers?: number): void;
  /** Callers at work and waiting. */
  admitted(): number;
  /** Callers waiting. */
  waiting(): number;
}

interface KeyQueue {
  active: number;
  /** The waiting callers of this key, oldest first. */
  readonly queue: Set<() => void>;
}

/** A bounded semaphore that is fair between keys: callers of one key are first in, first out; the keys take turns. */
export function createAdmission(limits: AdmissionLimits): Admission {
  const {
    maxActive = Number.POSITIVE_INFINITY,
    maxActivePerKey = Number.POSITIVE_INFINITY,
    maxAdmitted = Number.POSITIVE_INFINITY,
    maxAdmittedPerKey = Number.POSITIVE_INFINITY,
    isOpen = () => true,
  } = limits;
  const keys = new Map<string, KeyQueue>();
  /** Keys with waiting callers, in the order of their turns. */
  const turns = new Map<string, KeyQueue>();
  let active = 0;
  let waiting = 0;

  const stateOf = (key: string): KeyQueue => {
    const known = keys.get(key);
    if (known) return known;
    const state: KeyQueue = { active: 0, queue: new Set() };
    keys.set(key, state);
    return state;
  };
  const dropIfIdle = (key: string, state: KeyQueue) => {
    if (state.queue.size === 0) turns.delete(key);
    if (state.active + state.queue.size === 0) keys.delete(key);
  };
  const admittedOf = (key: string) => {
    const state = keys.get(key);
    return state ? state.active + state.queue.size : 0;
  };
  const isFull = (key: string) => {
    const own = admittedOf(key);
    if (own >= maxAdmittedPerKey) return true;
    const all = active + waiting;
    if (all < maxAdmitted) return false;
    const fairShare = Math.max(1, maxAdmitted / keys.size);
    return all >= 2 * maxAdmitted || own >= fairShare;
  };
  const hasSlot = (state: KeyQueue | undefined) =>
    isOpen() && active < maxActive && (state?.active ?? 0) < maxActivePerKey;

  const occupy = (key: string): Release => {
    const state = stateOf(key);
    state.active += 1;
    active += 1;
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      state.active -= 1;
      active -= 1;
      dropIfIdle(key, state);
      resume();
    };
    return Object.assign(release, { [Symbol.dispose]: release });
  };

  function resume(maxCallers = Number.POSITIVE_INFINITY): void {
    let started = 0;
    for (const [key, state] of turns) {
      if (started >= maxCallers || active >= maxActive || !isOpen()) return;
      if (!hasSlot(state)) continue;
      started += 1;
      const [start] = state.queue;
      // the key goes to the end of the turns, unless this was its last waiting caller
      turns.delete(key);
      if (state.queue.size > 1) turns.set(key, state);
      start?.();
    }
  }

  const tryEnter = (key: string) =>
    isFull(key) || turns.has(key) || !hasSlot(keys.get(key)) ? null : occupy(key);

  const wait = (key: string, signal?: AbortSignal) =>
    new Promise<Release>((resolve, reject) => {
      const state = stateOf(key);
      const leave = () => {
        waiting -= 1;
        state.queue.delete(start);
        signal?.removeEventListener("abort", abort);
      };
      const start = () => {
        leave();
        resolve(occupy(key));
      };
      const abort = () => {
        leave();
        dropIfIdle(key, state);
        reject(signal?.reason);
      };
      state.queue.add(start);
      turns.set(key, state);
      waiting += 1;
      signal?.addEventListener("abort", abort, { once: true });
    });

  const enter = async (key: string, signal?: AbortSignal): Promise<Release> => {
    signal?.throwIfAborted();
    if (isFull(key)) throw new AdmissionFull();
    return tryEnter(key) ?? wait(key, signal);
  };

  return {
    isFull,
    enter,
    tryEnter,
    async run(key, work, signal) {
      const release = await enter(key, signal);
      try {
        return await work();
      } finally {
        release();
      }
    },
    resume,
    admitted: () => active + waiting,
    waiting: () => waiting,
  };
}
