/** The slots of exports: how many run at once, and when an export ends because its client reads too slowly. */
import { Refusal } from "../core/refusal.ts";
import { createAdmission } from "../overload/admission.ts";

/** Exports under way at once. Each holds one page in memory. */
const MAX_EXPORTS = 4;
const MAX_EXPORTS_PER_WORKSPACE = 2;
/** An export ends when its client does not read a piece in this time; the shorter time, when another export wants its slot. */
const EXPORT_STALL_SECONDS = 30;
const EXPORT_YIELD_SECONDS = 10;
/** The bytes passed to the connection at once. Small pieces show whether the client reads. */
const EXPORT_PIECE_BYTES = 65_536;

export interface ExportSlot {
  /** Aborts when the export has to end, because its client reads too slowly. The slot is free then. */
  readonly cutOff: AbortSignal;
  /** Passes the parts of the file on in small pieces, and notices how long the client lets each of them wait. */
  deliver(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  /** A second call has no effect. */
  release(): void;
}

interface RunningExport {
  readonly organizationId: string;
  /** How long the present piece has waited for the client; null: the client waits for the service. */
  stalledSeconds: number | null;
  cut(): void;
}

/** @param onCut called with an export that ends because its client reads too slowly */
export type EnterExport = (organizationId: string, onCut: (stalledSeconds: number) => void) => ExportSlot;

const tooMany = () =>
  new Refusal("overloaded", {
    message: `Too many exports are running (at most ${MAX_EXPORTS}, and ${MAX_EXPORTS_PER_WORKSPACE} per workspace).`,
    hint: "Try again when one of them has ended.",
  });

async function* toPieces(part: Uint8Array, running: RunningExport): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < part.length; start += EXPORT_PIECE_BYTES) {
    running.stalledSeconds = 0;
    yield part.subarray(start, start + EXPORT_PIECE_BYTES);
    running.stalledSeconds = null;
  }
}

/** @returns a function that takes a slot. It throws Refusal 503 when none is free and no slow export can end for it */
export function createExportSlots(): EnterExport {
  const admission = createAdmission({ maxActive: MAX_EXPORTS, maxActivePerKey: MAX_EXPORTS_PER_WORKSPACE });
  const underWay = new Set<RunningExport>();

  /** Ends the slowest export: of the workspace, when that has used up its share. */
  function endSlowest(organizationId: string): void {
    const own = [...underWay].filter((one) => one.organizationId === organizationId);
    const candidates = own.length < MAX_EXPORTS_PER_WORKSPACE ? [...underWay] : own;
    const stalled = candidates.filter(({ stalledSeconds }) => (stalledSeconds ?? 0) >= EXPORT_YIELD_SECONDS);
    const [slowest] = stalled.toSorted((a, b) => (b.stalledSeconds ?? 0) - (a.stalledSeconds ?? 0));
    slowest?.cut();
  }

  function enterNow(organizationId: string) {
    const free = admission.tryEnter(organizationId);
    if (free) return free;
    endSlowest(organizationId);
    return admission.tryEnter(organizationId);
  }

  return (organizationId, onCut) => {
    const leave = enterNow(organizationId);
    if (!leave) throw tooMany();
    const controller = new AbortController();
    const running: RunningExport = {
      organizationId,
      stalledSeconds: null,
      cut: () => {
        release();
        onCut(running.stalledSeconds ?? 0);
        controller.abort();
      },
    };
    const timer = setInterval(() => {
      if (running.stalledSeconds === null) return;
      running.stalledSeconds += 1;
      if (running.stalledSeconds >= EXPORT_STALL_SECONDS) running.cut();
    }, 1_000).unref();
    const release = () => {
      clearInterval(timer);
      underWay.delete(running);
      leave();
    };
    underWay.add(running);
    return {
      cutOff: controller.signal,
      release,
      async *deliver(parts) {
        try {
          for await (const part of parts) yield* toPieces(part, running);
        } finally {
          release();
        }
      },
    };
  };
}
