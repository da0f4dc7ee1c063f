/** Sections 2.6 to 2.8 and 6: events and their answer. */
import assert from "node:assert/strict";
import { fresh } from "../support/world.ts";
import { at, cases, integer, list, rule, type SpecCheck, status, text } from "./check.ts";
import {
  type Fields,
  ORIGIN,
  PAGE,
  pageEvent,
  type SpecAnswer,
  type SpecClient,
  type SpecSource,
  trackEvent,
} from "./client.ts";

interface SentEvents {
  source: SpecSource;
  sessionId: string;
  answer: SpecAnswer;
}

async function send(client: SpecClient, events: Fields[], over: Fields = {}): Promise<SentEvents> {
  const source = await client.source();
  const sessionId = await client.session(source);
  return { source, sessionId, answer: await client.events(source, sessionId, events, over) };
}

function allAccepted({ status: code, body, text: shown }: SpecAnswer, count: number): void {
  assert.equal(code, 200, shown);
  assert.deepEqual(
    [integer(body, "accepted"), integer(body, "duplicates"), integer(body, "rejected")],
    [count, 0, 0],
    shown,
  );
}

const ANSWER: Record<string, (body: unknown, sent: SentEvents) => unknown> = {
  "ok: true on success": (body) => assert.equal(at(body, "ok"), true),
  "attemptId: string": (body) => text(body, "attemptId"),
  "sourceId: string": (body, { source }) => assert.equal(at(body, "sourceId"), source.sourceId),
  "sessionId: string": (body, { sessionId }) => assert.equal(at(body, "sessionId"), sessionId),
  "accepted: integer, count of accepted events": (body) => assert.equal(at(body, "accepted"), 1),
  "duplicates: integer, count of duplicate events": (body) => assert.equal(at(body, "duplicates"), 0),
  "rejected: integer, count of rejected events": (body) => assert.equal(at(body, "rejected"), 0),
  "results: array, one entry per event": (body) => assert.equal(list(body, "results").length, 1),
};

const RESULT: Record<string, (result: unknown, event: Fields) => unknown> = {
  "eventId: the client event id": (result, { id }) => assert.equal(at(result, "eventId"), id),
  "analyticsEventId: string, stored event identifier": (result) => text(result, "analyticsEventId"),
  "type: event type": (result, { type }) => assert.equal(at(result, "type"), type),
  "name: normalized name": (result, { name }) => assert.equal(at(result, "name"), name ?? "page_view"),
  "status: accepted": (result) => assert.equal(at(result, "status"), "accepted"),
  "code: null when accepted": (result) => assert.equal(at(result, "code"), null),
  "message: null when accepted": (result) => assert.equal(at(result, "message"), null),
};

const VALID_EVENTS: Record<string, () => Fields> = {
  "track with a name only": () => trackEvent({ properties: undefined }),
  "track with a page": () => trackEvent({ page: PAGE }),
  "track with properties empty": () => trackEvent({ properties: {} }),
  "track with properties of every type": () =>
    trackEvent({
      properties: {
        text: "a",
        number: 1.5,
        yes: true,
        none: null,
        list: [1, "b"],
        inner: { deep: { er: 1 } },
      },
    }),
  "track with a long name": () => trackEvent({ name: "checkout_step_two_payment_method_selected" }),
  "track with a name of words": () => trackEvent({ name: "Signed Up: Pro" }),
  "track with a name in another script": () => trackEvent({ name: "購入" }),
  "page with the whole page": () => pageEvent(),
  "page with a referrer": () => pageEvent({ page: { ...PAGE, referrer: "https://search.example/" } }),
  "page with url only": () => pageEvent({ page: { url: `${ORIGIN}/` } }),
  "page with path only": () => pageEvent({ page: { path: "/" } }),
  "page with other members": () => pageEvent({ page: { ...PAGE, section: { id: 7 } } }),
  "page with properties": () => pageEvent({ properties: { ab: "b" } }),
  "page with a name": () => pageEvent({ name: "Pricing" }),
  "an anonymousId of its own": () => trackEvent({ anonymousId: "anon_1" }),
  "context empty": () => trackEvent({ context: {} }),
  "context free-form": () => trackEvent({ context: { locale: "de", nested: { list: [1, 2] } } }),
  "a uuid as id": () => trackEvent({ id: "0191b6f0-7d8a-7c3e-9b1e-2f6f3a1d4c5c" }),
};

const now = () => new Date().toISOString();

const TIMESTAMPS: Record<string, () => string> = {
  "with milliseconds": now,
  "with seconds": () => `${now().slice(0, 19)}Z`,
  "with an offset": () => `${now().slice(0, 19)}+00:00`,
  "with another offset": () => `${new Date(Date.now() + 7_200_000).toISOString().slice(0, 19)}+02:00`,
  "of an hour ago": () => new Date(Date.now() - 3_600_000).toISOString(),
  "of yesterday": () => new Date(Date.now() - 86_400_000).toISOString(),
  "of last month": () => new Date(Date.now() - 30 * 86_400_000).toISOString(),
  "of last year": () => new Date(Date.now() - 365 * 86_400_000).toISOString(),
};

/** Each costs a warning at most. Code and message of an accepted event are null all the same. */
const ODD_EVENTS: Record<string, () => Fields> = {
  "a timestamp without a zone": () => trackEvent({ timestamp: now().slice(0, 19) }),
  "a timestamp of a minute ahead": () =>
    trackEvent({ timestamp: new Date(Date.now() + 60_000).toISOString() }),
  "a timestamp of an hour ahead": () =>
    trackEvent({ timestamp: new Date(Date.now() + 3_600_000).toISOString() }),
  "another anonymousId": () => trackEvent({ anonymousId: fresh("anon") }),
  "a very long url": () => pageEvent({ page: { ...PAGE, url: `${PAGE.url}?q=${"x".repeat(20_000)}` } }),
  "a very long title": () => pageEvent({ page: { ...PAGE, title: "word ".repeat(5_000) } }),
  "a very long referrer": () =>
    pageEvent({ page: { ...PAGE, referrer: `${PAGE.url}/${"x".repeat(20_000)}` } }),
  "a very long property": () => trackEvent({ properties: { text: "x".repeat(10_000) } }),
  "a price that is not a price": () => trackEvent({ properties: { revenue: "much" } }),
  "a context with other types": () => trackEvent({ context: { locale: { language: "de" }, timezone: 60 } }),
  "a deep context": () => trackEvent({ context: { inner: JSON.parse("[".repeat(50) + "]".repeat(50)) } }),
  "a large context": () => trackEvent({ context: { list: Array.from({ length: 5_000 }, () => "item") } }),
};

const ENVELOPES: Record<string, Fields> = {
  "context of other types": { context: { locale: { language: "de" }, timezone: 60, userAgent: null } },
  "context deep": { context: { inner: JSON.parse("[".repeat(50) + "]".repeat(50)) } },
  "context large": { context: { list: Array.from({ length: 5_000 }, () => "item") } },
  "sentAt in basic format": { sentAt: `${now().slice(0, 19).replaceAll(/[-:]/g, "")}Z` },
  "context omitted": { context: undefined },
  "context empty": { context: {} },
  "context free-form": { context: { app: { build: 7 }, flags: ["a"] } },
  "userId omitted": { userId: undefined },
  "userId a string": { userId: "user_1" },
  "another version of the client": { sdkVersion: "0.0.1" },
  "sentAt with seconds": { sentAt: `${now().slice(0, 19)}Z` },
  "sentAt with an offset": { sentAt: `${now().slice(0, 19)}+00:00` },
};

const SIZES: Record<string, number> = {
  "one event": 1,
  "two events": 2,
  "ten events": 10,
  "a hundred events": 100,
};

export const EVENTS: SpecCheck[] = [
  ...Object.entries(ANSWER).flatMap(([sentence, verify]) =>
    rule("2.8", sentence, {
      "one track event": async (client) => {
        const sent = await send(client, [trackEvent()]);
        status(sent.answer, 200);
        await verify(sent.answer.body, sent);
      },
    }),
  ),
  ...Object.entries(RESULT).flatMap(([sentence, verify]) =>
    rule(
      "2.8",
      `Result entry: ${sentence}`,
      cases({ page: pageEvent, track: trackEvent }, async (make, client) => {
        const event = make();
        const { answer } = await send(client, [event]);
        await verify(at(answer.body, "results", 0), event);
      }),
    ),
  ),
  ...rule(
    "2.7",
    "Event object: a valid event is accepted",
    cases(VALID_EVENTS, async (make, client) => allAccepted((await send(client, [make()])).answer, 1)),
  ),
  ...rule(
    "2.7",
    "timestamp: string, ISO 8601 timestamp",
    cases(TIMESTAMPS, async (make, client) =>
      allAccepted((await send(client, [trackEvent({ timestamp: make() })])).answer, 1),
    ),
  ),
  ...rule(
    "2.8",
    "code and message: null when accepted",
    cases(ODD_EVENTS, async (make, client) => {
      const { answer } = await send(client, [make()]);
      allAccepted(answer, 1);
      const { code, message } = Object(at(answer.body, "results", 0));
      assert.deepEqual([code, message], [null, null]);
    }),
  ),
  ...rule(
    "2.6",
    "Events request body: a valid body is accepted",
    cases(ENVELOPES, async (over, client) =>
      allAccepted((await send(client, [pageEvent()], over)).answer, 1),
    ),
  ),
  ...rule(
    "2.8",
    "results: one entry per event",
    cases(SIZES, async (size, client) => {
      const events = Array.from({ length: size }, (_, index) =>
        index % 2 === 0 ? pageEvent() : trackEvent(),
      );
      const { answer } = await send(client, events);
      allAccepted(answer, size);
      const ids = list(answer.body, "results").map((one) => at(one, "eventId"));
      assert.deepEqual(ids.sort(), events.map(({ id }) => id).sort());
    }),
  ),
  ...rule("2.7", "sessionId: present in the shape of an event", {
    "the session of the batch": async (client) => {
      const source = await client.source();
      const sessionId = await client.session(source);
      allAccepted(await client.events(source, sessionId, [trackEvent({ sessionId })]), 1);
    },
  }),
  ...rule("2.8", "analyticsEventId: stored event identifier", {
    "each event has its own": async (client) => {
      const { answer } = await send(client, [trackEvent(), trackEvent(), pageEvent()]);
      const ids = list(answer.body, "results").map((one) => text(one, "analyticsEventId"));
      assert.equal(new Set(ids).size, 3);
    },
  }),
  ...rule("6", "Normalized name in result", {
    "page_view for a page event with a name": async (client) => {
      const { answer } = await send(client, [pageEvent({ name: "Pricing" })]);
      assert.equal(at(answer.body, "results", 0, "name"), "page_view");
    },
    "the supplied name of a track event": async (client) => {
      const { answer } = await send(client, [trackEvent({ name: "Signed Up: Pro" })]);
      assert.equal(at(answer.body, "results", 0, "name"), "Signed Up: Pro");
    },
    "both in one batch": async (client) => {
      const { answer } = await send(client, [pageEvent(), trackEvent({ name: "cart_opened" })]);
      const names = list(answer.body, "results").map((one) => at(one, "name"));
      assert.deepEqual(names.sort(), ["cart_opened", "page_view"]);
    },
  }),
  ...rule("4.2", "The events endpoint accepts a batch for the session created during bootstrap", {
    "three batches after each other": async (client) => {
      const source = await client.source();
      const sessionId = await client.session(source);
      for (let count = 0; count < 3; count += 1)
        allAccepted(await client.events(source, sessionId, [trackEvent()]), 1);
    },
    "ten batches at once": async (client) => {
      const source = await client.source();
      const sessionId = await client.session(source);
      const batches = Array.from({ length: 10 }, () => client.events(source, sessionId, [trackEvent()]));
      for (const answer of await Promise.all(batches)) allAccepted(answer, 1);
    },
    "the session of a visitor who signed in": async (client) => {
      const source = await client.source();
      const sessionId = await client.session(source, { userId: "user_1" });
      allAccepted(await client.events(source, sessionId, [trackEvent()], { userId: "user_1" }), 1);
    },
    "two sessions of one visitor": async (client) => {
      const source = await client.source();
      const anonymousId = fresh("anon");
      const first = await client.session(source, { anonymousId });
      const second = await client.session(source, { anonymousId });
      allAccepted(await client.events(source, first, [trackEvent()], { anonymousId }), 1);
      allAccepted(await client.events(source, second, [trackEvent()], { anonymousId }), 1);
    },
    "each attempt has its own attemptId": async (client) => {
      const source = await client.source();
      const sessionId = await client.session(source);
      const first = await client.events(source, sessionId, [trackEvent()]);
      const second = await client.events(source, sessionId, [trackEvent()]);
      assert.notEqual(text(first.body, "attemptId"), text(second.body, "attemptId"));
    },
  }),
];
