/** Section 8: the limits of a source, and the rate of requests. */
import assert from "node:assert/strict";
import { fresh } from "../support/world.ts";
import {
  cases,
  integer,
  isObject,
  namedValuesIn,
  rule,
  type SpecCheck,
  show,
  status,
  succeeded,
} from "./check.ts";
import {
  bootstrapPath,
  ROUTES,
  type SpecClient,
  type SpecRoute,
  type SpecSource,
  trackEvent,
} from "./client.ts";

/** The limits that the debug endpoint reports. The specification does not name the members, so they are searched for. */
async function limitsOf(client: SpecClient, source: SpecSource) {
  const debug = [...namedValuesIn(await client.view("debug", source))];
  const find = (pattern: RegExp): number => {
    const found = debug.find(([name, value]) => pattern.test(name) && Number.isInteger(value));
    assert.ok(found && typeof found[1] === "number", show(debug.map(([name]) => name)));
    return found[1];
  };
  return { batchSize: find(/max.*batch|batch.*max/i), payloadBytes: find(/max.*payload|payload.*max/i) };
}

/** Small events, so that the batch size is reached before the payload limit. */
const smallEvents = (length: number) =>
  Array.from({ length }, () => ({ ...trackEvent(), properties: undefined }));

/** Sends a valid body that is padded to the payload limit, plus `extraBytes`. */
async function sendAtLimit(client: SpecClient, { path, body }: SpecRoute, extraBytes: number) {
  const source = await client.source();
  const { payloadBytes } = await limitsOf(client, source);
  const text = JSON.stringify(body(await client.session(source)));
  return client.ingest(path(source), text.padEnd(payloadBytes + extraBytes));
}

export const LIMITS: SpecCheck[] = [
  ...rule(
    "8",
    "Exceeding the payload limit gives 413: one byte more than the limit of the debug endpoint",
    cases(ROUTES, async (route, client) => status(await sendAtLimit(client, route, 1), 413)),
  ),
  ...rule(
    "8",
    "Exceeding the payload limit gives 413: exactly the limit does not exceed it",
    cases(ROUTES, async (route, client) => succeeded(await sendAtLimit(client, route, 0))),
  ),
  ...rule("8", "Source limits exist for maximum batch size", {
    "a batch of exactly the maximum is accepted": async (client) => {
      const source = await client.source();
      const { batchSize } = await limitsOf(client, source);
      const answer = await client.events(source, await client.session(source), smallEvents(batchSize));
      assert.equal(integer(answer.body, "accepted"), batchSize);
    },
    "one event more gives 413": async (client) => {
      const source = await client.source();
      const { batchSize } = await limitsOf(client, source);
      status(await client.events(source, await client.session(source), smallEvents(batchSize + 1)), 413);
    },
    "a batch that is too large stores none of its events": async (client) => {
      const source = await client.source();
      const { batchSize } = await limitsOf(client, source);
      const sessionId = await client.session(source);
      const events = smallEvents(batchSize + 1);
      await client.events(source, sessionId, events);
      const { body } = await client.events(source, sessionId, events.slice(0, 1));
      assert.equal(integer(body, "accepted"), 1);
    },
  }),
  ...rule("8", "The debug endpoint reports the applicable limits of a source", {
    "both are positive": async (client) => {
      const { batchSize, payloadBytes } = await limitsOf(client, await client.source());
      assert.ok(batchSize > 0 && payloadBytes > 0);
    },
    "an attempt that was too large is shown": async (client) => {
      const source = await client.source();
      const { payloadBytes } = await limitsOf(client, source);
      const { body } = await client.ingest(bootstrapPath(source), " ".repeat(payloadBytes + 1));
      const attemptId = isObject(body) ? body.attemptId : undefined;
      assert.ok(
        [...namedValuesIn(await client.view("debug", source))].some(([, value]) => value === attemptId),
      );
    },
  }),
  ...rule("8", "Request-rate limits exist: a client that does not pace itself does not meet them", {
    "200 bootstraps at once": async (client) => {
      const source = await client.source();
      const sent = Array.from({ length: 200 }, () =>
        client.bootstrap(source, { anonymousId: fresh("anon") }),
      );
      for (const answer of await Promise.all(sent)) status(answer, 200);
    },
    "100 reads of the list after each other": async (client) => {
      for (let count = 0; count < 100; count += 1)
        await client.listed(client.stranger.organizationId, client.stranger.token);
    },
  }),
];

/** Unknown keys have the strictest rate, and a client needs none. */
async function limited(client: SpecClient) {
  const guesses = Array.from({ length: 100 }, () =>
    client.bootstrap({ sourceId: "", publicKey: fresh("pk_guess"), organizationId: "" }),
  );
  const answers = await Promise.all(guesses);
  return answers.filter((answer) => answer.status === 429);
}

export const RATE_LIMITS: SpecCheck[] = [
  ...rule("7", "429: request-rate limit reached", {
    "100 unknown keys at once": async (client) => assert.ok((await limited(client)).length > 0),
    "the answer is structured": async (client) => {
      for (const { body } of await limited(client)) assert.ok(isObject(body));
    },
    "a known key is not affected": async (client) => {
      const source = await client.source();
      await limited(client);
      succeeded(await client.bootstrap(source));
    },
  }),
];
