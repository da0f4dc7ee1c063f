/** The debug view live, as Server-Sent Events: what is in the ledger after a place, then each flush as it comes. */

import type { DebugQuery } from "@headwater/contract";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { SourceRecord, StoredAttempt } from "../core/records.ts";
import { Refusal } from "../core/refusal.ts";
import type { AttemptLedger } from "../ledger/ledger.ts";
import type { Recorder } from "./recorder.ts";
import { filterOf } from "./view.ts";

export interface StreamOptions {
  /** Last-Event-ID: attempts after it are sent first. Without it the stream begins now. */
  lastEventId?: string | undefined;
  /** Client gone, token revoked, or the service stops: the stream says `end` and is over. */
  signal: AbortSignal;
}

export interface DebugStreams {
  /** Refuses with `overloaded` when the source has its number of streams. Nothing is read ahead of the consumer. */
  open(source: SourceRecord, query: DebugQuery, options: StreamOptions): Promise<AsyncIterable<string>>;
  openTotal(): number;
}

export interface StreamParts {
  ledger: AttemptLedger;
  recorder: Pick<Recorder, "flush" | "onFlushed">;
  /** How often to look without being told, where other nodes record as well. */
  pollMs?: number | undefined;
}

/** Attempts read at once: with 15 KB an ordinary one and 65 KB the largest, a slow client holds little. */
const PAGE = 20;
const END = "event: end\ndata: {}\n\n";
const HEARTBEAT = ": heartbeat\n\n";

export function createDebugStreams({ ledger, recorder, pollMs }: StreamParts): DebugStreams {
  const open = new Map<string, number>();

  /** Takes one of the source's places; the answer gives it back, once. */
  function takePlace(sourceId: string): () => void {
    const taken = open.get(sourceId) ?? 0;
    if (taken >= SERVER_LIMITS.streamsPerSource) {
      throw new Refusal("overloaded", {
        message: `This source has ${SERVER_LIMITS.streamsPerSource} open debug streams, which is as many as it may have.`,
        hint: "Close a debug view that is open elsewhere, or poll GET …/debug instead.",
      });
    }
    open.set(sourceId, taken + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const left = open.get(sourceId)! - 1;
      if (left === 0) open.delete(sourceId);
      else open.set(sourceId, left);
    };
  }

  /** An id beyond the newest attempt is of a store that was emptied since. */
  async function placeOf(source: SourceRecord, lastEventId: string | undefined): Promise<number> {
    await recorder.flush();
    const [newest] = await ledger.attempts({ sourceId: source.sourceId, limit: 1 });
    const now = newest?.seq ?? 0;
    const resumed = lastEventId !== undefined && /^\d{1,15}$/.test(lastEventId);
    return resumed ? Math.min(Number(lastEventId), now) : now;
  }

  async function* follow(source: SourceRecord, query: DebugQuery, from: number, signal: AbortSignal) {
    const wake = createWake();
    const forget = recorder.onFlushed((sourceIds) => sourceIds.has(source.sourceId) && wake.ring("look"));
    const heartbeat = setInterval(() => wake.ring("beat"), SERVER_LIMITS.streamHeartbeatMs).unref();
    const poll = pollMs === undefined ? undefined : setInterval(() => wake.ring("look"), pollMs).unref();
    const abort = () => wake.ring("look");
    signal.addEventListener("abort", abort);
    const filter = filterOf(source, query);
    let after = from;
    try {
      yield HEARTBEAT;
      while (!signal.aborted) {
        const rows = await ledger.attempts({ ...filter, after, limit: PAGE });
        for (const row of rows) {
          if (signal.aborted) break;
          after = row.seq;
          yield frameOf(row);
        }
        if (rows.length === PAGE || signal.aborted) continue;
        if ((await wake.rung()) === "beat") yield HEARTBEAT;
      }
      yield END;
    } finally {
      forget();
      clearInterval(heartbeat);
      clearInterval(poll);
      signal.removeEventListener("abort", abort);
    }
  }

  return {
    async open(source, query, { lastEventId, signal }) {
      const leave = takePlace(source.sourceId);
      signal.addEventListener("abort", leave, { once: true });
      try {
        const from = await placeOf(source, lastEventId);
        return leaving(follow(source, query, from, signal), leave);
      } catch (error) {
        leave();
        throw error;
      }
    },
    openTotal: () => [...open.values()].reduce((sum, count) => sum + count, 0),
  };
}

/** Gives the place back when the stream ends by itself or its consumer stops, and not only when it is aborted. */
async function* leaving(stream: AsyncIterable<string>, leave: () => void) {
  try {
    yield* stream;
  } finally {
    leave();
  }
}

/** A body may have been written over several lines; each wants its own `data:`. */
function frameOf({ seq, record }: StoredAttempt): string {
  const data = /[\r\n]/.test(record) ? record.replace(/\r\n|\r|\n/g, "\ndata: ") : record;
  return `id: ${seq}\nevent: attempt\ndata: ${data}\n\n`;
}

type Ring = "look" | "beat";

/** A bell that is not lost when nobody listens: to look goes before the heartbeat. */
function createWake() {
  let due: Ring | null = null;
  let listener: ((ring: Ring) => void) | null = null;
  return {
    ring(ring: Ring): void {
      if (listener) {
        const told = listener;
        listener = null;
        told(ring);
      } else if (due === null || ring === "look") due = ring;
    },
    rung(): Promise<Ring> {
      const ring = due;
      due = null;
      return ring ? Promise.resolve(ring) : new Promise((resolve) => (listener = resolve));
    },
  };
}
