/**
 * Writes reads of personal data and refused sign-ins to the audit log. Both can come in floods, so repetitions are counted
 * instead of written (docs/api/access.md).
 */
import { createLru } from "../core/lru.ts";
import { HOUR_MS } from "../core/time.ts";
import type { Call, Handler, WorkspaceOperationId } from "../http/handler.ts";
import type { AuditNote } from "../ledger/ledger.ts";

/** Kinds of notes that are counted at once, about 200 bytes each. Beyond it, the count of the oldest kind is forgotten. */
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

/** @param logError called when an entry cannot be written: the read itself still succeeds, for example on a full disk */
export function createAuditTrail(
  record: (note: AuditNote) => Promise<void>,
  logError: (error: unknown) => void,
) {
  const seen = createLru<string, HourCount>(AUDIT_TRAIL_KEYS);

  /** @returns how many notes of this kind there were within the hour, with this one */
  function count({ action, target, actor, organizationId, details, now }: NoteWithoutCount): number {
    const key = JSON.stringify([organizationId, action, target, actor.userId, actor.tokenId, details]);
    const hour = Math.floor(now / HOUR_MS);
    const last = seen.get(key);
    const current = last?.hour === hour ? last : { hour, count: 0 };
    current.count += 1;
    seen.set(key, current);
    return current.count;
  }
  const write = async ({ details, ...note }: NoteWithoutCount, moreDetails: object = {}) => {
    await record({ ...note, after: { ...details, ...moreDetails } }).catch(logError);
  };
  return {
    /** Writes one entry per hour for the same reader, target and details. */
    noteRead: async (note: NoteWithoutCount): Promise<void> => {
      if (count(note) === 1) await write(note);
    },
    /** Writes an entry for the 1st, 10th, 100th … refusal of the same kind within an hour, with the count so far. */
    noteRefusal: async (note: NoteWithoutCount): Promise<void> => {
      const times = count(note);
      if (isPowerOfTen(times)) await write(note, { count: times });
    },
  };
}

/** The operations that read personal data of a source. */
type PersonalDataOperationId = Extract<
  WorkspaceOperationId,
  "getDebug" | "streamDebug" | "listKeptEvents" | "exportEvents" | "listEvents" | "queryVisits"
>;

/** Notes a read that is not refused. @param detailsOf what was read */
export const noted =
  <Id extends PersonalDataOperationId>(
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
    await trail.noteRead({ organizationId, target, action, actor, now, details: detailsOf(call.query) });
    return answer;
  };
