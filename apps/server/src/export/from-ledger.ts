/** Reads the events of an export from the ledger's outbox, for a service without a warehouse: the last RETENTION_DAYS. */
import { parseExactJson } from "../core/exact-json.ts";
import type { OutboxLedger } from "../ledger/ledger.ts";
import type { EventHead } from "../ledger/outbox-line.ts";
import { readLines } from "../ledger/outbox-payload.ts";
import type { OutboxPart } from "../ledger/records.ts";
import { type ExportSelection, unknownCursor } from "./selection.ts";

/** Outbox rows that are read at once. */
const EXPORT_OUTBOX_ROWS = 10;

/** An event of the outbox, with the members that an export has to fill in. */
export interface ExportableEvent extends EventHead {
  readonly page: { readonly utm?: object | null; readonly clickIds?: object | null } | null;
  readonly properties: object | null;
  readonly context: object | null;
}

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

/** The event as the warehouse returns it: with all members of objects that are missing. */
export function withAllMembers(event: ExportableEvent): object {
  const page = { ...NO_PAGE, ...event.page };
  return {
    source: null,
    channel: null,
    ...event,
    page: { ...page, utm: { ...NO_UTM, ...page.utm }, clickIds: page.clickIds ?? {} },
    properties: event.properties ?? {},
    context: event.context ?? {},
  };
}

async function selectedEvents(part: OutboxPart, { sourceId, from, to }: ExportSelection) {
  const lines = await readLines(part);
  return lines
    .map(({ bytes }): ExportableEvent => parseExactJson(bytes.toString("utf8")))
    .filter((event) => {
      const at = Date.parse(event.occurredAt);
      return event.sourceId === sourceId && at >= from && at < to;
    });
}

/**
 * Yields pages of lines of JSON.
 * @throws Refusal `invalid_payload` when no event has the id of the cursor
 */
export async function* ledgerPages(
  ledger: Pick<OutboxLedger, "readOutbox">,
  selection: ExportSelection,
): AsyncGenerator<Buffer> {
  const { sourceId, cursor, limit } = selection;
  let isAfterCursor = cursor === null;
  let left = limit;
  let after = 0;
  while (left > 0) {
    const rows = await ledger.readOutbox({ sourceId, after, limit: EXPORT_OUTBOX_ROWS });
    if (rows.length === 0) break;
    for (const { part, seq } of rows) {
      let events = await selectedEvents(part, selection);
      if (!isAfterCursor) {
        const index = events.findIndex(({ analyticsEventId }) => analyticsEventId === cursor);
        isAfterCursor = index >= 0;
        events = isAfterCursor ? events.slice(index + 1) : [];
      }
      const page = events.slice(0, left);
      left -= page.length;
      after = seq;
      if (page.length > 0)
        yield Buffer.from(page.map((event) => `${JSON.stringify(withAllMembers(event))}\n`).join(""));
    }
  }
  if (!isAfterCursor) throw unknownCursor();
}
