/** An unstored event as its source keeps it. Pure. */
import { storedEventName } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { parseExactJson } from "../core/exact-json.ts";
import type { KeptEvent, UnstoredEvent } from "../ingest/unstored-event.ts";
import type { KeptRow } from "../ledger/records.ts";
import { maskString } from "../masking/mask.ts";

/** Characters of a record: twice the largest event. A larger one would be rejected again. */
const MAX_RECORD_LENGTH = 2 * LIMITS.maxEventBytes;
/** A secret that begins before the cut of a text is masked if it ends within this many characters after it. */
const MAX_SECRET_LENGTH = 512;

/** What a kept event is made of, besides its columns. */
export type KeptRecord = Omit<KeptEvent, "anonymousId">;

/** Masks a text and cuts it. */
function clean(text: string): string {
  const head = text.slice(0, LIMITS.maxKeptTextLength + MAX_SECRET_LENGTH).toWellFormed();
  return maskString(head).slice(0, LIMITS.maxKeptTextLength).toWellFormed();
}

/** null: the event is too large to be kept. */
export function toKeptRow(sourceId: string, unstored: UnstoredEvent): KeptRow | null {
  const { code, event, body, sender, session, sessionId, anonymousId, userId } = unstored;
  const record = JSON.stringify({ body, sender, session, sessionId } satisfies KeptRecord);
  if (record.length > MAX_RECORD_LENGTH) return null;
  return {
    sourceId,
    code,
    name: clean(storedEventName(event.type, event.name)),
    origin: clean(sender.origin ?? ""),
    anonymousId,
    userId,
    receivedAt: sender.receivedAt,
    record,
  };
}

// `toKeptRow` wrote it
export const readRecord = (json: string): KeptRecord => parseExactJson(json) as KeptRecord;
