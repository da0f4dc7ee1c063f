/**
 * Sends valid and mutated requests, generated from /openapi.json, to every route with tokens of every role. None may be
 * answered with a 5xx, and every answer must be valid (`World` checks each). One in 25 is pipelined, cut off or slow. Sends
 * 2,000 requests, 20,000 with TEST_LONG=1, or FUZZ_REQUESTS. A failure prints its seed; FUZZ_SEED repeats it.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { BROWSER, ORIGIN, OWNER_TOKEN, openWorld, type TestReply, type World } from "../support/world.ts";
import { furnish, type Known, newest, often, realOf, wild } from "./fuzz-furniture.ts";
import { createRawSender, MANNERS, type Manner } from "./fuzz-raw.ts";
import { asText, mutated, type Real, type Schema, valid } from "./mutation.ts";

/** With fewer requests, some operation gets none. */
const RUNS = Number(process.env.FUZZ_REQUESTS ?? (process.env.TEST_LONG === "1" ? 20_000 : 2_000));
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() & 0x7fffffff);
const LEAST_SHARE = 0.3;
/** Ids of that many things are kept; the newest of them are used. */
const MAX_KNOWN = 1_000;
const MAX_HEAP_GROWTH_MIB = 100;

/** Memory of the server and the test in MiB, after a garbage collection. */
function memoryNow() {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss: Math.round(rss / 1_048_576), heap: Math.round(heapUsed / 1_048_576) };
}

interface FuzzedOperation {
  operationId: string;
  parameters: { name: string; in: "path" | "query" | "header"; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}
interface FuzzedEndpoint extends FuzzedOperation {
  method: string;
  path: string;
}
interface Request {
  operationId: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  manner: Manner;
}

const IS_INGEST = /^\/api\/(?:ingest|compat)\//;

/** Streams have tests of their own. */
const ENDLESS = "streamDebug";

/** The schemas with the named ones in place of references. A filter contains filters: it is not expanded. */
function withoutRefs(value: unknown, named: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutRefs(item, named));
  if (typeof value !== "object" || value === null) return value;
  const name = "$ref" in value ? String(value.$ref).split("/").at(-1)! : null;
  if (name !== null) return name === "Filter" ? {} : withoutRefs(named[name], named);
  const { type, ...rest } = value as { type?: unknown };
  const parts = Object.fromEntries(
    Object.entries(rest).map(([key, part]) => [key, withoutRefs(part, named)]),
  );
  const [only, ...others] = Array.isArray(type) ? type : [type];
  // a type or null
  if (others.length === 1 && others[0] === "null")
    return { anyOf: [{ ...parts, type: only }, { type: "null" }] };
  return type === undefined ? parts : { ...parts, type };
}

async function endpointsOf(world: World): Promise<FuzzedEndpoint[]> {
  const document = (await world.ask("/openapi.json")).body;
  const bodies: unknown = withoutRefs(document.paths, {
    ...document.components.schemas,
    ...document.components.responses,
    ...document.components.headers,
    ...document.components.examples,
  });
  return Object.entries(bodies as Record<string, Record<string, FuzzedOperation>>)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => ({ ...one, method: method.toUpperCase(), path })),
    )
    .filter(({ operationId }) => operationId !== ENDLESS);
}

const manners = fc.oneof(
  { weight: 24, arbitrary: fc.constant("whole" as const) },
  { weight: 1, arbitrary: fc.constantFrom(...MANNERS) },
);

/** Text encoded for a path or a query. */
const encoded = (value: unknown) => encodeURIComponent(String(value).toWellFormed());

function requestTo(endpoint: FuzzedEndpoint, real: Real, known: Known): fc.Arbitrary<Request> {
  // a client resolves "." and ".." in a path, encoded or not, so they would be sent to another route, as would an empty part
  const parameters = endpoint.parameters.map((one) => {
    const value = real[one.name] ?? valid(one.schema, real);
    const sent =
      one.in === "path"
        ? value.filter((text) => text !== "." && text !== ".." && text !== "")
        : one.required
          ? often(value, wild)
          : fc.option(value, { nil: undefined });
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
  const tokenless = {
    prefer: fc.constantFrom("handling=lenient", "return=minimal"),
    origin: fc.constantFrom(ORIGIN, "null", "capacitor://localhost"),
  };
  const headers = fc.record({
    ...tokenless,
    authorization: fc.oneof(
      {
        weight: 30,
        arbitrary: often(fc.constant(OWNER_TOKEN), fc.constantFrom(...known.secrets)).map(
          (token) => `Bearer ${token}`,
        ),
      },
      { weight: 1, arbitrary: fc.constantFrom("Bearer x", "Basic eA==") },
    ),
  });
  // on ingest routes most tokens are refused: pages send none
  const sentHeaders = IS_INGEST.test(endpoint.path)
    ? fc.oneof({ weight: 9, arbitrary: fc.record(tokenless) }, { weight: 1, arbitrary: headers })
    : headers;
  return fc.tuple(fc.tuple(...parameters), body, sentHeaders, manners).map(([given, text, sent, manner]) => {
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
      manner,
    };
    return text === undefined ? request : { ...request, body: text };
  });
}

describe("Mutated requests to every route", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world[Symbol.asyncDispose]());

  it(`${RUNS} requests: no 5xx, and every response matches its schema`, async (t) => {
    const known = await furnish(world);
    const endpoints = await endpointsOf(world);
    const real = realOf(known);
    const statuses = new Map<number, number>();
    const asked = new Map<string, number>();
    let throughIngest = 0;

    const learn = (operationId: string, { status, body }: TestReply) => {
      if (status >= 300) return;
      if (operationId === "createSource") known.sources.push(body.sourceId);
      if (operationId === "createSource" || operationId === "regenerateKey") known.keys.push(body.publicKey);
      if (operationId === "addMember") known.users.push(body.userId);
      if (operationId === "createToken") known.tokens.push(body.tokenId);
      if (/bootstrap/i.test(operationId)) {
        known.visits.push({ publicKey: body.ingestUrl.split("/").at(-2), sessionId: body.sessionId });
      }
      if (/events/i.test(operationId)) throughIngest += 1;
      for (const ids of [known.sources, known.keys, known.users, known.tokens, known.visits])
        if (ids.length > MAX_KNOWN) ids.shift();
    };
    const raw = createRawSender(world.url);
    let [sent, rawAnswers] = [0, 0];
    let begin = memoryNow();
    const throwOne = async (request: Request) => {
      const { operationId, method, path, headers, body, manner } = request;
      asked.set(operationId, (asked.get(operationId) ?? 0) + 1);
      sent += 1;
      // what is loaded or compiled at first use is in memory by then
      if (sent === Math.ceil(RUNS / 10)) begin = memoryNow();
      if (manner !== "whole") {
        rawAnswers += (await raw.send(request, manner)).length;
        return;
      }
      const reply = await world.ask(path, {
        method,
        token: null,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      // this world has no mail server and no warehouse; stats queries have a fuzz test of their own
      const isAnswered =
        reply.status < 500 || ["warehouse_off", "mail_unavailable"].includes(reply.body.code);
      assert.ok(isAnswered, `${reply.status} ${JSON.stringify(reply.body)}`);
      learn(operationId, reply);
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    };
    const ingest = endpoints.filter(({ path }) => IS_INGEST.test(path));
    // mostly a key and a session that belong together, since others are refused before their events are parsed
    const toIngest = (endpoint: FuzzedEndpoint) =>
      newest(known.visits).chain(({ publicKey, sessionId }) => {
        const belonging = { publicKey: fc.constant(publicKey), sessionId: fc.constant(sessionId) };
        return requestTo(endpoint, { ...real, ...belonging }, known);
      });
    const requests = fc.constantFrom(...endpoints, ...ingest, ...ingest, ...ingest).chain((endpoint) => {
      const freely = requestTo(endpoint, real, known);
      return ingest.includes(endpoint)
        ? fc.oneof({ weight: 3, arbitrary: toIngest(endpoint) }, { weight: 1, arbitrary: freely })
        : freely;
    });
    await fc.assert(fc.asyncProperty(requests, throwOne), { seed: SEED, numRuns: RUNS, endOnFailure: true });
    await raw.finish();

    const end = memoryNow();
    const refusedAtTheDoor = [401, 404, 415, 422].reduce(
      (sum, status) => sum + (statuses.get(status) ?? 0),
      0,
    );
    const checked = [...statuses.values()].reduce((sum, times) => sum + times, 0);
    const share = 1 - refusedAtTheDoor / checked;
    t.diagnostic(
      `seed ${SEED}, ${RUNS} requests, ${Math.round(share * 100)} % got past validation, ${throughIngest} batches taken, by status ${JSON.stringify(Object.fromEntries([...statuses].sort()))}`,
    );
    t.diagnostic(
      `${RUNS - checked} requests were pipelined, cut off or slow, ${rawAnswers} answers; memory of server and test in MiB after a tenth of the requests ${JSON.stringify(begin)}, at the end ${JSON.stringify(end)}`,
    );
    assert.ok(
      end.heap - begin.heap <= MAX_HEAP_GROWTH_MIB,
      `the heap grew from ${begin.heap} to ${end.heap} MiB`,
    );
    assert.ok(share >= LEAST_SHARE, `only ${share} got past validation`);
    assert.ok(throughIngest > RUNS / 100, `only ${throughIngest} batches were taken`);
    for (const { operationId } of endpoints)
      assert.ok(asked.has(operationId), `${operationId} was not asked`);
    assert.equal((await world.ask("/readyz")).status, 200);
  });
});
