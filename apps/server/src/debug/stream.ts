/** The debug view live, as Server-Sent Events (docs/contract.md section 6). Streams read new attempts from the ledger. */
import { setTimeout as delay } from "node:timers/promises";
import type { DebugQuery } from "@headwater/contract";
import { createAdmission } from "../core/admission.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { SourceRecord, StoredAttempt } from "../core/records.ts";
import { Refusal } from "../core/refusal.ts";
import type { AttemptLedger } from "../ledger/ledger.ts";
import type { Recorder } from "./recorder.ts";
import { filterOf } from "./view.ts";

export interface StreamOptions {
  /** Last-Event-ID: the stream starts with the attempts after it. null: it starts with the next attempt. */
  readonly lastEventId: string | null;
  /** Aborts when the client has gone, its token is revoked, or the service stops. The stream then sends `end`. */
  readonly signal: AbortSignal;
}

/** Throws the refusal `overloaded` when the source has its maximum number of streams. Nothing is read ahead of the consumer. */
export type OpenDebugStream = (
  source: SourceRecord,
  query: DebugQuery,
  options: StreamOptions,
) => Promise<AsyncIterable<string>>;

export interface DebugStreamDeps {
  readonly ledger: AttemptLedger;
  readonly recorder: Pick<Recorder, "flush">;
  readonly pollMs?: number;
  readonly heartbeatMs?: number;
}

/** Attempts read at once. An ordinary one has 15 KB and the largest 65 KB, so a slow client holds little memory. */
const PAGE_ROWS = 20;
const END = "event: end\ndata: {}\n\n";
const HEARTBEAT = ": heartbeat\n\n";

export function createDebugStreams(deps: DebugStreamDeps): OpenDebugStream {
  const { ledger, recorder } = deps;
  const { pollMs = SERVER_LIMITS.streamPollMs, heartbeatMs = SERVER_LIMITS.streamHeartbeatMs } = deps;
  const slots = createAdmission({ maxActivePerKey: SERVER_LIMITS.maxStreamsPerSource });

  /** The sequence number after which the stream starts. An id above the newest comes from a store that was emptied since. */
  async function startOf(sourceId: string, lastEventId: string | null): Promise<number> {
    await recorder.flush();
    const [newest] = await ledger.attempts({ sourceId, limit: 1 });
    const newestSeq = newest?.seq ?? 0;
    const isResumed = lastEventId !== null && /^\d{1,15}$/.test(lastEventId);
    return isResumed ? Math.min(Number(lastEventId), newestSeq) : newestSeq;
  }

  async function* framesAfter(start: number, filter: ReturnType<typeof filterOf>, signal: AbortSignal) {
    let after = start;
    let idleMs = 0;
    yield HEARTBEAT;
    while (!signal.aborted) {
      const rows = await ledger.attempts({ ...filter, after, limit: PAGE_ROWS });
      for (const row of rows) {
        if (signal.aborted) break;
        after = row.seq;
        yield frameOf(row);
      }
      if (rows.length === PAGE_ROWS || signal.aborted) continue;
      idleMs = rows.length > 0 ? 0 : idleMs + pollMs;
      if (idleMs >= heartbeatMs) {
        idleMs = 0;
        yield HEARTBEAT;
      }
      // rejects when the signal aborts, which the loop's condition checks
      await delay(pollMs, null, { signal, ref: false }).catch(() => undefined);
    }
    yield END;
  }

  return async (source, query, { lastEventId, signal }) => {
    const { sourceId } = source;
    const release = slots.tryEnter(sourceId);
    if (release === null) {
      throw new Refusal("overloaded", {
        message: `This source already has ${SERVER_LIMITS.maxStreamsPerSource} open debug streams, which is the limit.`,
        hint: "Close a debug view that is open elsewhere, or poll GET …/debug instead.",
      });
    }
    // the consumer may never start to read, so the end of the frames alone would not release the slot
    signal.addEventListener("abort", release, { once: true });
    if (signal.aborted) release();
    try {
      const start = await startOf(sourceId, lastEventId);
      return withRelease(framesAfter(start, filterOf(source, query), signal), release);
    } catch (error) {
      release();
      throw error;
    }
  };
}

/** Calls `release` when the stream ends or its consumer stops. */
async function* withRelease(stream: AsyncIterable<string>, release: () => void) {
  try {
    yield* stream;
  } finally {
    release();
  }
}

/** A record can contain the line breaks of the client's body. Each line needs its own `data:`. */
function frameOf({ seq, record }: StoredAttempt): string {
  const data = record.replace(/\r\n|\r|\n/g, "\ndata: ");
  return `id: ${seq}\nevent: attempt\ndata: ${data}\n\n`;
}
