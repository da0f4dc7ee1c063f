/** Sections 3 and 5: a new public key. */
import assert from "node:assert/strict";
import { fresh } from "../support/world.ts";
import { at, cases, integer, rule, type SpecCheck, status, succeeded, text } from "./check.ts";
import { ROUTES, type SpecCall, type SpecClient, type SpecSource, trackEvent } from "./client.ts";

const CALLS: Record<string, (source: SpecSource) => SpecCall> = {
  "no body": () => ({}),
  "an empty object": () => ({ body: {} }),
  "organizationId in the body": ({ organizationId }) => ({ body: { organizationId } }),
  "a content type and no body": () => ({ headers: { "content-type": "application/json" } }),
};

async function rotation(client: SpecClient) {
  const before = await client.source({ slug: fresh("rotated"), frameworkHint: "react" });
  const sessionId = await client.session(before);
  return { before, sessionId, after: await client.rotated(before) };
}

const KEPT = ["sourceId", "organizationId", "name", "slug", "allowedOrigins", "frameworkHint", "isActive"];

export const KEY_ROTATION: SpecCheck[] = [
  ...rule(
    "4.1",
    "POST /api/tracking-sources/:sourceId/regenerate-key: no fields shown; source with rotated public key",
    cases(CALLS, async (call, client) => {
      const source = await client.source();
      const answer = await client.regenerate(source, call(source));
      succeeded(answer);
      assert.notEqual(text(answer.body, "publicKey"), source.publicKey);
    }),
  ),
  ...rule("4.1", "regenerate-key: whether organizationId is required is not shown", {
    "organizationId in the query": async (client) => {
      const { sourceId, organizationId } = await client.source();
      const path = `/api/tracking-sources/${sourceId}/regenerate-key?organizationId=${organizationId}`;
      succeeded(await client.call("POST", path));
    },
  }),
  ...rule(
    "3",
    "regenerate-key: same source, new public key",
    cases(Object.fromEntries(KEPT.map((field) => [`${field} stays`, field])), async (field, client) => {
      const source = await client.source({ slug: fresh("same"), frameworkHint: "react" });
      const before = await client.shown(source);
      const { body } = await client.regenerate(source);
      assert.deepEqual(at(body, field), at(before, field));
    }),
  ),
  ...rule(
    "5",
    "Rotating the public key cuts off an old install",
    cases(ROUTES, async ({ path, body }, client) => {
      const { before, sessionId } = await rotation(client);
      status(await client.ingest(path(before), body(sessionId)), 404);
    }),
  ),
  ...rule(
    "3",
    "regenerate-key: the new public key is the way to reach the source",
    cases(ROUTES, async ({ path, body }, client) => {
      const { after, sessionId } = await rotation(client);
      const answer = await client.ingest(path(after), body(sessionId));
      succeeded(answer);
      assert.equal(at(answer.body, "sourceId"), after.sourceId);
    }),
  ),
  ...rule("3", "regenerate-key: same source, new public key", {
    "the list has the new key": async (client) => {
      const { after } = await rotation(client);
      assert.equal(at(await client.shown(after), "publicKey"), after.publicKey);
    },
    "the install payload has the new key": async (client) => {
      const { after } = await rotation(client);
      assert.equal(at(await client.view("install", after), "publicKey"), after.publicKey);
    },
    "a session opened with the old key goes on with the new one": async (client) => {
      const { after, sessionId } = await rotation(client);
      const { body } = await client.events(after, sessionId, [trackEvent()]);
      assert.equal(integer(body, "accepted"), 1);
    },
    "bootstrap with the new key resumes a session of the old one": async (client) => {
      const { after, sessionId } = await rotation(client);
      const { body } = await client.bootstrap(after, { sessionId });
      assert.equal(at(body, "sessionId"), sessionId);
    },
    "each rotation gives another key": async (client) => {
      const { before, after } = await rotation(client);
      const again = await client.rotated(after);
      assert.equal(new Set([before.publicKey, after.publicKey, again.publicKey]).size, 3);
    },
    "the first key stays cut off after a second rotation": async (client) => {
      const { before, after } = await rotation(client);
      await client.rotated(after);
      status(await client.bootstrap(before), 404);
      status(await client.bootstrap(after), 404);
    },
    "the key of another source stays": async (client) => {
      const other = await client.source();
      await rotation(client);
      succeeded(await client.bootstrap(other));
    },
    "attempts with the old key stay in the debug history of the source": async (client) => {
      const before = await client.source();
      const { body } = await client.bootstrap(before);
      const after = await client.rotated(before);
      assert.ok(JSON.stringify(await client.view("debug", after)).includes(text(body, "attemptId")));
    },
    "of a source that does not exist": async (client) =>
      status(await client.call("POST", "/api/tracking-sources/src_nobody/regenerate-key"), 403, 404),
  }),
];
