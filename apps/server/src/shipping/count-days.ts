/** How many events of each source and day a page of the outbox has. */
import { dayOf } from "../core/time.ts";
import { getDayCounts } from "../ledger/outbox-payload.ts";
import type { OutboxPage, OutboxPart } from "../ledger/records.ts";
import type { DayCount } from "../ledger/warehouse-report.ts";
import { rowsOf } from "./block.ts";

/** Most payloads say it. Those that hold duplicates are read. */
async function countPart(part: OutboxPart): Promise<DayCount[]> {
  const known = part.skipped.length === 0 ? getDayCounts(part.payload) : null;
  if (known) return known;
  const counts: DayCount[] = [];
  for await (const rows of rowsOf({ token: "", parts: [part] }))
    for (const { sourceId, occurredAt } of rows) counts.push({ sourceId, day: dayOf(occurredAt), events: 1 });
  return counts;
}

export async function countDays({ parts }: Pick<OutboxPage, "parts">): Promise<DayCount[]> {
  const totals = new Map<string, DayCount>();
  for (const part of parts) {
    for (const { sourceId, day, events } of await countPart(part)) {
      const key = `${sourceId} ${day}`;
      const total = totals.get(key) ?? { sourceId, day, events: 0 };
      totals.set(key, total);
      total.events += events;
    }
  }
  return [...totals.values()];
}
