/**
 * Keeps the events that requests did not store (docs/api/quarantine.md). `keep` is called on the path of a request, so it only
 * queues; a flush reads, masks and writes them. No failure here reaches ingest.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Attempt } from "../ingest/attempt.ts";
import type { UnstoredEvent } from "../ingest/unstored-event.ts";
import type { QuarantineLedger } from "../ledger/ledger.ts";
import type { KeptRow } from "../ledger/records.ts";
import type { BoundedLog } from "../overload/bounded-log.ts";
import { toKeptRow } from "./kept-row.ts";
import { type PendingRequest, PendingRequests } from "./pending-requests.ts";

const FLUSH_MS = 250;
/** Bytes of the bodies that a flush reads: 2 % of a core. After a larger body the next flush waits in proportion. */
const FLUSH_BYTES = 65_536;
/** Bytes of the bodies that are read without a pause for the event loop: a millisecond. */
const SLICE_BYTES = 16_384;
/** Events of a large body that are masked without a pause. */
const EVENTS_AT_ONCE = 50;

interface KeeperDeps {
  readonly ledger: Pick<QuarantineLedger, "keepEvents">;
  readonly clock: () => number;
  /** Bounded: strangers can cause its lines. */
  readonly log: Pick<BoundedLog, "warn">;
}

export class Keeper {
  readonly #deps: KeeperDeps;
  readonly #pending = new PendingRequests();
  /** Requests that were not kept since the last flush, by source. */
  #skipped = new Map<string, number>();
  #skippedTotal = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Until the next flush. */
  #pauseMs = FLUSH_MS;
  #lastFlush: Promise<void> = Promise.resolve();

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
  }

  keep({ source, unstored }: Attempt): void {
    if (source === null || unstored === null) return;
    const { sourceId } = source;
    if (!this.#pending.add({ sourceId, unstored })) this.#skip([sourceId]);
    this.#startTimer();
  }

  /** Resolves when everything that waits now is in the ledger or skipped. Never rejects. */
  flush(): Promise<void> {
    return this.#flush(() => Math.max(this.#pending.bytes(), 1));
  }

  /** Requests whose events were not kept, since the start. */
  skippedTotal(): number {
    return this.#skippedTotal;
  }

  #startTimer(): void {
    this.#timer ??= setTimeout(() => void this.#flush(() => FLUSH_BYTES), this.#pauseMs).unref();
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #skip(sourceIds: readonly string[]): void {
    this.#skippedTotal += sourceIds.length;
    for (const sourceId of sourceIds) this.#countSkipped(sourceId, 1);
  }

  #countSkipped(sourceId: string, requests: number): void {
    this.#skipped.set(sourceId, (this.#skipped.get(sourceId) ?? 0) + requests);
  }

  /** Flushes run one after the other. */
  #flush(maxBytes: () => number): Promise<void> {
    this.#lastFlush = this.#lastFlush.then(() => this.#writePending(maxBytes()));
    return this.#lastFlush;
  }

  async #writePending(maxBytes: number): Promise<void> {
    this.#stopTimer();
    let left = maxBytes;
    for (; left > 0 && !this.#isIdle(); await nextTurn()) {
      const { requests, bytes } = this.#pending.take(Math.min(left, SLICE_BYTES));
      left -= Math.max(bytes, 1);
      const isWritten = await this.#write(requests);
      // the next flush tries again to write the counts
      if (!isWritten && this.#pending.isEmpty()) break;
    }
    this.#pauseMs = FLUSH_MS * Math.max(1, (maxBytes - left) / FLUSH_BYTES);
    // one that has begun meanwhile knows of no pause
    this.#stopTimer();
    if (!this.#isIdle()) this.#startTimer();
  }

  #isIdle(): boolean {
    return this.#pending.isEmpty() && this.#skipped.size === 0;
  }

  /** @returns false when the ledger fails: the requests are then skipped */
  async #write(requests: readonly PendingRequest[]): Promise<boolean> {
    const rows: KeptRow[] = [];
    for (const request of requests) rows.push(...(await readRows(request)));
    const skipped = Object.fromEntries(this.#skipped);
    this.#skipped = new Map();
    const { ledger, clock, log } = this.#deps;
    try {
      await ledger.keepEvents({ rows, skipped, now: clock() });
      if (Object.keys(skipped).length > 0) log.warn({ skipped }, "events of refused requests were not kept");
      return true;
    } catch (error) {
      log.warn({ err: error, events: rows.length }, "events of refused requests cannot be kept");
      for (const [sourceId, count] of Object.entries(skipped)) this.#countSkipped(sourceId, count);
      this.#skip(requests.map(({ sourceId }) => sourceId));
      return false;
    }
  }
}

/** The events that cannot be read are left out: they would be rejected again. */
async function readRows({ sourceId, unstored }: PendingRequest): Promise<KeptRow[]> {
  const rows: KeptRow[] = [];
  try {
    for (const [index, event] of (await unstored.read()).entries()) {
      if (index % EVENTS_AT_ONCE === EVENTS_AT_ONCE - 1) await nextTurn();
      const row = readRow(sourceId, event);
      if (row) rows.push(row);
    }
  } catch {
    // nothing of the request can be read
  }
  return rows;
}

/** null: the event nests so deeply that it cannot be written as JSON. */
function readRow(sourceId: string, event: UnstoredEvent): KeptRow | null {
  try {
    return toKeptRow(sourceId, event);
  } catch {
    return null;
  }
}
