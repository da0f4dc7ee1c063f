/** Ids that are numbers: JSON holds only the first 15 digits of some, and two people must not become one. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { storedEvents } from "../ledger/reader.ts";
import { fresh, openWorld, refused, type TestSource, type World } from "../support/world.ts";

describe("An id that is a number", () => {
  let world: World;
  let source: TestSource;
  before(async () => {
    world = await openWorld();
    source = await world.createSource();
  });
  after(() => world[Symbol.asyncDispose]());

  const send = (path: string, text: string) => world.send(`/api/compat/${source.publicKey}/${path}`, text);
  const visitorsOf = (name: string) =>
    storedEvents(world.dataDir)
      .filter((event) => event.name === name)
      .map(({ anonymousId, userId }) => [anonymousId, userId]);

  /** Requests with the id of a user, as text. */
  const REQUESTS: Readonly<Record<string, (id: string, name: string) => string>> = {
    "segment/v1/track": (id, name) => `{"event":"${name}","userId":${id},"anonymousId" : ${id}}`,
    "segment/v1/batch": (id, name) => `{"batch":[{"type":"track","event":"${name}","userId":\t${id}}]}`,
    "umami/api/send": (id, name) => `{"type":"event","payload":{"url":"/","name":"${name}","id":${id}}}`,
    "ga4/mp/collect": (id, name) => `{"client_id":${id},"user_id":${id},"events":[{"name":"${name}"}]}`,
    "matomo/matomo.php": (id, name) =>
      `{"requests":[{"rec":1,"uid":${id},"cid":${id},"e_c":"a","e_a":"${name}"}]}`,
  };
  const EXACT = [
    "17",
    "0",
    "-5",
    "12.5",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "12345678901234567890",
    "1234567890.1712345678",
    "1234567890.1712345679",
  ];

  for (const [path, request] of Object.entries(REQUESTS)) {
    it(`${path}: keeps all its digits`, async () => {
      const name = fresh("exact");
      for (const id of EXACT) assert.ok((await send(path, request(id, name))).status < 300, id);
      assert.deepEqual(
        visitorsOf(name),
        EXACT.map((id) => [id, id]),
      );
    });

    it(`${path}: is refused in a form whose digits are lost`, async () => {
      const name = fresh("lost");
      for (const id of ["9007199254740993e0", "1e17", "1e400", "9.007199254740993e15"])
        refused(await send(path, request(id, name)), 422, "invalid_payload");
      assert.deepEqual(visitorsOf(name), []);
    });
  }

  it("is rejected alone, with id_not_exact, when the request has other events", async () => {
    const name = fresh("beside");
    const message = (id: string) => `{"type":"track","event":"${name}","userId":${id}}`;
    const { status, body } = await send("segment/v1/batch", `{"batch":[${message("1e17")},${message("5")}]}`);
    assert.deepEqual(
      [status, body.results[0].code, body.results[1].status],
      [200, "id_not_exact", "accepted"],
    );
  });

  it("keeps all its digits when its name is written with escapes", async () => {
    const name = fresh("escaped");
    await send("segment/v1/track", `{"event":"${name}","user\\u0049d":9007199254740993,"anonymousId":"a"}`);
    assert.deepEqual(visitorsOf(name), [["a", "9007199254740993"]]);
  });

  it("does not make texts of the numbers in properties and context", async () => {
    const name = fresh("numbers");
    const numbers =
      '{"price":19.990000000000002,"orderId":12345678901234567890,"amount_paid":0.30000000000000004,"grid":{"id":[{"bid":1234567890123456}]}}';
    const read = JSON.parse(numbers);
    const context = `{"sessionId":5,"deviceid":1234567890123456,"traits":${numbers}}`;
    await send(
      "segment/v1/track",
      `{"event":"${name}","userId":"u","properties":${numbers},"context":${context}}`,
    );
    await send("ga4/mp/collect", `{"client_id":"c","events":[{"name":"${name}","params":${numbers}}]}`);
    await send("umami/api/send", `{"type":"event","payload":{"url":"/","name":"${name}","data":${numbers}}}`);
    const events = storedEvents(world.dataDir).filter((event) => event.name === name);
    assert.deepEqual(
      events.map(({ properties }) => properties),
      [read, read, read],
    );
    assert.deepEqual(events[0]?.context, { sessionId: 5, deviceid: 1234567890123456, traits: read });
  });

  it("counts in what messages share as many bytes as it was sent with", async () => {
    const name = fresh("shared");
    const ids = Array.from({ length: 30 }, (_, at) => [`k${at}id`, "9007199254740993"]);
    const context = `{${ids.map(([member, id]) => `"${member}":${id}`)}}`;
    const messages = Array.from({ length: 500 }, (_, at) => ({
      type: "track",
      event: name,
      userId: `u${at}`,
    }));
    const { status, body } = await send(
      "segment/v1/batch",
      `{"batch":${JSON.stringify(messages)},"context":${context}}`,
    );
    assert.deepEqual([status, body.accepted], [200, 500]);
  });

  it("is read beside an event that nests too deep, which is rejected alone", async () => {
    const name = fresh("deep");
    const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
    const events = [`"userId":9007199254740993`, `"userId":1,"properties":{"deep":${deep}}`];
    const batch = events.map((members) => `{"type":"track","event":"${name}",${members}}`);
    const { body } = await send("segment/v1/batch", `{"batch":[${batch}]}`);
    assert.deepEqual(
      body.results.map(({ status }: { status: string }) => status),
      ["accepted", "rejected"],
    );
    assert.deepEqual(visitorsOf(name), [["9007199254740993", "9007199254740993"]]);
  });
});
