import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  openWorld,
  type TestReply,
  trackEvent,
  type World,
} from "./world.ts";

type ResponseBody = Record<string, unknown>;
/** Makes an invalid body from a valid one. */
type BodyChange = [name: string, make: (body: unknown) => unknown];

const isObject = (value: unknown): value is ResponseBody =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** Free-form by the contract: any value is valid there. */
const FREE_FORM = new Set(["raw", "normalized"]);

function retyped(value: unknown): unknown {
  if (typeof value === "string") return 1;
  return typeof value === "object" ? true : "text";
}

/** Every way to change one field: removed, of another type, or added; including the fields of the first element of each list. */
function changesOf(value: unknown, path: string): BodyChange[] {
  if (Array.isArray(value)) {
    const [first, ...others] = value;
    return changesOf(first, `${path}.0`).map(
      ([name, make]): BodyChange => [name, () => [make(first), ...others]],
    );
  }
  if (!isObject(value)) return [];
  const ofFields = Object.keys(value).flatMap((key): BodyChange[] => {
    if (FREE_FORM.has(key)) return [];
    const { [key]: _gone, ...rest } = value;
    return [
      [`${path}.${key} removed`, () => rest],
      [`${path}.${key} of another type`, () => ({ ...value, [key]: retyped(value[key]) })],
      ...changesOf(value[key], `${path}.${key}`).map(
        ([name, make]): BodyChange => [name, () => ({ ...value, [key]: make(value[key]) })],
      ),
    ];
  });
  return [[`${path}.surplus`, () => ({ ...value, surplus: 1 })], ...ofFields];
}

describe("The contract check of responses in the tests", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world[Symbol.asyncDispose]());

  async function examples(): Promise<[method: string, path: string, reply: TestReply][]> {
    const source = await world.createSource();
    const sessionId = await world.openSession(source);
    const at = eventsPath(source);
    const list = `/api/tracking-sources?organizationId=${source.organizationId}`;
    const debug = `/api/tracking-sources/${source.sourceId}/debug`;
    return [
      ["GET", list, await world.ask(list)],
      ["GET", debug, await world.ask(debug)],
      ["POST", bootstrapPath(source), await world.send(bootstrapPath(source), bootstrapBody())],
      ["POST", at, await world.send(at, eventsBody(sessionId, [trackEvent(), trackEvent({ type: "odd" })]))],
      ["POST", at, await world.send(at, eventsBody(sessionId, [trackEvent({ name: 1 })]))],
      ["POST", at, await world.send(at, eventsBody("unknown", [trackEvent()]))],
      ["GET", "/api/members", await world.ask("/api/members", { token: null })],
      ["GET", "/nowhere", await world.ask("/nowhere")],
    ];
  }

  it("fails when any field of a response is changed", async () => {
    let changed = 0;
    for (const [method, path, reply] of await examples()) {
      const changes = changesOf(reply.body, `${method} ${reply.status}`).filter(
        ([name]) => !/(eventId|debugUrl|traceId|endpoint) removed$/.test(name),
      );
      assert.ok(changes.length >= 10, `${path} ${changes.length}`);
      for (const [name, make] of changes) {
        changed += 1;
        assert.throws(
          () => world.check(method, path, { ...reply, body: make(reply.body) }),
          assert.AssertionError,
          name,
        );
      }
    }
    assert.ok(changed > 200, `${changed} changes`);
  });

  it("fails for a status or code that the operation does not list", async () => {
    const source = await world.createSource();
    const reply = await world.send(bootstrapPath(source), bootstrapBody({ anonymousId: 1 }));
    const at = bootstrapPath(source);
    assert.throws(() => world.check("POST", at, { ...reply, status: 418 }));
    assert.throws(() =>
      world.check("POST", at, { ...reply, body: { ...reply.body, code: "invalid_session" } }),
    );
    assert.throws(() => world.check("POST", at, { ...reply, body: { ...reply.body, requestId: "another" } }));
  });

  it("fails when the counts do not match the results", async () => {
    const source = await world.createSource();
    const reply = await world.send(
      eventsPath(source),
      eventsBody(await world.openSession(source), [trackEvent()]),
    );
    assert.throws(() =>
      world.check("POST", eventsPath(source), { ...reply, body: { ...reply.body, accepted: 2 } }),
    );
  });

  it("fails when a header that the status requires is missing", async () => {
    const reply = await world.ask("/api/members", { token: null });
    for (const name of ["www-authenticate", "x-request-id", "cache-control"]) {
      const headers = new Headers(reply.headers);
      headers.delete(name);
      assert.throws(
        () => world.check("GET", "/api/members", { ...reply, headers }),
        assert.AssertionError,
        name,
      );
    }
  });
});
