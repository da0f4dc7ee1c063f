/** Sections 2.8 and 6: duplicates and retries. */
import assert from "node:assert/strict";
import { fresh } from "../support/world.ts";
import { at, cases, integer, list, rule, type SpecCheck, show, status, text } from "./check.ts";
import {
  eventsBody,
  eventsPath,
  type Fields,
  pageEvent,
  rejectedEvent,
  type SpecAnswer,
  type SpecClient,
  type SpecSource,
  trackEvent,
} from "./client.ts";

const counts = ({ body, text: shown }: SpecAnswer) => {
  assert.ok(body, shown);
  return [integer(body, "accepted"), integer(body, "duplicates"), integer(body, "rejected")];
};

const outcomes = ({ body }: SpecAnswer) => list(body, "results").map((one) => at(one, "status"));

async function opened(client: SpecClient) {
  const source = await client.source();
  const sessionId = await client.session(source);
  const send = (events: Fields[], over: Fields = {}) => client.events(source, sessionId, events, over);
  return { source, sessionId, send };
}

type Mix = [accepted: number, duplicates: number, rejected: number];

const MIXES: Record<string, Mix> = {
  "one accepted": [1, 0, 0],
  "one duplicate": [0, 1, 0],
  "one rejected": [0, 0, 1],
  "one of each": [1, 1, 1],
  "accepted and duplicates": [3, 2, 0],
  "accepted and rejected": [2, 0, 3],
  "duplicates and rejected": [0, 2, 2],
  "many of each": [20, 10, 5],
};

async function sendMix(client: SpecClient, [accepted, duplicates, rejected]: Mix) {
  const { send } = await opened(client);
  const make = (length: number, one = trackEvent) => Array.from({ length }, () => one());
  const known = make(duplicates);
  if (known.length > 0) await send(known);
  return send([...make(accepted), ...known, ...make(rejected, rejectedEvent)]);
}

type Repeat = (
  client: SpecClient,
  source: SpecSource,
  sessionId: string,
  event: Fields,
) => Promise<SpecAnswer>;

/** Ways in which an event that was accepted can come again. */
const REPEATS: Record<string, Repeat> = {
  "in another batch": (client, source, sessionId, event) => client.events(source, sessionId, [event]),
  "with other properties": (client, source, sessionId, event) =>
    client.events(source, sessionId, [{ ...event, properties: { plan: "free" } }]),
  "with another timestamp": (client, source, sessionId, event) =>
    client.events(source, sessionId, [{ ...event, timestamp: new Date(Date.now() - 60_000).toISOString() }]),
  "after the session was resumed": async (client, source, sessionId, event) => {
    await client.bootstrap(source, { sessionId });
    return client.events(source, sessionId, [event]);
  },
  "after the key was rotated": async (client, source, sessionId, event) =>
    client.events(await client.rotated(source), sessionId, [event]),
  "by a legacy route": (client, source, sessionId, event) =>
    client.ingest(`/api/ingest/${source.publicKey}/events`, eventsBody(sessionId, [event])),
  "after 20 other events": async (client, source, sessionId, event) => {
    await client.events(
      source,
      sessionId,
      Array.from({ length: 20 }, () => trackEvent()),
    );
    return client.events(source, sessionId, [event]);
  },
};

async function repeat(client: SpecClient, again: Repeat) {
  const { source, sessionId, send } = await opened(client);
  const event = trackEvent();
  const first = await send([event]);
  return { event, first, second: await again(client, source, sessionId, event) };
}

export const DEDUPLICATION: SpecCheck[] = [
  ...rule(
    "6",
    "Each event is reported in results as accepted, duplicate or rejected; counts are in accepted, duplicates, rejected",
    cases(MIXES, async (mix, client) => assert.deepEqual(counts(await sendMix(client, mix)), mix)),
  ),
  ...rule(
    "2.8",
    "results: one entry per event, whose statuses are those of the counts",
    cases(MIXES, async (mix, client) => {
      const answer = await sendMix(client, mix);
      const found = outcomes(answer);
      const each = ["accepted", "duplicate", "rejected"].map(
        (one) => found.filter((outcome) => outcome === one).length,
      );
      assert.deepEqual(each, mix);
    }),
  ),
  ...rule(
    "6",
    "An event is reported as duplicate: the same id again",
    cases(REPEATS, async (again, client) => {
      const { second } = await repeat(client, again);
      assert.deepEqual([counts(second), outcomes(second)], [[0, 1, 0], ["duplicate"]]);
    }),
  ),
  ...rule(
    "2.8",
    "analyticsEventId: stored event identifier, of a duplicate that of the event stored first",
    cases(REPEATS, async (again, client) => {
      const { first, second } = await repeat(client, again);
      const stored = [first, second].map(({ body }) => text(body, "results", 0, "analyticsEventId"));
      assert.equal(stored[1], stored[0]);
    }),
  ),
  ...rule("2.8", "Result entry of a duplicate", {
    "eventId is the client event id": async (client) => {
      const { event, second } = await repeat(client, (again, source, sessionId, one) =>
        again.events(source, sessionId, [one]),
      );
      assert.equal(at(second.body, "results", 0, "eventId"), event.id);
    },
    "name is the normalized name": async (client) => {
      const { send } = await opened(client);
      const event = pageEvent();
      await send([event]);
      assert.equal(at((await send([event])).body, "results", 0, "name"), "page_view");
    },
    "ok is true for a batch of duplicates": async (client) => {
      const { second } = await repeat(client, (again, source, sessionId, one) =>
        again.events(source, sessionId, [one]),
      );
      assert.deepEqual([second.status, at(second.body, "ok")], [200, true]);
    },
  }),
  ...rule("6", "duplicate: retries of a batch", {
    "the same batch twice": async (client) => {
      const { source, sessionId } = await opened(client);
      const body = eventsBody(sessionId, [trackEvent(), pageEvent(), trackEvent()]);
      assert.deepEqual(counts(await client.ingest(eventsPath(source), body)), [3, 0, 0]);
      assert.deepEqual(counts(await client.ingest(eventsPath(source), body)), [0, 3, 0]);
    },
    "the same batch five times": async (client) => {
      const { source, sessionId } = await opened(client);
      const body = eventsBody(sessionId, [trackEvent()]);
      let accepted = 0;
      for (let count = 0; count < 5; count += 1)
        accepted += counts(await client.ingest(eventsPath(source), body))[0] ?? 0;
      assert.equal(accepted, 1);
    },
    "the same batch ten times at once": async (client) => {
      const { source, sessionId } = await opened(client);
      const body = eventsBody(sessionId, [trackEvent()]);
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => client.ingest(eventsPath(source), body)),
      );
      for (const answer of answers) status(answer, 200);
      assert.equal(answers.filter((answer) => counts(answer)[0] === 1).length, 1);
    },
    "the same event in ten batches at once": async (client) => {
      const { send } = await opened(client);
      const event = trackEvent();
      const answers = await Promise.all(Array.from({ length: 10 }, () => send([event])));
      assert.equal(answers.filter((answer) => counts(answer)[0] === 1).length, 1);
      const stored = answers.map(({ body }) => at(body, "results", 0, "analyticsEventId"));
      assert.equal(new Set(stored).size, 1, show(stored));
    },
    "the batchId of an earlier batch with new events": async (client) => {
      const { send } = await opened(client);
      const batchId = fresh("batch");
      await send([trackEvent()], { batchId });
      assert.deepEqual(counts(await send([trackEvent()], { batchId })), [1, 0, 0]);
    },
    "an earlier batch with one event more": async (client) => {
      const { send } = await opened(client);
      const event = trackEvent();
      await send([event]);
      assert.deepEqual(counts(await send([event, trackEvent()])), [1, 1, 0]);
    },
    "an event whose batch had a rejected one": async (client) => {
      const { send } = await opened(client);
      const event = trackEvent();
      await send([event, rejectedEvent()]);
      assert.deepEqual(counts(await send([event])), [0, 1, 0]);
    },
  }),
  ...rule("6", "duplicate: the same id within one batch", {
    "the first is accepted, the second a duplicate": async (client) => {
      const { send } = await opened(client);
      const event = trackEvent();
      const answer = await send([event, event]);
      assert.deepEqual(
        [counts(answer), outcomes(answer)],
        [
          [1, 1, 0],
          ["accepted", "duplicate"],
        ],
      );
    },
    "three times": async (client) => {
      const { send } = await opened(client);
      const event = pageEvent();
      assert.deepEqual(counts(await send([event, event, event])), [1, 2, 0]);
    },
    "another letter case is another id": async (client) => {
      const { send } = await opened(client);
      const id = fresh("Evt");
      assert.deepEqual(
        counts(await send([trackEvent({ id }), trackEvent({ id: id.toUpperCase() })])),
        [2, 0, 0],
      );
    },
  }),
];
