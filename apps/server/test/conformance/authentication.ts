/** Section 5: bearer tokens, permissions and the public key. */
import assert from "node:assert/strict";
import { at, cases, integer, rule, type SpecCheck, status, succeeded } from "./check.ts";
import { ORIGIN, ROUTES, type SpecAnswer, type SpecClient, type SpecSource, trackEvent } from "./client.ts";

interface Endpoint {
  method: string;
  path(source: SpecSource): string;
  body?(source: SpecSource): unknown;
}

const SOURCES = "/api/tracking-sources";

const READS: Record<string, Endpoint> = {
  list: { method: "GET", path: ({ organizationId }) => `${SOURCES}?organizationId=${organizationId}` },
  install: { method: "GET", path: ({ sourceId }) => `${SOURCES}/${sourceId}/install` },
  debug: { method: "GET", path: ({ sourceId }) => `${SOURCES}/${sourceId}/debug` },
};

const WRITES: Record<string, Endpoint> = {
  create: {
    method: "POST",
    path: () => SOURCES,
    body: ({ organizationId }) => ({ organizationId, name: "By another", allowedOrigins: [ORIGIN] }),
  },
  update: {
    method: "PATCH",
    path: ({ sourceId }) => `${SOURCES}/${sourceId}`,
    body: ({ organizationId }) => ({ organizationId, name: "By another" }),
  },
  "regenerate-key": { method: "POST", path: ({ sourceId }) => `${SOURCES}/${sourceId}/regenerate-key` },
};

const ENDPOINTS = { ...READS, ...WRITES };

type Bearer = (client: SpecClient, source: SpecSource) => Record<string, string>;

const NO_TOKENS: Record<string, Bearer> = {
  "no header": () => ({}),
  "an unknown token": () => ({ authorization: "Bearer hwt_unknown" }),
  "no token after Bearer": () => ({ authorization: "Bearer " }),
  "the token without a scheme": ({ ownerToken }) => ({ authorization: ownerToken }),
  "basic authentication": ({ ownerToken }) => ({
    authorization: `Basic ${Buffer.from(`owner:${ownerToken}`).toString("base64")}`,
  }),
  "the token with one character more": ({ ownerToken }) => ({ authorization: `Bearer ${ownerToken}x` }),
  "the token as a cookie": ({ ownerToken }) => ({
    cookie: `token=${ownerToken}; access_token=${ownerToken}`,
  }),
  "the public key": (_, { publicKey }) => ({ authorization: `Bearer ${publicKey}` }),
};

function request(
  client: SpecClient,
  endpoint: Endpoint,
  source: SpecSource,
  headers: Record<string, string>,
): Promise<SpecAnswer> {
  const body = endpoint.body?.(source);
  const sent = { token: null, headers };
  return client.call(endpoint.method, endpoint.path(source), body === undefined ? sent : { ...sent, body });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function unauthorized(client: SpecClient, endpoint: Endpoint, who: Bearer) {
  const source = await client.source();
  const answer = await request(client, endpoint, source, who(client, source));
  status(answer, 401);
  assert.match(answer.text, /unauthorized/i);
}

const UNAUTHORIZED = Object.entries(NO_TOKENS).flatMap(([name, who]) =>
  rule(
    "5",
    `A missing or invalid bearer token gives HTTP 401 unauthorized: ${name}`,
    cases(ENDPOINTS, (endpoint, client) => unauthorized(client, endpoint, who)),
  ),
);

async function forbidden(client: SpecClient, endpoint: Endpoint, token: string) {
  const source = await client.source();
  const before = await client.shown(source);
  const count = (await client.listed()).length;
  const answer = await request(client, endpoint, source, bearer(token));
  status(answer, 403);
  assert.match(answer.text, /forbidden/i);
  assert.deepEqual(await client.shown(source), before);
  assert.equal((await client.listed()).length, count);
}

const KEY_AS_ID = {
  install: READS.install,
  debug: READS.debug,
  update: WRITES.update,
  "regenerate-key": WRITES["regenerate-key"],
};

interface IngestToken {
  headers(client: SpecClient): Record<string, string>;
  status: number;
}

/** Ingest needs no token. One that is sent is checked (docs/api/ingest.md): a server can have its own. */
const TOKENS_OF_INGEST: Record<string, IngestToken> = {
  "no header": { headers: () => ({}), status: 200 },
  "another scheme": { headers: () => ({ authorization: "Basic cHJveHk6cGFzcw==" }), status: 200 },
  "an invalid token": { headers: () => bearer("hwt_unknown"), status: 401 },
  "a member's token": { headers: ({ viewer }) => bearer(viewer), status: 403 },
  "a token of another service": { headers: () => bearer("eyJhbGciOiJub25lIn0.e30.c2ln"), status: 200 },
  "no token after Bearer": { headers: () => bearer("undefined"), status: 200 },
};

export const AUTHENTICATION: SpecCheck[] = [
  ...UNAUTHORIZED,
  ...rule(
    "4",
    "Workspace endpoints require Authorization: Bearer <ACCESS_TOKEN>",
    cases(ENDPOINTS, async (endpoint, client) => {
      const source = await client.source();
      succeeded(await request(client, endpoint, source, bearer(client.ownerToken)));
    }),
  ),
  ...rule(
    "5",
    "An authenticated user lacking the required workspace permission gets HTTP 403 Forbidden: a viewer",
    cases(WRITES, (endpoint, client) => forbidden(client, endpoint, client.viewer)),
  ),
  ...rule(
    "5",
    "An authenticated user lacking the required workspace permission gets HTTP 403 Forbidden: a user of another workspace",
    cases(ENDPOINTS, (endpoint, client) => forbidden(client, endpoint, client.stranger.token)),
  ),
  ...rule("7", "401: missing or invalid bearer token; nothing is changed", {
    create: async (client) => {
      const count = (await client.listed()).length;
      status(await client.create({}, "hwt_unknown"), 401);
      assert.equal((await client.listed()).length, count);
    },
    update: async (client) => {
      const source = await client.source();
      status(await client.patch(source, { name: "X" }, "hwt_unknown"), 401);
      assert.equal(at(await client.shown(source), "name"), "Shop");
    },
    "regenerate-key": async (client) => {
      const source = await client.source();
      status(await client.regenerate(source, { token: null }), 401);
      succeeded(await client.bootstrap(source));
    },
  }),
  ...rule(
    "5",
    "The public key grants no workspace-management access: in the place of the sourceId",
    cases(KEY_AS_ID, async (endpoint, client) => {
      assert.ok(endpoint);
      const source = await client.source();
      const wrong = { ...source, sourceId: source.publicKey };
      status(await request(client, endpoint, wrong, bearer(client.ownerToken)), 403, 404);
    }),
  ),
  ...Object.entries(TOKENS_OF_INGEST).flatMap(([name, token]) =>
    rule(
      "4.2",
      `Public ingest endpoints: no bearer token is needed: ${name}`,
      cases({ bootstrap: ROUTES.bootstrap, events: ROUTES.events }, async ({ path, body }, client) => {
        const source = await client.source();
        const sent = body(await client.session(source));
        const headers = { origin: ORIGIN, ...token.headers(client) };
        status(await client.ingest(path(source), sent, headers), token.status);
      }),
    ),
  ),
  ...rule("4.2", "The source is identified by :publicKey in the path", {
    "a bootstrap with the sourceId instead is refused": async (client) => {
      const source = await client.source();
      status(await client.bootstrap({ ...source, publicKey: source.sourceId }), 404);
    },
    "events with the sourceId instead are refused": async (client) => {
      const source = await client.source();
      const sessionId = await client.session(source);
      status(await client.events({ ...source, publicKey: source.sourceId }, sessionId, [trackEvent()]), 404);
    },
    "the answer names the source of the key": async (client) => {
      const source = await client.source();
      const { body } = await client.events(source, await client.session(source), [trackEvent()]);
      assert.deepEqual([at(body, "sourceId"), integer(body, "accepted")], [source.sourceId, 1]);
    },
  }),
];
