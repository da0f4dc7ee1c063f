/** GET …/events: the stored events of one session or visitor in order, or the latest of one name (docs/api/export.md). */
import { type Issue, LIMITS, type ListedEvent, type StoredEvents } from "@headwater/contract";
import { parseExactJson } from "../core/exact-json.ts";
import { NO_ID } from "../core/ids.ts";
import { Refusal } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import type { Call } from "../http/handler.ts";
import type { RunQuery } from "./sql/run-on.ts";
import { allOf, bindTime, list, statement } from "./sql/statement.ts";

const KINDS = ["sessionId", "anonymousId", "userId", "name"] as const;
const KINDS_TEXT = "sessionId, anonymousId, userId or name";

/** The columns of the answer that are text or flags in the warehouse, in the order of the statement. */
const MEMBERS = {
  analyticsEventId: "analyticsEventId",
  eventId: "eventId",
  type: "type",
  name: "name",
  sessionId: "sessionId",
  anonymousId: "anonymousId",
  userId: "userId",
  url: "page.url",
  path: "page.path",
  title: "page.title",
  referrer: "page.referrer",
  source: "source",
  channel: "channel",
  country: "country",
  region: "region",
  city: "city",
  device: "device.device",
  os: "device.os",
  browser: "device.browser",
  isBot: "device.isBot",
  passive: "passive",
  sentBy: "sentBy",
} as const satisfies Partial<Record<keyof ListedEvent, string>>;
const NAMES = Object.keys(MEMBERS);

type StoredEventRow = readonly [
  occurredAt: number,
  receivedAt: number,
  properties: string,
  context: string,
  ...members: (string | boolean | null)[],
];

function toListedEvent([
  occurredAt,
  receivedAt,
  properties,
  context,
  ...values
]: StoredEventRow): ListedEvent {
  const members = Object.fromEntries(NAMES.map((name, index) => [name, values[index]]));
  // the statement selects exactly the members of the type
  return {
    ...members,
    occurredAt: toIsoTime(occurredAt),
    receivedAt: toIsoTime(receivedAt),
    properties: parseExactJson(properties),
    context: parseExactJson(context),
  } as ListedEvent;
}

/**
 * Returns the id or the name of events that the query has.
 * @throws Refusal 422 unless it is exactly one; an id must be that of one visitor
 */
function readSubject(query: Call<"listEvents">["query"]): { kind: (typeof KINDS)[number]; id: string } {
  const [kind, ...others] = KINDS.filter((name) => query[name] !== undefined);
  const issue = (code: Issue["code"], message: string) =>
    new Refusal("invalid_payload", { issues: [{ path: [others[0] ?? kind ?? "sessionId"], code, message }] });
  if (kind === undefined) throw issue("required", `${KINDS_TEXT} is required`);
  if (others.length > 0) throw issue("invalid_value", `name only one of ${KINDS_TEXT}`);
  const id = query[kind] ?? "";
  if (kind === "anonymousId" && id === NO_ID)
    throw issue("invalid_value", `anonymousId ${NO_ID} is shared by many visitors`);
  return { kind, id };
}

export async function answerStoredEvents(
  run: RunQuery,
  { source: { sourceId }, query }: Pick<Call<"listEvents">, "source" | "query">,
): Promise<StoredEvents> {
  const { kind, id } = readSubject(query);
  const limit = query.limit ?? LIMITS.maxPageSize;
  const [at = "", after = ""] = query.cursor?.split(".", 2) ?? [];
  const isLatestFirst = kind === "name" || query.order === "latest";
  const [direction, later] = isLatestFirst ? ["DESC", "<"] : ["ASC", ">"];
  // the key of the table begins with the day, so the latest events of a name are found without reading older days
  const order = [...(isLatestFirst ? ["toDate(occurredAt)"] : []), "occurredAt", "analyticsEventId"];
  const rows = await run<StoredEventRow>(
    statement((bind) => {
      const conditions = [
        `sourceId = ${bind("String", sourceId)}`,
        `${kind} = ${bind("String", id)}`,
        ...(at === ""
          ? []
          : [
              `(occurredAt, analyticsEventId) ${later} (${bindTime(bind, Number(at))}, ${bind("String", after)})`,
            ]),
      ];
      return `SELECT toUnixTimestamp64Milli(occurredAt), toUnixTimestamp64Milli(receivedAt), properties, context,
        ${list(Object.values(MEMBERS))} FROM events WHERE ${allOf(conditions)}
        ORDER BY ${list(order.map((column) => `${column} ${direction}`))} LIMIT ${bind("UInt32", limit + 1)}`;
    }),
  );
  const events = rows.slice(0, limit).map(toListedEvent);
  const last = rows.length > limit ? events.at(-1) : undefined;
  return {
    events,
    nextCursor: last ? `${Date.parse(last.occurredAt)}.${last.analyticsEventId}` : null,
  };
}
