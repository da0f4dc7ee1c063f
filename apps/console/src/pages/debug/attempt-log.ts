/** The attempts that a page shows, newest first: those that were kept, older ones as they are asked for, and the live ones. */
import type { Attempt } from "@headwater/contract";
import { callApi } from "../../api.ts";
import { type AttemptFilters, type DebugAnswer, followAttempts } from "./follow-attempts.ts";
import { MAX_ATTEMPTS, mergeAttempts } from "./merge-attempts.ts";

const PAGE_SIZE = 200;

export interface AttemptLogState {
  readonly attempts: readonly Attempt[];
  /** Came while the page was paused, and are not shown yet. */
  readonly held: number;
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

const attemptsOf = ({ bootstrapAttempts, eventAttempts }: DebugAnswer) => [
  ...bootstrapAttempts,
  ...eventAttempts,
];

/** Before anything has come. */
export const EMPTY_LOG: AttemptLogState = {
  attempts: [],
  held: 0,
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
  let arrived: Attempt[] = [];
  let frame: number | null = null;

  const set = (change: Partial<AttemptLogState>) => {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  };
  /** Whatever came since the last picture becomes the next one. */
  const show = () => {
    frame = null;
    if (closing.signal.aborted) return;
    if (state.isPaused) {
      arrived = arrived.slice(-MAX_ATTEMPTS);
      set({ held: arrived.length });
      return;
    }
    const added = arrived;
    arrived = [];
    set({ attempts: mergeAttempts(state.attempts, added), held: 0 });
  };
  const arrive = (attempts: readonly Attempt[]) => {
    arrived.push(...attempts);
    frame ??= requestAnimationFrame(show);
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

  const follower = {
    // what happens between the page and the stream would be in neither, so the page is read when the stream is open
    onOpen: () => {
      set({ isLive: true, error: null });
      void load(null);
    },
    onAttempt: (attempt: Attempt) => arrive([attempt]),
    onBroken: (error: Error, isFinal: boolean) =>
      set({ isLive: false, isLoading: false, error: isFinal || state.attempts.length === 0 ? error : null }),
  };
  void followAttempts(sourceId, filters, follower, closing.signal);

  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pause: () => set({ isPaused: true }),
    resume: () => {
      set({ isPaused: false });
      show();
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
