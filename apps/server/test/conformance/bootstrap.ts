/** Sections 2.4, 2.5 and 3: bootstrap and its answer. */
import assert from "node:assert/strict";
import { fresh } from "../support/world.ts";
import { at, cases, integer, rule, type SpecCheck, status, succeeded, text } from "./check.ts";
import {
  eventsBody,
  type Fields,
  ORIGIN,
  PAGE,
  pageEvent,
  type SpecClient,
  type SpecSource,
  trackEvent,
} from "./client.ts";

type VerifyAnswer = (body: unknown, source: SpecSource) => unknown;

const ANSWER: Record<string, VerifyAnswer> = {
  "ok: true on success": (body) => assert.equal(at(body, "ok"), true),
  "attemptId: string, identifier of this ingest attempt": (body) => text(body, "attemptId"),
  "ingestVersion: integer, 2": (body) => assert.equal(at(body, "ingestVersion"), 2),
  "sourceId: source resolved from the public key": (body, { sourceId }) =>
    assert.equal(at(body, "sourceId"), sourceId),
  "sessionId: string, created session": (body) => text(body, "sessionId"),
  "anonymousId: echo of the visitor identifier": (body) => assert.equal(at(body, "anonymousId"), "anon_1"),
  "identifiedUserId: null when none": (body) => assert.equal(at(body, "identifiedUserId"), null),
  "ingestUrl: relative path": (body) => assert.match(text(body, "ingestUrl"), /^\//),
  "ingestUrl: of the events endpoint for this public key": (body, { publicKey }) =>
    assert.equal(at(body, "ingestUrl"), `/api/ingest/v2/${publicKey}/events`),
};

const VALID: Record<string, Fields> = {
  "the whole body": {},
  "sessionId null": { sessionId: null },
  "sessionId omitted": { sessionId: undefined },
  "userId null": { userId: null },
  "userId omitted": { userId: undefined },
  "userId a string": { userId: "user_1" },
  "context omitted": { context: undefined },
  "context empty": { context: {} },
  "context with other members": {
    context: { screen: { width: 390, height: 844 }, tags: ["a", "b"], beta: true, none: null },
  },
  "context with locale": { context: { locale: "de-DE" } },
  "context with timezone": { context: { timezone: "Asia/Tokyo" } },
  "context with userAgent": { context: { userAgent: "curl/8" } },
  "page with url only": { page: { url: `${ORIGIN}/` } },
  "page with path only": { page: { path: "/" } },
  "page with title only": { page: { title: "Home" } },
  "page empty": { page: {} },
  "page with referrer null": { page: { ...PAGE, referrer: null } },
  "page with referrer": { page: { ...PAGE, referrer: "https://search.example/?q=shop" } },
  "page with other members": { page: { ...PAGE, search: "?a=1", nested: { depth: [1, 2] } } },
  "page with other scripts": { page: { url: `${ORIGIN}/caf%C3%A9`, path: "/café", title: "日本語 ☕" } },
  "a very long url": { page: { ...PAGE, url: `${ORIGIN}/?q=${"x".repeat(100_000)}` } },
  "a very long path": { page: { path: `/${"x".repeat(100_000)}` } },
  "a very long title": { page: { ...PAGE, title: "word ".repeat(20_000) } },
  "a very long referrer": { page: { ...PAGE, referrer: `https://search.example/${"x".repeat(100_000)}` } },
  "page with a deep member": { page: { ...PAGE, tree: JSON.parse("[".repeat(50) + "]".repeat(50)) } },
  "context with other types": { context: { locale: { language: "de" }, timezone: 60, userAgent: [] } },
  "context with a deep member": { context: { tree: JSON.parse("[".repeat(50) + "]".repeat(50)) } },
  "context with a long member": { context: { text: "x".repeat(100_000) } },
  "members that the specification does not have": { batchId: 5, sentAt: 7, joinSession: "x", extra: {} },
  "a uuid as anonymousId": { anonymousId: "0191b6f0-7d8a-7c3e-9b1e-2f6f3a1d4c5b" },
  "a version with a build": { sdkVersion: "2.1.0-beta.3+build.7" },
};

async function resumed(client: SpecClient, over: Fields = {}) {
  const source = await client.source();
  const sessionId = await client.session(source);
  const { body } = await client.bootstrap(source, { sessionId, ...over });
  return { source, sessionId, body };
}

export const BOOTSTRAP: SpecCheck[] = [
  ...Object.entries(ANSWER).flatMap(([sentence, verify]) =>
    rule("2.5", sentence, {
      "a new session": async (client) => {
        const source = await client.source();
        const answer = await client.bootstrap(source);
        status(answer, 200);
        await verify(answer.body, source);
      },
      "a resumed session": async (client) => {
        const { source, body } = await resumed(client);
        await verify(body, source);
      },
    }),
  ),
  ...rule(
    "2.4",
    "Bootstrap request body: a valid body opens a session",
    cases(VALID, async (over, client) => {
      const answer = await client.bootstrap(await client.source(), over);
      status(answer, 200);
      text(answer.body, "sessionId");
    }),
  ),
  ...rule("2.4", "sessionId: used to resume a session", {
    "the same session is answered": async (client) => {
      const { sessionId, body } = await resumed(client);
      assert.equal(at(body, "sessionId"), sessionId);
    },
    "three times": async (client) => {
      const { source, sessionId } = await resumed(client);
      for (let count = 0; count < 3; count += 1) {
        assert.equal(at((await client.bootstrap(source, { sessionId })).body, "sessionId"), sessionId);
      }
    },
    "on another page": async (client) => {
      const { sessionId, body } = await resumed(client, { page: { url: `${ORIGIN}/cart`, path: "/cart" } });
      assert.equal(at(body, "sessionId"), sessionId);
    },
    "by another version of the client": async (client) => {
      const { sessionId, body } = await resumed(client, { sdkVersion: "9.9.9" });
      assert.equal(at(body, "sessionId"), sessionId);
    },
    "with a userId, after signing in": async (client) => {
      const { sessionId, body } = await resumed(client, { userId: "user_7" });
      assert.deepEqual([at(body, "sessionId"), at(body, "identifiedUserId")], [sessionId, "user_7"]);
    },
    "after events": async (client) => {
      const source = await client.source();
      const sessionId = await client.session(source);
      await client.events(source, sessionId, [pageEvent()]);
      assert.equal(at((await client.bootstrap(source, { sessionId })).body, "sessionId"), sessionId);
    },
    "a resumed session takes events": async (client) => {
      const { source, sessionId } = await resumed(client);
      assert.equal(integer((await client.events(source, sessionId, [trackEvent()])).body, "accepted"), 1);
    },
    "an unknown one does not stop the visitor": async (client) => {
      const source = await client.source();
      const { body } = await client.bootstrap(source, { sessionId: "ses_of_long_ago" });
      const sessionId = text(body, "sessionId");
      assert.equal(integer((await client.events(source, sessionId, [trackEvent()])).body, "accepted"), 1);
    },
  }),
  ...rule("3", "no session, bootstrap, valid request: session created", {
    "two visitors have two sessions": async (client) => {
      const source = await client.source();
      const first = await client.session(source, { anonymousId: fresh("anon") });
      assert.notEqual(await client.session(source, { anonymousId: fresh("anon") }), first);
    },
    "the session takes events at once": async (client) => {
      const source = await client.source();
      succeeded(await client.events(source, await client.session(source), [pageEvent()]));
    },
    "a refused bootstrap opens none": async (client) => {
      const { body } = await client.bootstrap(await client.source(), { anonymousId: undefined });
      assert.equal(at(body, "sessionId") ?? null, null);
    },
    "ten visitors at once have ten sessions": async (client) => {
      const source = await client.source();
      const visitors = Array.from({ length: 10 }, () =>
        client.session(source, { anonymousId: fresh("anon") }),
      );
      assert.equal(new Set(await Promise.all(visitors)).size, 10);
    },
  }),
  ...rule("2.5", "attemptId: identifier of this ingest attempt", {
    "two attempts have different ids": async (client) => {
      const source = await client.source();
      const first = text((await client.bootstrap(source)).body, "attemptId");
      assert.notEqual(text((await client.bootstrap(source)).body, "attemptId"), first);
    },
  }),
  ...rule("2.5", "anonymousId: echo of the visitor identifier", {
    "a uuid": async (client) => {
      const anonymousId = "0191b6f0-7d8a-7c3e-9b1e-2f6f3a1d4c5b";
      const { body } = await client.bootstrap(await client.source(), { anonymousId });
      assert.equal(at(body, "anonymousId"), anonymousId);
    },
    "other scripts": async (client) => {
      const { body } = await client.bootstrap(await client.source(), { anonymousId: "gäst-☕" });
      assert.equal(at(body, "anonymousId"), "gäst-☕");
    },
  }),
  ...rule("2.5", "identifiedUserId: identified user", {
    "the userId of the request": async (client) => {
      const { body } = await client.bootstrap(await client.source(), { userId: "user_42" });
      assert.equal(at(body, "identifiedUserId"), "user_42");
    },
    "null for a userId of null": async (client) => {
      const { body } = await client.bootstrap(await client.source(), { userId: null });
      assert.equal(at(body, "identifiedUserId"), null);
    },
    "the userId of a resumed session's request": async (client) => {
      const { body } = await resumed(client, { userId: "user_43" });
      assert.equal(at(body, "identifiedUserId"), "user_43");
    },
  }),
  ...rule("2.5", "ingestUrl: relative path of the events endpoint", {
    "events sent there are accepted": async (client) => {
      const { body } = await client.bootstrap(await client.source());
      const sent = eventsBody(text(body, "sessionId"), [trackEvent()]);
      assert.equal(integer((await client.ingest(text(body, "ingestUrl"), sent)).body, "accepted"), 1);
    },
  }),
];
