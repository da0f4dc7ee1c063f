/** Section 1: each call is scoped to a workspace, and ingest to a source. */
import assert from "node:assert/strict";
import { fresh } from "../support/world.ts";
import { at, cases, contains, integer, rule, type SpecCheck, status, succeeded, text } from "./check.ts";
import { ORIGIN, type SpecClient, trackEvent } from "./client.ts";

async function twoSources(client: SpecClient) {
  const [first, second] = [await client.source(), await client.source()];
  return { first, second, sessionId: await client.session(first) };
}

const CALLS: Record<string, (sourceId: string, organizationId: string) => [string, string, unknown]> = {
  update: (id, organizationId) => ["PATCH", `/api/tracking-sources/${id}`, { organizationId, name: "Taken" }],
  install: (id, org) => ["GET", `/api/tracking-sources/${id}/install?organizationId=${org}`, undefined],
  debug: (id, org) => ["GET", `/api/tracking-sources/${id}/debug?organizationId=${org}`, undefined],
  "regenerate-key": (id, organizationId) => [
    "POST",
    `/api/tracking-sources/${id}/regenerate-key?organizationId=${organizationId}`,
    { organizationId },
  ],
};

export const ISOLATION: SpecCheck[] = [
  ...rule(
    "1",
    "Each call is scoped to a workspace through organizationId: a stranger's call with the own organizationId on another workspace's source",
    cases(CALLS, async (call, client) => {
      const source = await client.source();
      const before = await client.shown(source);
      const { token, organizationId } = client.stranger;
      const [method, path, body] = call(source.sourceId, organizationId);
      const answer = await client.call(method, path, body === undefined ? { token } : { token, body });
      status(answer, 403, 404);
      assert.ok(!answer.text.includes(source.publicKey));
      assert.deepEqual(await client.shown(source), before);
    }),
  ),
  ...rule("1", "Each call is scoped to a workspace through organizationId", {
    "a stranger's list has none of the workspace's sources": async (client) => {
      const { sourceId } = await client.source();
      const { token, organizationId } = client.stranger;
      assert.ok(!contains(await client.listed(organizationId, token), sourceId));
    },
    "the workspace's list has none of a stranger's sources": async (client) => {
      const { token, organizationId } = client.stranger;
      const { sourceId } = await client.source({ organizationId }, token);
      assert.ok(!contains(await client.listed(), sourceId));
    },
    "a stranger creates in the own workspace": async (client) => {
      const { token, organizationId } = client.stranger;
      const answer = await client.create({ organizationId }, token);
      succeeded(answer);
      assert.equal(at(answer.body, "organizationId"), organizationId);
    },
    "the owner cannot list a workspace of strangers": async (client) => {
      const path = `/api/tracking-sources?organizationId=${client.stranger.organizationId}`;
      status(await client.call("GET", path), 403);
    },
    "the owner cannot create in a workspace of strangers": async (client) =>
      status(await client.create({ organizationId: client.stranger.organizationId }), 403),
    "two workspaces can use the same slug": async (client) => {
      const { token, organizationId } = client.stranger;
      const slug = fresh("common");
      await client.source({ slug });
      await client.source({ organizationId, slug }, token);
    },
    "two workspaces can use the same name and origin": async (client) => {
      const { token, organizationId } = client.stranger;
      await client.source({ name: "Common" });
      await client.source({ organizationId, name: "Common" }, token);
    },
  }),
  ...rule("7", "403: invalid session for the source", {
    "events with a session of another source": async (client) => {
      const { second, sessionId } = await twoSources(client);
      status(await client.events(second, sessionId, [trackEvent()]), 403);
    },
    "events with a session of another workspace's source": async (client) => {
      const { token, organizationId } = client.stranger;
      const theirs = await client.source({ organizationId }, token);
      status(await client.events(await client.source(), await client.session(theirs), [trackEvent()]), 403);
    },
    "events with a session that nobody opened": async (client) =>
      status(await client.events(await client.source(), "ses_nobody", [trackEvent()]), 403),
    "events with the anonymousId as session": async (client) => {
      const { first } = await twoSources(client);
      status(await client.events(first, "anon_1", [trackEvent()]), 403);
    },
    "the session still takes events of its own source": async (client) => {
      const { first, second, sessionId } = await twoSources(client);
      await client.events(second, sessionId, [trackEvent()]);
      assert.equal(integer((await client.events(first, sessionId, [trackEvent()])).body, "accepted"), 1);
    },
    "an event that was refused in this way is not a duplicate later": async (client) => {
      const { first, second, sessionId } = await twoSources(client);
      const event = trackEvent();
      await client.events(second, sessionId, [event]);
      assert.equal(integer((await client.events(first, sessionId, [event])).body, "accepted"), 1);
    },
  }),
  ...rule("4.2", "Bootstrap creates or resumes a session for the source", {
    "a session of another source is not resumed": async (client) => {
      const { second, sessionId } = await twoSources(client);
      assert.notEqual(at((await client.bootstrap(second, { sessionId })).body, "sessionId"), sessionId);
    },
    "one visitor has two sessions in two sources": async (client) => {
      const { second, sessionId } = await twoSources(client);
      assert.notEqual(await client.session(second), sessionId);
    },
  }),
  ...rule("2.7", "id: client-side event identifier", {
    "the same id in two sources is accepted in both": async (client) => {
      const { first, second, sessionId } = await twoSources(client);
      const event = trackEvent();
      await client.events(first, sessionId, [event]);
      const { body } = await client.events(second, await client.session(second), [event]);
      assert.equal(integer(body, "accepted"), 1);
    },
    "the same id in two sources is stored as two events": async (client) => {
      const { first, second, sessionId } = await twoSources(client);
      const event = trackEvent();
      const one = await client.events(first, sessionId, [event]);
      const other = await client.events(second, await client.session(second), [event]);
      const stored = [one, other].map(({ body }) => text(body, "results", 0, "analyticsEventId"));
      assert.notEqual(stored[0], stored[1]);
    },
    "the same batchId in two sources is accepted in both": async (client) => {
      const { first, second, sessionId } = await twoSources(client);
      const over = { batchId: fresh("batch") };
      await client.events(first, sessionId, [trackEvent()], over);
      const { body } = await client.events(second, await client.session(second), [trackEvent()], over);
      assert.equal(integer(body, "accepted"), 1);
    },
  }),
  ...rule("1", "A tracking source owns a debug history", {
    "it has no attempt of another source": async (client) => {
      const { first, second } = await twoSources(client);
      const { body } = await client.bootstrap(first);
      assert.ok(!contains(await client.view("debug", second), text(body, "attemptId")));
    },
    "it has no session of another source": async (client) => {
      const { second, sessionId } = await twoSources(client);
      assert.ok(!contains(await client.view("debug", second), sessionId));
    },
  }),
  ...rule("1", "A tracking source owns a list of allowed origins", {
    "the origin of one source does not open another": async (client) => {
      const { first } = await twoSources(client);
      const other = await client.source({ allowedOrigins: ["https://other.example"] });
      status(await client.bootstrap(other, {}, { origin: ORIGIN }), 403);
      succeeded(await client.bootstrap(first, {}, { origin: ORIGIN }));
    },
  }),
];
