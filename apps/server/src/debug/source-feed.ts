/** Tells the debug streams of a source about new attempts, with one read of the ledger for all of them. */
import type { AttemptLedger } from "../ledger/ledger.ts";

interface FeedDeps {
  readonly ledger: Pick<AttemptLedger, "attempts">;
  readonly pollMs: number;
}

/** The sequence number of the source's newest attempt; 0: it has none. */
export async function readNewest({ ledger }: FeedDeps, sourceId: string): Promise<number> {
  const [newest] = await ledger.attempts({ sourceId, limit: 1 });
  return newest?.seq ?? 0;
}

/** Reads the number of the newest attempt of one source again and again. */
export class SourceFeed {
  newest = 0;
  /** How many streams follow it. */
  followers = 0;
  readonly #deps: FeedDeps;
  readonly #sourceId: string;
  #next = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: FeedDeps, sourceId: string) {
    this.#deps = deps;
    this.#sourceId = sourceId;
    this.#schedule();
  }

  /** Resolves after the next read. Rejects when the ledger fails. */
  next(): Promise<void> {
    return this.#next.promise;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule(): void {
    // a failure when no stream waits is the next stream's
    this.#next.promise.catch(() => undefined);
    this.#timer = setTimeout(() => void this.#read(), this.#deps.pollMs).unref();
  }

  async #read(): Promise<void> {
    const { resolve, reject } = this.#next;
    try {
      this.newest = await readNewest(this.#deps, this.#sourceId);
      this.#next = Promise.withResolvers<void>();
      resolve();
    } catch (error) {
      this.#next = Promise.withResolvers<void>();
      reject(error);
    }
    if (this.#timer) this.#schedule();
  }
}

/** @returns the feed of a source, and what ends following it. A feed that nobody follows stops */
export function createFeeds(deps: FeedDeps): (sourceId: string) => { feed: SourceFeed; leave(): void } {
  const feeds = new Map<string, SourceFeed>();
  return (sourceId) => {
    const feed = feeds.get(sourceId) ?? new SourceFeed(deps, sourceId);
    feeds.set(sourceId, feed);
    feed.followers += 1;
    const leave = () => {
      feed.followers -= 1;
      if (feed.followers > 0) return;
      feed.stop();
      feeds.delete(sourceId);
    };
    return { feed, leave };
  };
}
