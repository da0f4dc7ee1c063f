/** The list of sources with their health: its orders, its search and its filter (docs/api/sources.md). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  bootstrapBody,
  bootstrapPath,
  DAY,
  drivenClock,
  issuesOf,
  openWorld,
  SECOND,
  type TestSource,
  type World,
} from "../support/world.ts";

interface ListedHere {
  sourceId: string;
  name: string;
  health: { status: string; last24h: Record<string, number> | null; topCode: string | null };
}

describe("The list of sources", () => {
  const time = drivenClock();
  let world: World;
  let failing: TestSource;
  let receiving: TestSource;
  before(async () => {
    world = await openWorld({}, { clock: time.clock });
    const quiet = await create("Quiet shop");
    await world.openSession(quiet);
    time.advance(DAY + SECOND);
    failing = await create("Broken shop", ["https://broken.example"]);
    await refuse(failing);
    receiving = await create("Shop 10");
    await world.openSession(receiving);
    for (let number = 1; number <= 9; number += 1) await create(`Shop ${number}`);
    const off = await create("Old shop");
    await world.ask(`/api/tracking-sources/${off.sourceId}`, {
      method: "PATCH",
      body: { organizationId: world.organizationId, isActive: false },
    });
  });
  after(() => world[Symbol.asyncDispose]());

  async function create(name: string, allowedOrigins?: string[]): Promise<TestSource> {
    time.advance(SECOND);
    return world.createSource({ name, ...(allowedOrigins && { allowedOrigins }) });
  }
  const refuse = (source: TestSource) =>
    world.send(bootstrapPath(source), bootstrapBody(), { origin: "https://wrong.example" });
  const list = async (query = "", token = world.ownerToken) => {
    const path = `/api/tracking-sources?organizationId=${world.organizationId}`;
    const { status, body } = await world.ask(`${path}${query}`, { token });
    assert.equal(status, 200);
    return body as { sources: ListedHere[]; nextCursor: string | null; statuses: Record<string, number> };
  };
  const namesOf = ({ sources }: { sources: ListedHere[] }) => sources.map(({ name }) => name);

  it("has the failing source first in the order `status`, with its counts and its reason", async () => {
    const { sources, statuses } = await list("&order=status&limit=4");
    const [first] = sources;
    assert.deepEqual(
      sources.map(({ name, health }) => [name, health.status]),
      [
        ["Broken shop", "failing"],
        ["Quiet shop", "quiet"],
        ["Shop 10", "receiving"],
        ["Shop 9", "waiting"],
      ],
    );
    assert.deepEqual(first?.health.last24h, { accepted: 0, duplicates: 0, rejected: 0, failed: 1 });
    assert.equal(first?.health.topCode, "origin_not_allowed");
    assert.deepEqual(statuses, { failing: 1, quiet: 1, receiving: 1, waiting: 9, off: 1 });
  });

  it("has the status of the debug view", async () => {
    for (const { sourceId, health } of (await list("&search=shop 1")).sources) {
      const debug = (await world.ask(`/api/tracking-sources/${sourceId}/debug`)).body;
      assert.equal(health.status, debug.health.status);
    }
  });

  it("finds sources by name, origin, id and public key, and counts the statuses of those", async () => {
    for (const search of ["bROKen", "broken.example", failing.sourceId, failing.publicKey]) {
      const found = await list(`&search=${encodeURIComponent(search)}`);
      assert.deepEqual(namesOf(found), ["Broken shop"], search);
      assert.equal(found.statuses.failing, 1);
      assert.equal(found.statuses.waiting, 0);
    }
    assert.deepEqual(namesOf(await list("&search=nothing")), []);
  });

  it("is filtered by status, and the counts stay those of the search", async () => {
    const found = await list("&status=off");
    assert.deepEqual(namesOf(found), ["Old shop"]);
    assert.equal(found.statuses.failing, 1);
  });

  it("is sorted by name with numbers as numbers, and by the last event", async () => {
    const byName = namesOf(await list("&order=name&search=shop"));
    assert.deepEqual(byName.slice(-3), ["Shop 8", "Shop 9", "Shop 10"]);
  });

  it("has each source once on the pages of an order, also when the last row of a page is deleted", async () => {
    const { sourceId } = await create("Deleted shop");
    const first = await list("&order=name&limit=2");
    assert.deepEqual(namesOf(first), ["Broken shop", "Deleted shop"]);
    await world.ask(`/api/tracking-sources/${sourceId}`, { method: "DELETE" });
    const seen = ["Broken shop"];
    for (let { nextCursor } = first; nextCursor !== null; ) {
      const page = await list(`&order=name&limit=2&cursor=${nextCursor}`);
      seen.push(...namesOf(page));
      ({ nextCursor } = page);
    }
    assert.deepEqual(seen, namesOf(await list("&order=name")));
  });

  it("has no counts and no failing source for a caller without debug:read", async () => {
    const { token } = await world.serviceAccount("viewer");
    const { sources, statuses } = await list("&order=status", token);
    const listed = sources.find(({ sourceId }) => sourceId === failing.sourceId);
    assert.deepEqual(listed?.health, { status: "waiting", last24h: null, topCode: null });
    assert.equal(statuses.failing, 0);
  });

  it("gives sources that can be sent back by PATCH", async () => {
    const [source] = (await list(`&search=${receiving.sourceId}`)).sources;
    const path = `/api/tracking-sources/${receiving.sourceId}`;
    assert.equal((await world.ask(path, { method: "PATCH", body: source })).status, 200);
  });

  it("422: an unknown order or status, and a search that is too long", async () => {
    const query = `organizationId=${world.organizationId}&order=size&status=fine&search=${"x".repeat(121)}`;
    const reply = await world.ask(`/api/tracking-sources?${query}`);
    assert.deepEqual(issuesOf(reply), ["order: invalid_value", "search: too_long", "status: invalid_value"]);
  });
});
