/** Sections 2.1, 4.2 and 7: the origin of a request. */
import assert from "node:assert/strict";
import { cases, invalidPayload, isObject, rule, type SpecCheck, status, succeeded } from "./check.ts";
import {
  bootstrapPath,
  eventsBody,
  eventsPath,
  ORIGIN,
  ROUTES,
  type SpecClient,
  type SpecRoute,
  trackEvent,
} from "./client.ts";

interface OriginCase {
  allowed: string[];
  origin: string;
}

const PERMITTED: Record<string, OriginCase> = {
  "the only origin": { allowed: [ORIGIN], origin: ORIGIN },
  "the first of three": {
    allowed: ["https://a.example", "https://b.example", "https://c.example"],
    origin: "https://a.example",
  },
  "the last of three": {
    allowed: ["https://a.example", "https://b.example", "https://c.example"],
    origin: "https://c.example",
  },
  "with a port": { allowed: ["https://shop.example:8443"], origin: "https://shop.example:8443" },
  "localhost with a port": { allowed: ["http://localhost:3000"], origin: "http://localhost:3000" },
  "an IPv4 address": { allowed: ["http://127.0.0.1:5173"], origin: "http://127.0.0.1:5173" },
};

const MISMATCHES: Record<string, OriginCase> = {
  "another host": { allowed: [ORIGIN], origin: "https://evil.example" },
  "another scheme": { allowed: [ORIGIN], origin: "http://shop.example" },
  "a port more": { allowed: [ORIGIN], origin: "https://shop.example:8443" },
  "a port less": { allowed: ["http://localhost:3000"], origin: "http://localhost" },
  "another port": { allowed: ["http://localhost:3000"], origin: "http://localhost:3001" },
  "a subdomain": { allowed: [ORIGIN], origin: "https://www.shop.example" },
  "a host that ends so": { allowed: [ORIGIN], origin: "https://evilshop.example" },
  "a host that begins so": { allowed: [ORIGIN], origin: "https://shop.example.evil.example" },
  null: { allowed: [ORIGIN], origin: "null" },
  "no origin is permitted": { allowed: [], origin: ORIGIN },
};

/** Opens the session from ORIGIN, then sends from the origin of the case. */
async function send(client: SpecClient, { path, body }: SpecRoute, { allowed, origin }: OriginCase) {
  const source = await client.source();
  const sessionId = await client.session(source);
  succeeded(await client.patch(source, { allowedOrigins: allowed }));
  return client.ingest(path(source), body(sessionId), { origin });
}

const permitted = (name: string, route: SpecRoute) =>
  rule(
    "2.1",
    `allowedOrigins: origins permitted to use the source: ${name}`,
    cases(PERMITTED, async (permission, client) => succeeded(await send(client, route, permission))),
  );

const mismatched = (name: string, route: SpecRoute) =>
  rule(
    "7",
    `403: ingest source protection check fails, for example origin mismatch: ${name}`,
    cases(MISMATCHES, async (permission, client) => status(await send(client, route, permission), 403)),
  );

const { bootstrap, events, ...LEGACY } = ROUTES;
const SECOND = "https://second.example";

export const ORIGINS: SpecCheck[] = [
  ...Object.entries({ bootstrap, events }).flatMap(([name, route]) => permitted(name, route)),
  ...Object.entries({ bootstrap, events }).flatMap(([name, route]) => mismatched(name, route)),
  ...rule(
    "4.3",
    "Legacy routes remain as compatibility paths: an origin mismatch gives 403",
    cases(LEGACY, async (route, client) => {
      const mismatch = { allowed: [ORIGIN], origin: "https://evil.example" };
      status(await send(client, route, mismatch), 403);
    }),
  ),
  ...rule(
    "4.2",
    "Public ingest endpoints: a server, which sends no Origin",
    cases(ROUTES, async ({ path, body }, client) => {
      const source = await client.source();
      succeeded(await client.ingest(path(source), body(await client.session(source)), {}));
    }),
  ),
  ...rule("2.1", "allowedOrigins: replaced on update", {
    "the new origin is permitted at once": async (client) => {
      const source = await client.source();
      await client.patch(source, { allowedOrigins: [SECOND] });
      succeeded(await client.bootstrap(source, {}, { origin: SECOND }));
    },
    "the old origin is refused at once": async (client) => {
      const source = await client.source();
      succeeded(await client.bootstrap(source));
      await client.patch(source, { allowedOrigins: [SECOND] });
      status(await client.bootstrap(source), 403);
    },
    "an origin added beside another": async (client) => {
      const source = await client.source();
      await client.patch(source, { allowedOrigins: [ORIGIN, SECOND] });
      succeeded(await client.bootstrap(source));
      succeeded(await client.bootstrap(source, {}, { origin: SECOND }));
    },
    "an update of the name leaves them": async (client) => {
      const source = await client.source();
      await client.patch(source, { name: "Renamed" });
      succeeded(await client.bootstrap(source));
    },
    "an origin put back is permitted again": async (client) => {
      const source = await client.source();
      await client.patch(source, { allowedOrigins: [] });
      await client.patch(source, { allowedOrigins: [ORIGIN] });
      succeeded(await client.bootstrap(source));
    },
    "a session outlives the origin that opened it": async (client) => {
      const source = await client.source();
      const sessionId = await client.session(source);
      await client.patch(source, { allowedOrigins: [SECOND] });
      succeeded(
        await client.ingest(eventsPath(source), eventsBody(sessionId, [trackEvent()]), { origin: SECOND }),
      );
    },
  }),
  ...rule("4.2", "Bootstrap validates the source, validates the origin", {
    "an invalid payload from an allowed origin is 422": async (client) =>
      invalidPayload(await client.bootstrap(await client.source(), { page: undefined })),
    "a mismatch leaves no session behind": async (client) => {
      const { body } = await client.bootstrap(await client.source(), {}, { origin: "https://evil.example" });
      assert.ok(isObject(body) && typeof body.sessionId !== "string");
    },
    "events of a mismatch are not stored": async (client) => {
      const source = await client.source();
      const sessionId = await client.session(source);
      const sent = eventsBody(sessionId, [trackEvent()]);
      await client.ingest(eventsPath(source), sent, { origin: "https://evil.example" });
      const { body } = await client.ingest(eventsPath(source), sent);
      assert.deepEqual(isObject(body) && [body.accepted, body.duplicates], [1, 0]);
    },
  }),
  ...rule(
    "1",
    "Tracked applications send data to the public ingest API, from a browser on an allowed origin",
    {
      "the answer of bootstrap can be read by the page": async (client) => {
        const { headers } = await client.bootstrap(await client.source());
        assert.ok(["*", ORIGIN].includes(headers.get("access-control-allow-origin") ?? ""));
      },
      "the answer of events can be read by the page": async (client) => {
        const source = await client.source();
        const { headers } = await client.events(source, await client.session(source), [trackEvent()]);
        assert.ok(["*", ORIGIN].includes(headers.get("access-control-allow-origin") ?? ""));
      },
      "the preflight of a JSON request succeeds": async (client) => {
        const headers = {
          origin: ORIGIN,
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type",
        };
        const path = bootstrapPath(await client.source());
        const response = await client.call("OPTIONS", path, { token: null, headers });
        status(response, 200, 204);
        assert.match(response.headers.get("access-control-allow-headers") ?? "", /content-type|\*/i);
      },
    },
  ),
];
