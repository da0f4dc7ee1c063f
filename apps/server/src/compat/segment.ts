/** Clients of Segment and RudderStack: https://segment.com/docs/connections/sources/catalog/libraries/server/http-api */
import { LIMITS } from "@headwater/contract/limits";
import { isRecord } from "../core/members.ts";
import { invalidBody } from "../core/refusal.ts";
import { textOf } from "../core/text.ts";
import type {
  Adapter,
  ForeignAddress,
  ForeignEvent,
  ForeignReply,
  ForeignRequest,
  Translation,
  Untranslated,
} from "../ingest/adapter.ts";
import { noSuchPath } from "./stray.ts";
import {
  definedIn,
  type ForeignFields,
  idOf,
  jsonReply,
  membersOf,
  numberOf,
  objectOf,
  requireObject,
  sharedMembersOf,
  shortTextOf,
  without,
} from "./values.ts";

/** The browser client shortens the name of a call to its first letter. Old clients of servers call a batch `import`. */
const CALLS = ["track", "page", "screen", "identify", "group", "alias", "batch", "import"];
const IN_PAGE = ["url", "path", "title", "referrer"];
/** Members of the context that are stored elsewhere. The client's address is not stored at all. */
const NOT_IN_CONTEXT = ["ip", "page"];
/** The configuration never changes, so its time is any time. */
const CONFIG_TIME = "2026-01-01T00:00:00.000Z";
/** The currency of a revenue that names none. */
const DEFAULT_CURRENCY = "USD";

function propertiesOf(message: ForeignFields): ForeignFields {
  const properties = membersOf(message.properties, "properties");
  const amount = numberOf(properties.revenue);
  if (amount === null) return properties;
  return { ...properties, revenue: { amount, currency: textOf(properties.currency) ?? DEFAULT_CURRENCY } };
}

function pageOf(fields: ForeignFields, name: string | null) {
  const page = { url: textOf(fields.url), path: textOf(fields.path), title: textOf(fields.title) };
  const path = page.url === null && page.path === null && name !== null ? `/${name}` : page.path;
  return definedIn({ ...page, path, referrer: textOf(fields.referrer) });
}

/** The members that are texts. */
const textsIn = (fields: ForeignFields, names: readonly string[]): ForeignFields =>
  definedIn(Object.fromEntries(names.map((name) => [name, textOf(fields[name])])));

/** The properties of a page call that its page has. The query is one if the url has it. */
function inPageOf(properties: ForeignFields): string[] {
  const { url, search } = properties;
  const inPage = IN_PAGE.filter((member) => typeof properties[member] === "string");
  return typeof search === "string" && (textOf(url) ?? "").includes(search) ? [...inPage, "search"] : inPage;
}

/** A call about the user, as an event that the visitor did not cause. */
const passive = (name: string, properties: ForeignFields) => ({
  type: "track",
  name,
  passive: true,
  properties,
});

function bodyOf(type: string | null, message: ForeignFields, seen: ForeignFields): ForeignFields {
  const properties = membersOf(message.properties, "properties");
  const name = textOf(message.name) ?? textOf(properties.name);
  const named = definedIn({ name, category: textOf(message.category) });
  const page = Object.keys(seen).length === 0 ? {} : { page: pageOf(seen, null) };
  switch (type) {
    case "track":
      return { type, name: idOf(message.event), properties: propertiesOf(message), ...page };
    case "page": {
      const inPage = inPageOf(properties);
      return {
        type,
        page: pageOf({ ...seen, ...textsIn(properties, inPage) }, name),
        properties: { ...without(properties, inPage), ...named },
      };
    }
    case "screen":
      return { type: "page", page: pageOf({ title: name }, name), properties: { ...properties, ...named } };
    case "identify":
      // RudderStack's clients send them in the context
      return {
        ...passive(type, membersOf(message.traits ?? objectOf(message.context).traits, "traits")),
        ...page,
      };
    case "group": {
      const groupId = idOf(message.groupId);
      return {
        ...passive(type, { ...membersOf(message.traits, "traits"), ...definedIn({ groupId }) }),
        ...page,
      };
    }
    case "alias":
      return { ...passive(type, definedIn({ previousId: idOf(message.previousId) })), ...page };
    default:
      // the pipeline rejects a type that it does not know
      return { type: type ?? "", name: textOf(message.event) };
  }
}

const contextOf = (context: ForeignFields): ForeignFields => without(context, NOT_IN_CONTEXT);

function eventOf(
  type: string | null,
  message: unknown,
  shared: ForeignFields | null,
): ForeignEvent | Untranslated {
  if (!isRecord(message)) return { raw: null, problem: "A message must be an object" };
  const ownContext = membersOf(message.context, "context");
  const context = { ...shared, ...ownContext };
  const userId = idOf(message.userId);
  const anonymousId = idOf(message.anonymousId) ?? userId;
  const id = idOf(message.messageId);
  const timestamp = textOf(message.timestamp) ?? textOf(message.originalTimestamp);
  if (anonymousId === null)
    return { raw: { id, type, name: message.event }, problem: "`anonymousId` or `userId` is required" };
  if (type === "track" && idOf(message.event) === null)
    return { raw: { id, type }, problem: "`event` is required" };
  const own = definedIn({ id, timestamp, ...bodyOf(type, message, objectOf(context.page)) });
  return {
    client: libraryOf(context),
    anonymousId,
    userId,
    clientSession: idOf(context.sessionId),
    nonce: timestamp,
    event: { ...own, context: contextOf(ownContext) },
  };
}

function messagesOf(body: ForeignFields): readonly unknown[] {
  const { batch } = body;
  if (Array.isArray(batch) && batch.length > 0) return batch;
  throw invalidBody("required", "`batch` must be a list with at least one message.");
}

/** Joined by `@`, they would look like an e-mail address and be masked. */
function libraryOf(context: ForeignFields): string | null {
  const { name, version } = objectOf(context.library);
  if (textOf(name) === null) return null;
  const client = [name, textOf(version)].filter(Boolean).join(" ");
  return client.slice(0, LIMITS.maxEnvelopeIdLength).toWellFormed();
}

function translate({ call, json }: ForeignRequest): Translation {
  const called = CALLS.find((name) => name === call || name[0] === call);
  if (called === undefined) throw noSuchPath("segment");
  const body = requireObject(json());
  const isBatch = called === "batch" || called === "import";
  const messages = isBatch ? messagesOf(body) : [body];
  const shared = isBatch ? sharedMembersOf(body.context, "context") : null;
  const typeOf = (message: unknown) => (isBatch ? textOf(objectOf(message).type) : called);
  return {
    sentAt: shortTextOf(body.sentAt),
    messages,
    shared,
    context: shared && contextOf(shared),
    eventOf: (message) => eventOf(typeOf(message), message, shared),
  };
}

/** The settings that a client asks for when it starts: Headwater is the only destination, and the client reports nothing about itself. */
const settingsOf = (writeKey: string, baseUrl: string) => {
  const [protocol = "", apiHost = ""] = `${baseUrl}/segment/v1`.split("://");
  const integrations = { "Segment.io": { apiKey: writeKey, apiHost, protocol } };
  return { integrations, plan: {}, metrics: { sampleRate: 0 } };
};

const configOf = (writeKey: string) => {
  const off = { enabled: false };
  const config = { statsCollection: { errors: off, metrics: off } };
  const ids = { id: "headwater", name: "Headwater", writeKey, workspaceId: "headwater" };
  return {
    source: { ...ids, enabled: true, updatedAt: CONFIG_TIME, config, destinations: [], connections: [] },
  };
};

function fixedReply({ method, call, queryText, writeKey, baseUrl }: ForeignAddress): ForeignReply | null {
  if (method === "POST") return call === "m" ? jsonReply({ success: true }) : null;
  if (call === "settings") return jsonReply(settingsOf(writeKey, baseUrl));
  return jsonReply(configOf(new URLSearchParams(queryText).get("writeKey") ?? ""));
}

/** Its clients look at the status only: they send the events again after 429 and 5xx, and drop them after other errors. */
export const SEGMENT: Adapter = {
  endpoint: "segment",
  fixedReply,
  translate,
  reply: ({ attemptId, accepted, duplicates, rejected, results }) =>
    jsonReply({ success: rejected === 0, attemptId, accepted, duplicates, rejected, results }),
};
