/** Events out of the ledger, where there is no warehouse: what was accepted in the last RETENTION_DAYS, as it came. */
import { SERVER_LIMITS } from "../core/limits.ts";
import type { OutboxPart } from "../core/records.ts";
import type { OutboxLedger } from "../ledger/ledger.ts";
import { readLines } from "../ledger/outbox-payload.ts";
import type { Json } from "./columns.ts";
import { type Asked, unknownCursor } from "./range.ts";

const NO_PAGE = {
  url: null,
  origin: null,
  host: null,
  path: null,
  query: null,
  utm: null,
  clickIds: null,
  title: null,
  referrer: null,
  referrerHost: null,
};
const NO_UTM = { source: null, medium: null, campaign: null, term: null, content: null };

/** As the warehouse writes it: a member that has members is there, with nothing in them. */
function asStored(event: Json): Json {
  const page = { ...NO_PAGE, ...(event.page as Json | null) };
  return {
    ...event,
    page: { ...page, utm: { ...NO_UTM, ...(page.utm as Json | null) }, clickIds: page.clickIds ?? {} },
    properties: event.properties ?? {},
    context: event.context ?? {},
  };
}

async function eventsOf(part: OutboxPart, { sourceId, from, to }: Asked): Promise<Json[]> {
  const lines = await readLines(part);
  return lines
    .map(({ json }): Json => JSON.parse(json))
    .filter((event) => {
      const at = Date.parse(event.occurredAt as string);
      return event.sourceId === sourceId && at >= from && at < to;
    });
}

/**
 * Lines of JSON, a page at a time.
 * @throws Refusal 422 when the cursor's event is not there
 */
export async function* pagesOfLedger(
  ledger: Pick<OutboxLedger, "readOutbox">,
  asked: Asked,
): AsyncGenerator<Buffer> {
  const { sourceId, cursor, limit } = asked;
  let isPast = cursor === null;
  let left = limit;
  let after = 0;
  while (left > 0) {
    const rows = await ledger.readOutbox({ sourceId, after, limit: SERVER_LIMITS.exportOutboxRows });
    if (rows.length === 0) break;
    for (const { part } of rows) {
      let events = await eventsOf(part, asked);
      if (!isPast) {
        const place = events.findIndex(({ analyticsEventId }) => analyticsEventId === cursor);
        isPast = place >= 0;
        events = isPast ? events.slice(place + 1) : [];
      }
      const page = events.slice(0, left);
      left -= page.length;
      if (page.length > 0)
        yield Buffer.from(page.map((event) => `${JSON.stringify(asStored(event))}\n`).join(""));
    }
    after = rows.at(-1)!.seq;
  }
  if (!isPast) throw unknownCursor();
}
