/** Sections 4.3 and 9: versions of the ingest contract and the legacy routes. */
import assert from "node:assert/strict";
import {
  at,
  cases,
  integer,
  invalidPayload,
  rule,
  type SpecCheck,
  status,
  succeeded,
  text,
} from "./check.ts";
import {
  bootstrapBody,
  eventsBody,
  eventsPath,
  type Fields,
  pageEvent,
  rejectedEvent,
  type SpecClient,
  type SpecSource,
  trackEvent,
} from "./client.ts";

const legacyBootstrap = (client: SpecClient, { publicKey }: SpecSource, over: Fields = {}) =>
  client.ingest(`/api/ingest/${publicKey}/bootstrap`, bootstrapBody(over));
const legacyEvents = (
  client: SpecClient,
  { publicKey }: SpecSource,
  sessionId: string,
  events: unknown[],
  over: Fields = {},
) => client.ingest(`/api/ingest/${publicKey}/events`, eventsBody(sessionId, events, over));

const BOOTSTRAP_FAULTS: Record<string, Fields> = {
  "anonymousId missing": { anonymousId: undefined },
  "page missing": { page: undefined },
};

const EVENTS_FAULTS: Record<string, Fields> = {
  "batchId missing": { batchId: undefined },
  "sentAt missing": { sentAt: undefined },
  "anonymousId missing": { anonymousId: undefined },
  "events empty": { events: [] },
};

const OTHER_VERSIONS = { v1: "v1", v3: "v3", V2: "version2" };

const ANSWER = ["ok", "attemptId", "ingestVersion", "sourceId", "sessionId", "anonymousId", "ingestUrl"];

export const VERSIONING: SpecCheck[] = [
  ...rule("4.3", "Legacy routes remain as compatibility paths", {
    "bootstrap opens a session": async (client) => {
      const answer = await legacyBootstrap(client, await client.source());
      status(answer, 200);
      text(answer.body, "sessionId");
    },
    "bootstrap resumes a session": async (client) => {
      const source = await client.source();
      const sessionId = await client.session(source);
      assert.equal(at((await legacyBootstrap(client, source, { sessionId })).body, "sessionId"), sessionId);
    },
    "bootstrap answers the members of section 2.5": async (client) => {
      const { body } = await legacyBootstrap(client, await client.source());
      for (const member of ANSWER) assert.notEqual(at(body, member), undefined, member);
    },
    "the ingestUrl of a legacy bootstrap takes the events of a client without versions": async (client) => {
      const old = { ingestVersion: undefined, sdkVersion: undefined };
      const { body } = await legacyBootstrap(client, await client.source(), old);
      const sent = eventsBody(text(body, "sessionId"), [trackEvent()], old);
      assert.equal(integer((await client.ingest(text(body, "ingestUrl"), sent)).body, "accepted"), 1);
    },
    "the ingestUrl of a legacy bootstrap takes events": async (client) => {
      const { body } = await legacyBootstrap(client, await client.source());
      const sent = eventsBody(text(body, "sessionId"), [trackEvent()]);
      assert.equal(integer((await client.ingest(text(body, "ingestUrl"), sent)).body, "accepted"), 1);
    },
    "events are accepted": async (client) => {
      const source = await client.source();
      const { body } = await legacyEvents(client, source, await client.session(source), [
        pageEvent(),
        trackEvent(),
      ]);
      assert.equal(integer(body, "accepted"), 2);
    },
    "a session of a legacy bootstrap takes v2 events": async (client) => {
      const source = await client.source();
      const sessionId = text((await legacyBootstrap(client, source)).body, "sessionId");
      const { body } = await client.ingest(eventsPath(source), eventsBody(sessionId, [trackEvent()]));
      assert.equal(integer(body, "accepted"), 1);
    },
    "an event of a legacy route is a duplicate on v2": async (client) => {
      const source = await client.source();
      const sessionId = await client.session(source);
      const event = trackEvent();
      await legacyEvents(client, source, sessionId, [event]);
      assert.equal(integer((await client.events(source, sessionId, [event])).body, "duplicates"), 1);
    },
    "a rejected event": async (client) => {
      const source = await client.source();
      const sessionId = await client.session(source);
      const { body } = await legacyEvents(client, source, sessionId, [rejectedEvent()]);
      assert.equal(integer(body, "rejected"), 1);
    },
    "an unknown session is 403": async (client) =>
      status(await legacyEvents(client, await client.source(), "ses_nobody", [trackEvent()]), 403),
  }),
  ...rule(
    "4.3",
    "Legacy routes remain as compatibility paths: old clients send neither ingestVersion nor sdkVersion",
    {
      bootstrap: async (client) => {
        const over = { ingestVersion: undefined, sdkVersion: undefined };
        status(await legacyBootstrap(client, await client.source(), over), 200);
      },
      events: async (client) => {
        const source = await client.source();
        const over = { ingestVersion: undefined, sdkVersion: undefined };
        const { body } = await legacyEvents(
          client,
          source,
          await client.session(source),
          [trackEvent()],
          over,
        );
        assert.equal(integer(body, "accepted"), 1);
      },
    },
  ),
  ...rule(
    "4.3",
    "Legacy routes: an invalid bootstrap payload is 422",
    cases(BOOTSTRAP_FAULTS, async (over, client) =>
      invalidPayload(await legacyBootstrap(client, await client.shared(), over)),
    ),
  ),
  ...rule(
    "4.3",
    "Legacy routes: an invalid events payload is 422",
    cases(EVENTS_FAULTS, async (over, client) => {
      const source = await client.shared();
      const sessionId = await client.sharedSession(source);
      invalidPayload(
        await client.ingest(
          `/api/ingest/${source.publicKey}/events`,
          eventsBody(sessionId, [trackEvent()], over),
        ),
      );
    }),
  ),
  ...rule(
    "9",
    "The ingest contract version is 2. It appears in the path: no other version is served",
    cases(OTHER_VERSIONS, async (version, client) => {
      const { publicKey } = await client.source();
      status(await client.ingest(`/api/ingest/${version}/${publicKey}/bootstrap`, bootstrapBody()), 403, 404);
    }),
  ),
  ...rule("9", "ingestVersion must equal 2 in both request bodies", {
    "a bootstrap with 2": async (client) =>
      succeeded(await client.bootstrap(await client.source(), { ingestVersion: 2 })),
    "events with 2": async (client) => {
      const source = await client.source();
      succeeded(
        await client.events(source, await client.session(source), [trackEvent()], { ingestVersion: 2 }),
      );
    },
  }),
  ...rule("4.3", "New installs use the v2 routes only", {
    "the install payload does not name a legacy route": async (client) => {
      const source = await client.source();
      const install = JSON.stringify(await client.view("install", source));
      assert.ok(!install.includes(`/api/ingest/${source.publicKey}`));
    },
    "the ingestUrl of a bootstrap is a v2 route": async (client) => {
      const { body } = await client.bootstrap(await client.source());
      assert.match(text(body, "ingestUrl"), /\/api\/ingest\/v2\//);
    },
  }),
];
