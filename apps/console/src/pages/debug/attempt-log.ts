/** The attempts that a page shows, newest first. It merges stored attempts, loaded page by page, with live ones from a stream. */
import type { DebugAttempt } from "@headwater/contract";
import { api } from "../../api.ts";
import { refetchOutdated } from "../../queries.ts";
import {
  type AttemptFilters,
  type AttemptListener,
  type DebugResult,
  followAttempts,
} from "./follow-attempts.ts";
import { MAX_ATTEMPTS, mergeAttempts } from "./merge-attempts.ts";

const PAGE_SIZE = 200;

export interface AttemptLogState {
  readonly attempts: readonly DebugAttempt[];
  /** The number of attempts that arrived while the log was paused and are not shown yet. */
  readonly pendingCount: number;
  readonly isPaused: boolean;
  readonly isLive: boolean;
  readonly isLoading: boolean;
  readonly hasOlder: boolean;
  readonly error: Error | null;
}

const attemptsOf = ({ bootstrapAttempts, eventAttempts }: DebugResult) => [
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

/** Opens its stream when it is created and keeps it open until `close`. */
export class AttemptLog {
  readonly #sourceId: string;
  readonly #filters: AttemptFilters;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();
  #state = EMPTY_LOG;
  /** The cursor of the next older page; null when all stored attempts are loaded. */
  #cursor: string | null = null;
  /** The cursor of the page that failed to load. */
  #failedCursor: string | null = null;
  #pending: DebugAttempt[] = [];
  #frame: number | null = null;

  constructor(sourceId: string, filters: AttemptFilters) {
    this.#sourceId = sourceId;
    this.#filters = filters;
    const listener: AttemptListener = {
      // the first page is loaded after the stream is open: attempts that arrive between the two would otherwise be in neither
      onOpen: () => {
        this.#update({ isLive: true, error: null });
        void this.#load(null);
      },
      onAttempt: (attempt) => this.#addPending(attempt),
      onDisconnect: (error, isFinal) => {
        if (isFinal) refetchOutdated(error);
        const isShown = isFinal || this.#state.attempts.length === 0;
        this.#update({ isLive: false, isLoading: false, error: isShown ? error : null });
      },
    };
    void followAttempts({ sourceId, filters, listener, signal: this.#closing.signal });
  }

  // arrow functions, because React calls these two without the object
  readonly state = (): AttemptLogState => this.#state;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  pause(): void {
    this.#update({ isPaused: true });
  }

  resume(): void {
    this.#update({ isPaused: false });
    this.#flushPending();
  }

  loadOlder(): void {
    if (!this.#state.isLoading && this.#cursor !== null) void this.#load(this.#cursor);
  }

  /** Loads the page that failed to load. */
  retry(): void {
    void this.#load(this.#failedCursor);
  }

  close(): void {
    this.#closing.abort();
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
  }

  #update(change: Partial<AttemptLogState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  /** Updates the list at most once per animation frame. */
  #addPending(attempt: DebugAttempt): void {
    this.#pending.push(attempt);
    this.#frame ??= requestAnimationFrame(() => this.#flushPending());
  }

  /** Adds the pending attempts to the list, or only counts them while the log is paused. */
  #flushPending(): void {
    this.#frame = null;
    if (this.#closing.signal.aborted) return;
    if (this.#state.isPaused) {
      this.#pending = this.#pending.slice(-MAX_ATTEMPTS);
      this.#update({ pendingCount: this.#pending.length });
      return;
    }
    const added = this.#pending;
    this.#pending = [];
    this.#update({ attempts: mergeAttempts(this.#state.attempts, added), pendingCount: 0 });
  }

  /** @param cursor null loads the first page */
  async #load(cursor: string | null): Promise<void> {
    const { signal } = this.#closing;
    this.#update({ isLoading: true });
    try {
      const query = { ...this.#filters, limit: PAGE_SIZE, cursor };
      const answer = await api.getDebug({ params: { sourceId: this.#sourceId }, query, signal });
      this.#cursor = answer.nextCursor;
      const isFull = this.#state.attempts.length >= MAX_ATTEMPTS;
      this.#update({
        attempts: mergeAttempts(this.#state.attempts, attemptsOf(answer)),
        isLoading: false,
        hasOlder: this.#cursor !== null && !isFull,
        error: null,
      });
    } catch (error) {
      if (signal.aborted) return;
      this.#failedCursor = cursor;
      this.#update({ isLoading: false, error: error as Error });
    }
  }
}
