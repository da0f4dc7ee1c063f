/**
 * Admission control: how many callers work at once, how many wait, and how both are shared between keys (sources,
 * workspaces or client addresses). Ingest, request bodies, stats queries, exports, streams and commits all use it.
 */
interface AdmissionLimits {
  /** Callers at work at once. Default: no limit. */
  readonly maxActive?: number;
  /** Callers of one key at work at once. Default: no limit. */
  readonly maxActivePerKey?: number;
  /** Callers at work and waiting together. A key below its fair share may exceed it, up to twice this number. */
  readonly maxAdmitted?: number;
  /** Callers of one key at work and waiting together. Default: no limit. */
  readonly maxAdmittedPerKey?: number;
  /** Callers that have waited this long are rejected with `AdmissionFull`. Default: no limit. */
  readonly maxWaitMs?: number;
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

/** Gives the slot back. A second call has no effect. */
export type Release = () => void;

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

/** Starts the caller. */
type WaitingCaller = () => void;

interface KeyQueue {
  active: number;
  /** The waiting callers of this key, oldest first. */
  readonly queue: Set<WaitingCaller>;
}

const NO_LIMITS: Required<AdmissionLimits> = {
  maxActive: Number.POSITIVE_INFINITY,
  maxActivePerKey: Number.POSITIVE_INFINITY,
  maxAdmitted: Number.POSITIVE_INFINITY,
  maxAdmittedPerKey: Number.POSITIVE_INFINITY,
  maxWaitMs: Number.POSITIVE_INFINITY,
  isOpen: () => true,
};

/** A bounded semaphore that is fair between keys: callers of one key are first in, first out; the keys take turns. */
export const createAdmission = (limits: AdmissionLimits): Admission => new FairSemaphore(limits);

class FairSemaphore implements Admission {
  readonly #limits: Required<AdmissionLimits>;
  readonly #keys = new Map<string, KeyQueue>();
  /** Keys with waiting callers, in the order of their turns. */
  readonly #turns = new Map<string, KeyQueue>();
  #active = 0;
  #waiting = 0;

  constructor(limits: AdmissionLimits) {
    this.#limits = { ...NO_LIMITS, ...limits };
  }

  isFull(key: string): boolean {
    const { maxAdmitted, maxAdmittedPerKey } = this.#limits;
    const state = this.#keys.get(key);
    const own = state ? state.active + state.queue.size : 0;
    if (own >= maxAdmittedPerKey) return true;
    const all = this.admitted();
    if (all < maxAdmitted) return false;
    const fairShare = Math.max(1, maxAdmitted / this.#keys.size);
    return all >= 2 * maxAdmitted || own >= fairShare;
  }

  async enter(key: string, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    if (this.isFull(key)) throw new AdmissionFull();
    return this.tryEnter(key) ?? this.#wait(key, signal);
  }

  tryEnter(key: string): Release | null {
    const mustWait = this.isFull(key) || this.#turns.has(key) || !this.#hasSlot(this.#keys.get(key));
    return mustWait ? null : this.#occupy(key);
  }

  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.enter(key, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  resume(maxCallers = Number.POSITIVE_INFINITY): void {
    const { maxActive, isOpen } = this.#limits;
    let started = 0;
    for (const [key, state] of this.#turns) {
      if (started >= maxCallers || this.#active >= maxActive || !isOpen()) return;
      if (!this.#hasSlot(state)) continue;
      started += 1;
      const [next] = state.queue;
      // the key goes to the end of the turns, unless this was its last waiting caller
      this.#turns.delete(key);
      if (state.queue.size > 1) this.#turns.set(key, state);
      next?.();
    }
  }

  admitted(): number {
    return this.#active + this.#waiting;
  }

  waiting(): number {
    return this.#waiting;
  }

  #stateOf(key: string): KeyQueue {
    const known = this.#keys.get(key);
    if (known) return known;
    const state: KeyQueue = { active: 0, queue: new Set() };
    this.#keys.set(key, state);
    return state;
  }

  #dropIfIdle(key: string, state: KeyQueue): void {
    if (state.queue.size === 0) this.#turns.delete(key);
    if (state.active + state.queue.size === 0) this.#keys.delete(key);
  }

  #hasSlot(state: KeyQueue | undefined): boolean {
    const { maxActive, maxActivePerKey, isOpen } = this.#limits;
    return isOpen() && this.#active < maxActive && (state?.active ?? 0) < maxActivePerKey;
  }

  #occupy(key: string): Release {
    const state = this.#stateOf(key);
    state.active += 1;
    this.#active += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      state.active -= 1;
      this.#active -= 1;
      this.#dropIfIdle(key, state);
      this.resume();
    };
  }

  #wait(key: string, signal?: AbortSignal): Promise<Release> {
    return new Promise((resolve, reject) => {
      const state = this.#stateOf(key);
      const { maxWaitMs } = this.#limits;
      const leave = () => {
        clearTimeout(timer);
        this.#waiting -= 1;
        state.queue.delete(start);
        signal?.removeEventListener("abort", abort);
      };
      const start = () => {
        leave();
        resolve(this.#occupy(key));
      };
      const giveUp = (reason: unknown) => {
        leave();
        this.#dropIfIdle(key, state);
        reject(reason);
      };
      const abort = () => giveUp(signal?.reason);
      const expire = () => giveUp(new AdmissionFull());
      const timer = Number.isFinite(maxWaitMs) ? setTimeout(expire, maxWaitMs).unref() : undefined;
      state.queue.add(start);
      this.#turns.set(key, state);
      this.#waiting += 1;
      signal?.addEventListener("abort", abort, { once: true });
    });
  }
}
