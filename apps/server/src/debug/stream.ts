/** The debug view live, as Server-Sent Events (docs/api/debug.md). Streams read new attempts from the ledger. */
import { setTimeout as pause } from "node:timers/promises";
import type { DebugQuery } from "@headwater/contract";
import { Refusal } from "../core/refusal.ts";
import type { AttemptLedger } from "../ledger/ledger.ts";
import type { SourceRecord, StoredAttempt } from "../ledger/records.ts";
import { createAdmission, type Release } from "../overload/admission.ts";
import type { Recorder } from "./recorder.ts";
import { filterOf } from "./view.ts";

const STREAM_HEARTBEAT_MS = 15_000;
/** A debug stream reads new attempts this often: half a second looks live. */
const STREAM_POLL_MS = 500;
export const MAX_STREAMS_PER_SOURCE = 20;
export const MAX_STREAMS_PER_WORKSPACE = 40;
/** The streams of one process. Each reads the ledger twice a second, for 0.04 ms: all of them use 2 % of a core. */
const MAX_STREAMS = 200;

interface StreamOptions {
  /** Last-Event-ID: the stream starts with the attempts after it. null: it starts with the next attempt. */
  readonly lastEventId: string | null;
  /** Aborts when the client has gone, its token is revoked, or the service stops. The stream then sends `end`. */
  readonly signal: AbortSignal;
}

/** Throws the refusal `overloaded` when too many streams are open. Nothing is read ahead of the consumer. */
export type OpenDebugStream = (
  source: SourceRecord,
  query: DebugQuery,
  options: StreamOptions,
) => Promise<AsyncIterable<string>>;

interface DebugStreamDeps {
  readonly ledger: AttemptLedger;
  readonly recorder: Pick<Recorder, "flush">;
  readonly pollMs?: number;
  readonly heartbeatMs?: number;
}

/** Attempts read at once. An ordinary one has 15 KB and the largest 65 KB, so a slow client holds little memory. */
const PAGE_ROWS = 20;
const END = "event: end\ndata: {}\n\n";
const HEARTBEAT = ": heartbeat\n\n";

/** Streams that are open at once: of one source, of one workspace, and of this process. */
function createSlots() {
  const bySource = createAdmission({ maxActivePerKey: MAX_STREAMS_PER_SOURCE });
  const byWorkspace = createAdmission({ maxActive: MAX_STREAMS, maxActivePerKey: MAX_STREAMS_PER_WORKSPACE });
  const hint = "Close a debug view that is open elsewhere, or poll GET …/debug instead.";
  const full = (message: string) => new Refusal("overloaded", { message, hint });

  /** @returns a function that gives the slots back. @throws Refusal */
  return ({ sourceId, organizationId }: SourceRecord): Release => {
    const leaveSource = bySource.tryEnter(sourceId);
    if (!leaveSource)
      throw full(`Too many debug streams are open: at most ${MAX_STREAMS_PER_SOURCE} per source.`);
    const leaveWorkspace = byWorkspace.tryEnter(organizationId);
    if (!leaveWorkspace) {
      leaveSource();
      throw full(
        `Too many debug streams are open: at most ${MAX_STREAMS_PER_WORKSPACE} per workspace, and ${MAX_STREAMS} per node.`,
      );
    }
    return () => {
      leaveSource();
      leaveWorkspace();
    };
  };
}

interface Followed {
  readonly ledger: AttemptLedger;
  readonly filter: ReturnType<typeof filterOf>;
  readonly signal: AbortSignal;
  readonly pollMs: number;
  readonly heartbeatMs: number;
}

/** The attempts after a sequence number as frames, until the signal aborts. */
async function* framesAfter(start: number, { ledger, filter, signal, pollMs, heartbeatMs }: Followed) {
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
    if (rows.length === PAGE_ROWS) continue;
    idleMs = rows.length > 0 ? 0 : idleMs + pollMs;
    if (idleMs >= heartbeatMs) {
      idleMs = 0;
      yield HEARTBEAT;
    }
    await pause(pollMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
  yield END;
}

export function createDebugStreams(deps: DebugStreamDeps): OpenDebugStream {
  const { ledger, recorder } = deps;
  const { pollMs = STREAM_POLL_MS, heartbeatMs = STREAM_HEARTBEAT_MS } = deps;
  const enter = createSlots();

  /** The sequence number after which the stream starts. An id above the newest comes from a store that was emptied since. */
  async function startOf(sourceId: string, lastEventId: string | null): Promise<number> {
    await recorder.flush();
    const [newest] = await ledger.attempts({ sourceId, limit: 1 });
    const isResumed = lastEventId !== null && /^\d{1,15}$/.test(lastEventId);
    return Math.min(isResumed ? Number(lastEventId) : Number.POSITIVE_INFINITY, newest?.seq ?? 0);
  }

  return async (source, query, { lastEventId, signal }) => {
    const release = enter(source);
    // the consumer may never start to read, so the end of the frames alone would not release the slot
    signal.addEventListener("abort", release, { once: true });
    if (signal.aborted) release();
    try {
      const start = await startOf(source.sourceId, lastEventId);
      const filter = filterOf(source, query);
      return withRelease(framesAfter(start, { ledger, filter, signal, pollMs, heartbeatMs }), release);
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
