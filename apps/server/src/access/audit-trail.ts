/**
 * Notes reads of personal data and refused sign-ins in the audit log. Both can come in floods, so they are counted, and the log
 * gets a bounded number of entries (docs/api/access.md).
 */
import { createLru } from "../core/lru.ts";
import { HOUR_MS } from "../core/time.ts";
import type { Call, Handler, WorkspaceOperationId } from "../http/handler.ts";
import type { AuditNote } from "../ledger/ledger.ts";

/** Reads and refusals that the audit trail counts at once, about 200 bytes each. Beyond it a count begins anew. */
const AUDIT_TRAIL_KEYS = 10_000;

type NoteWithoutCount = Omit<AuditNote, "before" | "after"> & {
  readonly details?: Readonly<Record<string, unknown>>;
};

export type AuditTrail = ReturnType<typeof createAuditTrail>;

interface HourCount {
  hour: number;
  count: number;
}

const isPowerOfTen = (count: number) => /^10*$/.test(String(count));

/** @param report logs an entry that could not be written: a full disk must not hide the debug view */
export function createAuditTrail(
  record: (note: AuditNote) => Promise<void>,
  report: (error: unknown) => void,
) {
  const seen = createLru<string, HourCount>(AUDIT_TRAIL_KEYS);

  function count({ action, target, actor, organizationId, details, now }: NoteWithoutCount): number {
    const key = JSON.stringify([organizationId, action, target, actor.userId, actor.tokenId, details]);
    const hour = Math.floor(now / HOUR_MS);
    const known = seen.get(key);
    const counted = known?.hour === hour ? known : { hour, count: 0 };
    counted.count += 1;
    seen.set(key, counted);
    return counted.count;
  }
  const write = async ({ details, ...note }: NoteWithoutCount, more: object = {}) => {
    await record({ ...note, after: { ...details, ...more } }).catch(report);
  };
  return {
    /** Writes one entry per hour for the same reader, target and details. */
    read: async (note: NoteWithoutCount): Promise<void> => {
      if (count(note) === 1) await write(note);
    },
    /** Writes an entry for the 1st, 10th, 100th … of the same kind within an hour, with their number. */
    refused: async (note: NoteWithoutCount): Promise<void> => {
      const times = count(note);
      if (isPowerOfTen(times)) await write(note, { count: times });
    },
  };
}

/** The operations that read personal data of a source. */
type ReadingId = Extract<WorkspaceOperationId, "getDebug" | "streamDebug" | "exportEvents" | "listEvents">;

/** Notes a read that is not refused. @param detailsOf what was read */
export const noted =
  <Id extends ReadingId>(
    trail: AuditTrail,
    action: string,
    handle: Handler<Id>,
    detailsOf: (query: Call<Id>["query"]) => Readonly<Record<string, unknown>> = () => ({}),
  ): Handler<Id> =>
  async (call) => {
    const answer = await handle(call);
    const { source, actor, now } = call;
    if (source === null || actor === null) return answer;
    const { organizationId, sourceId: target } = source;
    await trail.read({ organizationId, target, action, actor, now, details: detailsOf(call.query) });
    return answer;
  };
