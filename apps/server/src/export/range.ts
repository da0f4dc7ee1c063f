/** Which events are asked for. */
import type { ExportQuery } from "@headwater/contract";
import { Refusal } from "../core/refusal.ts";
import { startsWithValidDay } from "../core/time.ts";

/** Half-open, of `occurredAt`, in milliseconds. */
export interface Asked {
  sourceId: string;
  from: number;
  to: number;
  /** The `analyticsEventId` of the event after which to go on; null: from the first. */
  cursor: string | null;
  limit: number;
}

/** What the warehouse's times can hold, and more than any clock says. */
const FIRST = 0;
const LAST = Date.UTC(2200, 0, 1);

const MOMENT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d))?$/;

function momentOf(name: "from" | "to", text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  // a day is its first moment
  const time = MOMENT.test(text) && startsWithValidDay(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    const message = `${name} must be a day or a time that exists, such as 2026-11-21 or 2026-11-21T12:00:00Z`;
    throw new Refusal("invalid_payload", { issues: [{ path: [name], code: "invalid_timestamp", message }] });
  }
  return Math.min(Math.max(time, FIRST), LAST);
}

/** @throws Refusal 422 */
export function askedOf(sourceId: string, query: Omit<ExportQuery, "sourceId">): Asked {
  const from = momentOf("from", query.from, FIRST);
  const to = momentOf("to", query.to, LAST);
  if (from >= to) {
    const message = "from must lie before to: the range is from `from` up to, and without, `to`";
    throw new Refusal("invalid_payload", { issues: [{ path: ["from"], code: "invalid_value", message }] });
  }
  return { sourceId, from, to, cursor: query.cursor ?? null, limit: query.limit ?? Number.POSITIVE_INFINITY };
}

export const unknownCursor = (): Refusal =>
  new Refusal("invalid_payload", {
    issues: [
      {
        path: ["cursor"],
        code: "invalid_value",
        message:
          "cursor must be the analyticsEventId of an event of this export; there is none with it in this range",
      },
    ],
  });
