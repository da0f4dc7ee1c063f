/**
 * Requests that are made from /openapi.json, valid ones and mutated ones, thrown at every route: none is answered with
 * a 5xx, and every answer is valid (`World` checks each). 2,000 of them, with TEST_LONG=1 20,000. A failure prints
 * its seed; FUZZ_SEED runs it again.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import {
  BROWSER,
  ORGANIZATION_ID,
  ORIGIN,
  OWNER_TOKEN,
  openWorld,
  type Reply,
  type World,
} from "../world.ts";
import { asText, mutated, type Real, type Schema, valid } from "./mutation.ts";

const RUNS = process.env.TEST_LONG === "1" ? 20_000 : 2_000;
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() & 0x7fffffff);
const LEAST_SHARE = 0.3;

interface Documented {
  operationId: string;
  parameters: { name: string; in: "path" | "query"; required: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}
interface Endpoint extends Documented {
  method: string;
  path: string;
}
interface Request {
  operationId: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** Answers that go on for ever have tests of their own. */
const ENDLESS = "streamDebug";

async function endpointsOf(world: World): Promise<Endpoint[]> {
  const { paths } = (await world.ask("/openapi.json")).body;
  return Object.entries(paths as Record<string, Record<string, Documented>>)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => ({ ...one, method: method.toUpperCase(), path })),
    )
    .filter(({ operationId }) => operationId !== ENDLESS);
}

/** What exists: the generator sends it where a schema only says `string`. */
interface Known {
  organizations: string[];
  sources: string[];
  keys: string[];
  sessions: string[];
  users: string[];
  tokens: string[];
  secrets: string[];
}

async function furnish(world: World): Promise<Known> {
  const known: Known = {
    organizations: [ORGANIZATION_ID],
    sources: [],
    keys: [],
    sessions: [],
    users: [],
    tokens: [],
    secrets: [OWNER_TOKEN],
  };
  const make = async (path: string, body: object) => (await world.ask(path, { method: "POST", body })).body;
  for (let count = 0; count < 30; count += 1) {
    const source = await world.createSource({ requireOrigin: false, allowedOrigins: ["*"] });
    known.sources.push(source.sourceId);
    known.keys.push(source.publicKey);
    if (count < 5) known.sessions.push(await world.openSession(source));
    const { userId } = await make("/api/members", { organizationId: ORGANIZATION_ID, role: "viewer" });
    const { tokenId, token } = await make("/api/tokens", {
      organizationId: ORGANIZATION_ID,
      userId,
      label: "fuzz",
    });
    known.users.push(userId);
    known.tokens.push(tokenId);
    if (count === 0) known.secrets.push(token);
  }
  return known;
}

const often = (likely: fc.Arbitrary<unknown>, seldom: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: likely }, { weight: 1, arbitrary: seldom });
/** Anything but `.` and `..`, which no client sends within a path. */
const words = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
  .filter((word) => !/^\.+$/.test(word));
const wild = fc.oneof(words, fc.constantFrom("__proto__", "null", "0", "x".repeat(300)));

/** Members by name: real ids where the schema says no more than `string`, now and then something else. */
function realOf(known: Known): Real {
  // one of the newest: what is deleted on the way is made good by what is made on the way
  const one = (of: string[]) =>
    often(
      fc.nat(29).map((back) => of.at(-1 - (back % of.length))),
      wild,
    );
  const time = fc
    .integer({ min: -9 * 86_400_000, max: 60_000 })
    .map((ago) => new Date(Date.now() + ago).toISOString());
  const now = fc.constant(null).map(() => new Date().toISOString());
  const title = fc
    .string({ minLength: 1, maxLength: 40 })
    .map((text) => `n${text.replace(/[^\x20-\x7e]/g, "")}`);
  return {
    organizationId: fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(...known.organizations) },
      { weight: 1, arbitrary: wild },
    ),
    sourceId: one(known.sources),
    publicKey: one(known.keys),
    sessionId: one(known.sessions),
    userId: one(known.users),
    tokenId: one(known.tokens),
    timestamp: often(time, wild),
    sentAt: often(now, time),
    expiresAt: fc.constantFrom("2099-01-01T00:00:00Z", null),
    email: fc.constantFrom("ann@mail.example", null),
    allowedOrigins: fc.constantFrom(["*"], [ORIGIN], []),
    type: fc.constantFrom("page", "track", "track", "identify"),
    page: fc.record({
      url: fc.constantFrom(`${ORIGIN}/a?utm_source=x`, "/b", ""),
      title,
      referrer: fc.constantFrom(null, "https://a.example"),
    }),
    id: fc.oneof(fc.uuid(), fc.constantFrom("known-1", "known-2")),
    name: title,
    label: title,
    from: fc.constant("2026-01-01"),
    to: fc.constant("2026-12-31"),
    cursor: fc.constantFrom("1", "999"),
    isActive: fc.constant(true),
    limits: fc.constantFrom({ maxBatchSize: 10 }, {}),
  };
}

/** A text as it may stand in a path or a query. */
const encoded = (value: unknown) => encodeURIComponent(String(value).toWellFormed());

function requestTo(endpoint: Endpoint, real: Real, known: Known): fc.Arbitrary<Request> {
  const parameters = endpoint.parameters.map((one) => {
    const value = real[one.name] ?? valid(one.schema, real);
    const sent =
      one.in === "path" ? value : one.required ? often(value, wild) : fc.option(value, { nil: undefined });
    return sent.map((text) => ({ ...one, text }));
  });
  const schema = endpoint.requestBody?.content["application/json"]?.schema;
  const fits = schema ? valid(schema, real) : fc.constant(undefined);
  const body = fits.chain((value) =>
    value === undefined
      ? fc.constant(undefined)
      : fc.oneof(
          { weight: 2, arbitrary: fc.constant(JSON.stringify(value)) },
          { weight: 1, arbitrary: mutated(value).chain(asText) },
        ),
  );
  const headers = fc.record({
    authorization: fc.oneof(
      {
        weight: 30,
        arbitrary: often(fc.constant(OWNER_TOKEN), fc.constantFrom(...known.secrets)).map(
          (token) => `Bearer ${token}`,
        ),
      },
      { weight: 1, arbitrary: fc.constantFrom("Bearer x", "Basic eA==") },
    ),
    prefer: fc.constantFrom("handling=lenient", "return=minimal"),
    origin: fc.constantFrom(ORIGIN, "null", "capacitor://localhost"),
  });
  return fc.tuple(fc.tuple(...parameters), body, headers).map(([given, text, sent]) => {
    const path = given.reduce((url, one) => url.replace(`{${one.name}}`, encoded(one.text)), endpoint.path);
    const query = given
      .filter((one) => one.in === "query" && one.text !== undefined)
      .map((one) => `${one.name}=${encoded(one.text)}`);
    const { operationId, method } = endpoint;
    const contentType: Record<string, string> =
      text === undefined ? {} : { "content-type": "application/json" };
    const request: Request = {
      operationId,
      method,
      path: query.length > 0 ? `${path}?${query.join("&")}` : path,
      headers: { "user-agent": BROWSER, ...sent, ...contentType },
    };
    return text === undefined ? request : { ...request, body: text };
  });
}

describe("Mutated requests at every route", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  it(`${RUNS} of them: no 5xx, every response valid against its schema`, async (t) => {
    const known = await furnish(world);
    const endpoints = await endpointsOf(world);
    const real = realOf(known);
    const statuses = new Map<number, number>();
    const asked = new Map<string, number>();
    let throughIngest = 0;

    const learn = (operationId: string, { status, body }: Reply) => {
      if (status >= 300) return;
      if (operationId === "createSource") known.sources.push(body.sourceId);
      if (operationId === "createSource" || operationId === "regenerateKey") known.keys.push(body.publicKey);
      if (operationId === "addMember") known.users.push(body.userId);
      if (operationId === "createToken") known.tokens.push(body.tokenId);
      if (/bootstrap/i.test(operationId)) known.sessions.push(body.sessionId);
      if (/events/i.test(operationId)) throughIngest += 1;
    };
    const throwOne = async ({ operationId, method, path, headers, body }: Request) => {
      const reply = await world.ask(path, {
        method,
        token: null,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      assert.ok(reply.status < 500, `${reply.status} ${JSON.stringify(reply.body)}`);
      learn(operationId, reply);
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      asked.set(operationId, (asked.get(operationId) ?? 0) + 1);
    };
    const ingest = endpoints.filter(({ path }) => path.startsWith("/api/ingest/"));
    const requests = fc
      .constantFrom(...endpoints, ...ingest, ...ingest, ...ingest)
      .chain((endpoint) => requestTo(endpoint, real, known));
    await fc.assert(fc.asyncProperty(requests, throwOne), { seed: SEED, numRuns: RUNS, endOnFailure: true });

    const refusedAtTheDoor = [401, 404, 415, 422].reduce(
      (sum, status) => sum + (statuses.get(status) ?? 0),
      0,
    );
    const share = 1 - refusedAtTheDoor / RUNS;
    t.diagnostic(
      `seed ${SEED}, ${RUNS} requests, ${Math.round(share * 100)} % got past validation, ${throughIngest} batches taken, by status ${JSON.stringify(Object.fromEntries([...statuses].sort()))}`,
    );
    assert.ok(share >= LEAST_SHARE, `only ${share} got past validation`);
    assert.ok(throughIngest > RUNS / 100, `only ${throughIngest} batches were taken`);
    for (const { operationId } of endpoints)
      assert.ok(asked.has(operationId), `${operationId} was not asked`);
    assert.equal((await world.ask("/readyz")).status, 200);
  });
});
