/** Generates events as pages send them, with the expected stored event, computed independently of the server. */
import { createHash, randomUUID } from "node:crypto";
import { ORIGIN } from "../support/world.ts";
import type { SeededRandom } from "./random.ts";

/** The fields of a stored event that are compared with the sent event. */
export interface StoredEvent {
  analyticsEventId: string;
  eventId: string;
  name: string;
  occurredAt: string;
  sessionId: string;
  anonymousId: string;
  url: string | null;
  path: string | null;
  host: string | null;
  properties: unknown;
}

export interface GeneratedEvent {
  sent: Record<string, unknown>;
  /** Without the fields that the batch adds. */
  expected: Omit<StoredEvent, "sessionId" | "anonymousId">;
}

const HOST = new URL(ORIGIN).hostname;

export const idOf = (sourceId: string, eventId: string) =>
  `evt_${createHash("sha256").update(`${sourceId}\n${eventId}`).digest("hex").slice(0, 32)}`;

/** One of several formats of the same time. */
function timestampOf(at: number, random: SeededRandom): string {
  const utc = new Date(at).toISOString();
  const twoHoursAhead = new Date(at + 7_200_000).toISOString().replace("Z", "+02:00");
  return random.pick([utc, utc, twoHoursAhead, utc.replace("Z", "")]);
}

type EventFields = Pick<StoredEvent, "name" | "url" | "path" | "host" | "properties">;

function pageFields(random: SeededRandom): { sent: Record<string, unknown>; fields: EventFields } {
  const path = `/products/${random.between(1, 999)}`;
  const onlyPath = random.between(0, 3) === 0;
  const url = onlyPath ? ORIGIN + path : `${ORIGIN}${path}?utm_source=news&q=caf%C3%A9#top`;
  const page = onlyPath ? { path } : { url, title: "Produkt ✓ Café", referrer: "https://search.example/" };
  const fields = { name: "page_view", url, path, host: HOST, properties: null };
  return { sent: { type: "page", page }, fields };
}

function trackFields(random: SeededRandom): { sent: Record<string, unknown>; fields: EventFields } {
  const name = random.pick(["signup", "Kauf abgeschlossen", "購入", "add_to_cart"]);
  const amount = random.between(1, 1_000_000) / 100;
  const common = {
    amount,
    items: [{ sku: "A-1", n: 2 }, null, true],
    nested: { "key with ünï": "🛒" },
    empty: "",
  };
  const fields = { name, url: null, path: null, host: null, properties: { ...common, note: "a\uFFFDb" } };
  return { sent: { type: "track", name, properties: { ...common, note: "a\0b" } }, fields };
}

export function makeEvent(sourceId: string, random: SeededRandom): GeneratedEvent {
  const id = random.between(0, 9) === 0 ? `ünï-${randomUUID()}` : randomUUID();
  const at = Date.now() - random.between(0, 86_400_000);
  const { sent, fields } = random.between(0, 1) === 0 ? pageFields(random) : trackFields(random);
  return {
    sent: { id, timestamp: timestampOf(at, random), ...sent },
    expected: {
      analyticsEventId: idOf(sourceId, id),
      eventId: id,
      occurredAt: new Date(at).toISOString(),
      ...fields,
    },
  };
}
