/** The attempts that a page shows, newest first. It merges stored attempts, loaded page by page, with live ones from a stream. */
import type { Attempt } from "@headwater/contract";
import { callApi } from "../../api.ts";
import {
  type AttemptFilters,
  type AttemptListener,
  type DebugData,
  followAttempts,
} from "./follow-attempts.ts";
import { MAX_ATTEMPTS, mergeAttempts } from "./merge-attempts.ts";

const PAGE_SIZE = 200;

export interface AttemptLogState {
  readonly attempts: readonly Attempt[];
  /** The number of attempts that arrived while the log was paused and are not shown yet. */
  readonly pendingCount: number;
  readonly isPaused: boolean;
  readonly isLive: boolean;
  readonly isLoading: boolean;
  readonly hasOlder: boolean;
  readonly error: Error | null;
}

export interface AttemptLog {
  state(): AttemptLogState;
  subscribe(listener: () => void): () => void;
  pause(): void;
  resume(): void;
  loadOlder(): void;
  close(): void;
}

const attemptsOf = ({ bootstrapAttempts, eventAttempts }: DebugData) => [
  ...bootstrapAttempts,
  ...eventAttempts,
];

/** The state before the first response. */
export const EMPTY_LOG: AttemptLogState = {
  attempts: [],
  pendingCount: 0,
  isPaused: false,
  isLive: false,
  isLoading: true,
  hasOlder: false,
  error: null,
};

export function openAttemptLog(sourceId: string, filters: AttemptFilters): AttemptLog {
  const closing = new AbortController();
  const listeners = new Set<() => void>();
  let state = EMPTY_LOG;
  let cursor: string | null = null;
  let pending: Attempt[] = [];
  let frame: number | null = null;

  const set = (change: Partial<AttemptLogState>) => {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  };
  /** Adds the pending attempts to the list, or only counts them while the log is paused. */
  const flushPending = () => {
    frame = null;
    if (closing.signal.aborted) return;
    if (state.isPaused) {
      pending = pending.slice(-MAX_ATTEMPTS);
      set({ pendingCount: pending.length });
      return;
    }
    const added = pending;
    pending = [];
    set({ attempts: mergeAttempts(state.attempts, added), pendingCount: 0 });
  };
  /** Updates the list at most once per animation frame. */
  const addPending = (attempt: Attempt) => {
    pending.push(attempt);
    frame ??= requestAnimationFrame(flushPending);
  };

  async function load(from: string | null): Promise<void> {
    set({ isLoading: true });
    try {
      const query = { ...filters, limit: PAGE_SIZE, ...(from === null ? {} : { cursor: from }) };
      const answer = await callApi("getDebug", { params: { sourceId }, query, signal: closing.signal });
      cursor = answer.nextCursor;
      const isFull = state.attempts.length >= MAX_ATTEMPTS;
      set({
        attempts: mergeAttempts(state.attempts, attemptsOf(answer)),
        isLoading: false,
        hasOlder: cursor !== null && !isFull,
        error: null,
      });
    } catch (error) {
      if (!closing.signal.aborted) set({ isLoading: false, error: error as Error });
    }
  }

  const listener: AttemptListener = {
    // the first page is loaded after the stream is open: attempts in between would otherwise be in neither
    onOpen: () => {
      set({ isLive: true, error: null });
      void load(null);
    },
    onAttempt: addPending,
    onDisconnect: (error, isFinal) =>
      set({ isLive: false, isLoading: false, error: isFinal || state.attempts.length === 0 ? error : null }),
  };
  void followAttempts({ sourceId, filters, listener, signal: closing.signal });

  return {
    state: () => state,
    subscribe: (onChange) => {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    pause: () => set({ isPaused: true }),
    resume: () => {
      set({ isPaused: false });
      flushPending();
    },
    loadOlder: () => {
      if (!state.isLoading && cursor !== null) void load(cursor);
    },
    close: () => {
      closing.abort();
      if (frame !== null) cancelAnimationFrame(frame);
    },
  };
}
