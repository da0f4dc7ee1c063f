/** Section 4.2, rule 3, and the types of sections 2.6 and 2.7. */
import assert from "node:assert/strict";
import { DAY, fresh } from "../support/world.ts";
import { NOT_BODIES } from "./bootstrap-validation.ts";
import {
  at,
  cases,
  integer,
  invalidPayload,
  list,
  rule,
  type SpecCheck,
  show,
  status,
  text,
} from "./check.ts";
import {
  eventsPath,
  type Fields,
  PAGE,
  pageEvent,
  rejectedEvent,
  type SpecClient,
  trackEvent,
} from "./client.ts";
import { notA } from "./values.ts";

const FIELDS: Record<string, Record<string, Fields>> = {
  "ingestVersion must be 2": {
    ...notA("number", "ingestVersion"),
    "ingestVersion 1": { ingestVersion: 1 },
    "ingestVersion 3": { ingestVersion: 3 },
    "ingestVersion '2'": { ingestVersion: "2" },
  },
  "sdkVersion present": { ...notA("string", "sdkVersion"), "sdkVersion empty": { sdkVersion: "" } },
  "batchId present": { ...notA("string", "batchId"), "batchId empty": { batchId: "" } },
  "sentAt present": {
    ...notA("string", "sentAt"),
    "sentAt empty": { sentAt: "" },
    "sentAt a word": { sentAt: "yesterday" },
    "sentAt no day of the calendar": { sentAt: "2026-13-45T10:00:00Z" },
  },
  "sessionId present": { ...notA("string", "sessionId"), "sessionId empty": { sessionId: "" } },
  "anonymousId present": { ...notA("string", "anonymousId"), "anonymousId empty": { anonymousId: "" } },
  "events a non-empty array": { ...notA("array", "events"), "events empty": { events: [] } },
};

const TYPES: Record<string, Fields> = {
  "userId a number": { userId: 1 },
  "userId an object": { userId: {} },
  "context a string": { context: "en" },
  "context an array": { context: [] },
  "context a number": { context: 1 },
};

/** Events that break one rule. A page event is one whose page is wrong. */
const FAULTS: Record<string, Record<string, Fields>> = {
  "each event has id": { ...notA("string", "id"), "id empty": { id: "" } },
  "each event has type": { ...notA("string", "type"), "type empty": { type: "" } },
  "each event has an ISO timestamp": {
    ...notA("string", "timestamp"),
    "timestamp empty": { timestamp: "" },
    "timestamp a word": { timestamp: "yesterday" },
    "timestamp no ISO 8601": { timestamp: "Sun, 22 Nov 2026 10:00:00 GMT" },
    "timestamp no day of the calendar": { timestamp: "2026-13-45T10:00:00Z" },
  },
  "a track event requires name": { ...notA("string", "name"), "name empty": { name: "" } },
  "a page event requires a page payload": Object.fromEntries(
    Object.entries(notA("object", "page")).map(([name, fields]) => [
      name,
      { type: "page", name: undefined, ...fields },
    ]),
  ),
  "properties: object, free-form": {
    "properties a string": { properties: "pro" },
    "properties an array": { properties: [] },
    "properties a number": { properties: 1 },
  },
  "context: object, free-form": {
    "context a string": { context: "en" },
    "context an array": { context: [] },
  },
};

const WRONG_PAGES: Record<string, Fields> = {
  "url a number": { url: 1 },
  "path an array": { path: [] },
  "title an object": { title: {} },
  "referrer a number": { referrer: 1 },
};

const NO_EVENTS: Record<string, unknown> = { null: null, "a string": "event", "a number": 1, "an array": [] };

async function sendWith(client: SpecClient, other: unknown) {
  const source = await client.shared();
  const sessionId = await client.sharedSession(source);
  const good = trackEvent();
  const answer = await client.events(source, sessionId, [good, other]);
  return { good, answer, resend: () => client.events(source, sessionId, [good]) };
}

/** The batch is invalid, and nothing of it is stored: the good event is not a duplicate when it comes again. */
async function batchRefused(client: SpecClient, faulty: unknown) {
  const { answer, resend } = await sendWith(client, faulty);
  invalidPayload(answer);
  const issues = list(answer.body, "issues");
  assert.ok(
    issues.some((issue) => JSON.stringify(at(issue, "path")).startsWith('["events",1')),
    show(issues),
  );
  assert.equal(integer((await resend()).body, "accepted"), 1);
}

async function sendRejected(client: SpecClient, event: unknown) {
  const { answer, good } = await sendWith(client, event);
  status(answer, 200);
  return { good, body: answer.body };
}

/** Well-formed events that the service does not store, each with its reason (docs/api/events.md). */
const REJECTED: Record<string, () => Fields> = {
  "a type that is not shown": () => rejectedEvent(),
  "a type that is not shown, without a name": () => rejectedEvent({ name: undefined }),
  "a timestamp of three years ago": () => trackEvent({ timestamp: inDays(-1_100) }),
  "a timestamp of next week": () => trackEvent({ timestamp: inDays(7) }),
  "a session of nobody": () => trackEvent({ sessionId: "ses_nobody" }),
  "a page without an address": () => pageEvent({ page: { title: "Pricing" } }),
  "a very long name": () => trackEvent({ name: "n".repeat(1_000) }),
  "a very long id": () => trackEvent({ id: fresh("i".repeat(1_000)) }),
  "very deep properties": () => trackEvent({ properties: deep(40) }),
  "very many properties": () =>
    trackEvent({
      properties: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`p${index}`, 1])),
    }),
  "very large properties": () =>
    trackEvent({ properties: { list: Array.from({ length: 20_000 }, () => "xx") } }),
};

const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString();
const deep = (levels: number): Fields => (levels === 0 ? {} : { inner: deep(levels - 1) });

function oneRejected(body: unknown): void {
  assert.deepEqual(
    [integer(body, "accepted"), integer(body, "duplicates"), integer(body, "rejected")],
    [1, 0, 1],
  );
  assert.equal(list(body, "results").length, 2);
  const result = at(body, "results", 1);
  assert.equal(at(result, "status"), "rejected");
  text(result, "code");
  text(result, "message");
}

export const EVENTS_VALIDATION: SpecCheck[] = [
  ...Object.entries(FIELDS).flatMap(([sentence, table]) =>
    rule(
      "4.2",
      `Events validation: ${sentence}; 422 with an issues array`,
      cases(table, async (over, client) => {
        const source = await client.shared();
        const sessionId = await client.sharedSession(source);
        invalidPayload(await client.events(source, sessionId, [trackEvent()], over));
      }),
    ),
  ),
  ...rule(
    "2.6",
    "The types of the events body; 422 with an issues array",
    cases(TYPES, async (over, client) => {
      const source = await client.shared();
      invalidPayload(await client.events(source, await client.sharedSession(source), [trackEvent()], over));
    }),
  ),
  ...rule(
    "7",
    "422: invalid events payload; the body includes an issues array",
    cases(NOT_BODIES, async (body, client) =>
      invalidPayload(await client.ingest(eventsPath(await client.shared()), body)),
    ),
  ),
  ...Object.entries(FAULTS).flatMap(([sentence, table]) =>
    rule(
      "4.2",
      `Events validation: ${sentence}; 422 with an issues array that names the event`,
      cases(table, (over, client) => batchRefused(client, trackEvent(over))),
    ),
  ),
  ...rule(
    "2.6",
    "events: array of event objects; 422 with an issues array that names the event",
    cases(NO_EVENTS, (event, client) => batchRefused(client, event)),
  ),
  ...rule(
    "7",
    "Per-event failure is reported in the result entry with status rejected, plus code and message",
    cases(REJECTED, async (make, client) => oneRejected((await sendRejected(client, make())).body)),
  ),
  ...rule("2.8", "Result entry of a rejected event", {
    "eventId is the client event id": async (client) => {
      const event = rejectedEvent();
      const { body } = await sendRejected(client, event);
      assert.equal(at(body, "results", 1, "eventId"), event.id);
    },
    "type is the event type": async (client) => {
      const { body } = await sendRejected(client, pageEvent({ page: { title: "Pricing" } }));
      assert.equal(at(body, "results", 1, "type"), "page");
    },
    "the entry of the accepted event is unaffected": async (client) => {
      const { body, good } = await sendRejected(client, rejectedEvent());
      const { eventId, status: outcome } = Object(at(body, "results", 0));
      assert.deepEqual([eventId, outcome], [good.id, "accepted"]);
    },
  }),
  ...rule("6", "Each event is reported in results as accepted, duplicate or rejected", {
    "a batch of rejected events only": async (client) => {
      const source = await client.shared();
      const events = [rejectedEvent(), pageEvent({ page: { title: "Pricing" } })];
      const answer = await client.events(source, await client.sharedSession(source), events);
      status(answer, 200);
      assert.equal(integer(answer.body, "rejected"), 2);
    },
    "a rejected event that is sent corrected is accepted": async (client) => {
      const source = await client.shared();
      const sessionId = await client.sharedSession(source);
      const event = trackEvent();
      await client.events(source, sessionId, [{ ...event, type: "heartbeat" }]);
      assert.equal(integer((await client.events(source, sessionId, [event])).body, "accepted"), 1);
    },
    "an invalid batch stores none of its events": async (client) => {
      const source = await client.shared();
      const sessionId = await client.sharedSession(source);
      const event = trackEvent();
      invalidPayload(await client.events(source, sessionId, [event], { batchId: undefined }));
      assert.equal(integer((await client.events(source, sessionId, [event])).body, "accepted"), 1);
    },
  }),
  ...rule(
    "2.7",
    "page: same members as in bootstrap page; 422 with an issues array that names the event",
    cases(WRONG_PAGES, (fields, client) => batchRefused(client, pageEvent({ page: { ...PAGE, ...fields } }))),
  ),
];
