/** The range of times of a query, whose `from` and `to` are days in UTC or times. Pure. */
import { Refusal } from "./refusal.ts";
import { MAX_QUERY_TIME, startsWithValidDay } from "./time.ts";

/** In milliseconds since the epoch; `to` is exclusive. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

const MIN_TIME = 0;
const DAY_OR_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d))?$/;

/** @throws Refusal `invalid_payload` */
function readTime(name: "from" | "to", text: string | undefined, whenMissing: number): number {
  if (text === undefined) return whenMissing;
  const time = DAY_OR_TIME.test(text) && startsWithValidDay(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    const message = `${name} must be a valid day or time, such as 2026-11-21 or 2026-11-21T12:00:00Z`;
    throw new Refusal("invalid_payload", { issues: [{ path: [name], code: "invalid_timestamp", message }] });
  }
  return Math.min(Math.max(time, MIN_TIME), MAX_QUERY_TIME);
}

/** @throws Refusal `invalid_payload` */
export function readTimeRange(query: { from?: string | undefined; to?: string | undefined }): TimeRange {
  const from = readTime("from", query.from, MIN_TIME);
  const to = readTime("to", query.to, MAX_QUERY_TIME);
  if (from < to) return { from, to };
  const message = "from must be before to; to is exclusive";
  throw new Refusal("invalid_payload", { issues: [{ path: ["from"], code: "invalid_value", message }] });
}
