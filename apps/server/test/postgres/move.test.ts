/** An embedded ledger moves to PostgreSQL: everything is there, and the same service goes on with it. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { headwaterHere } from "../cli/command-line.ts";
import { storedEvents } from "../ledger/reader.ts";
import { addPasskey } from "../support/authenticator.ts";
import {
  APP_URL,
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  ORGANIZATION_ID,
  openWorld,
  outcomesOf,
  pageEvent,
  trackEvent,
} from "../support/world.ts";
import { query } from "./cluster.ts";
import { createDatabase } from "./databases.ts";

/** Advice that no refusal may give. */
const DESTROYING = /empty the database|drop|truncate|delete/i;

it("move copies sources, members, tokens, passkeys, sessions, keys, events and the debug history; it continues after an interruption, and copies nothing twice", async () => {
  const { url, remove } = await createDatabase();
  const world = await openWorld({ DATABASE_URL: "", APP_URL });
  try {
    const token = await world.ownerSession();
    await addPasskey(world, token);
    const sources = [await world.createSource(), await world.createSource({ name: "Second" })];
    const sessionId = await world.openSession(sources[0]!);
    const events = Array.from({ length: 120 }, (_, index) => (index % 2 ? pageEvent() : trackEvent()));
    const sent = await world.send(eventsPath(sources[0]!), eventsBody(sessionId, events));
    assert.ok(outcomesOf(sent).every((one) => one === "accepted"));
    const second = await world.openSession(sources[1]!);
    await world.send(eventsPath(sources[1]!), eventsBody(second, [trackEvent()]));
    const refused = await world.send(bootstrapPath(sources[0]!), bootstrapBody(), {
      origin: "https://no.example",
    });
    assert.equal(refused.status, 403);
    // first, because reading it writes an audit entry
    const debug = (await world.ask(`/api/tracking-sources/${sources[0]!.sourceId}/debug`)).body;
    const before = {
      usage: (await world.ask(`/api/usage?organizationId=${ORGANIZATION_ID}`)).body,
      audit: (await world.ask(`/api/audit?organizationId=${ORGANIZATION_ID}`)).body,
      debug,
      passkeys: (await world.ask("/api/passkeys", { token })).body,
    };
    const serving = await headwaterHere({ DATA_DIR: world.dataDir }, "move", "--to", url);
    assert.equal(serving.code, 78);
    assert.match(serving.stderr, /Another Headwater process serves/);
    await world.close();

    await headwaterHere({ DATABASE_URL: url }, "migrate");
    await query(url, "alter table event_keys_1 rename to elsewhere");
    const interrupted = await headwaterHere({ DATA_DIR: world.dataDir }, "move", "--to", url);
    assert.equal(interrupted.code, 1);
    assert.match(interrupted.stderr, /"event_keys_1" does not exist.*Run the same command again to continue/);
    const unfinished = await headwaterHere({ DATABASE_URL: url }, "serve");
    assert.equal(unfinished.code, 78);
    assert.match(unfinished.stderr, /not finished. Run `npx headwater move --to …` again/);
    const onItsWay = await headwaterHere({ DATA_DIR: world.dataDir }, "serve");
    assert.equal(onItsWay.code, 78);
    assert.match(onItsWay.stderr, /is moving to PostgreSQL/);
    await query(url, "alter table elsewhere rename to event_keys_1");
    for (const time of ["goes on", "again"]) {
      const moved = await headwaterHere({ DATA_DIR: world.dataDir }, "move", "--to", url, "--json");
      assert.equal(moved.code, 0, `${time}: ${moved.stderr}`);
      const counts = Object.fromEntries(
        (moved.json().moved as { name: string; to: number }[]).map(({ name, to }) => [name, to]),
      );
      assert.deepEqual(
        [counts.sources, counts["keys of events"], counts["events not shipped"]],
        [2, 121, 121],
      );
    }

    const moved = await headwaterHere({ DATA_DIR: world.dataDir }, "source", "list");
    assert.equal(moved.code, 78);
    assert.match(moved.stderr, /has moved to PostgreSQL\. Set DATABASE_URL/);
    await using there = await openWorld({ DATABASE_URL: url, APP_URL });
    const after = {
      passkeys: (await there.ask("/api/passkeys", { token })).body,
      usage: (await there.ask(`/api/usage?organizationId=${ORGANIZATION_ID}`)).body,
      audit: (await there.ask(`/api/audit?organizationId=${ORGANIZATION_ID}`)).body,
      debug: (await there.ask(`/api/tracking-sources/${sources[0]!.sourceId}/debug`)).body,
    };
    assert.deepEqual(after, before);
    const again = await there.send(eventsPath(sources[0]!), eventsBody(sessionId, [...events, trackEvent()]));
    assert.deepEqual(outcomesOf(again), [...events.map(() => "duplicate"), "accepted"]);
    assert.equal(
      Number((await query(url, "select sum(events) as n from outbox"))[0]!.n),
      storedEvents(world.dataDir).length + 1,
    );
    const served = await headwaterHere({ DATA_DIR: world.dataDir }, "move", "--to", url);
    assert.equal(served.code, 1);
    assert.match(served.stderr, /and a service has used it since/);
  } finally {
    await world[Symbol.asyncDispose]();
    await remove();
  }
});

/** An embedded ledger that holds something and is served by nobody. */
async function stoppedWorld() {
  const world = await openWorld({ DATABASE_URL: "" });
  await world.createSource();
  await world.close();
  return world;
}

it("move refuses a database with another ledger or a running service, and says what to do", async () => {
  const empty = await createDatabase();
  const taken = await createDatabase();
  const { url } = empty;
  await using one = await stoppedWorld();
  await using other = await stoppedWorld();
  const refused = async (to: string, dataDir: string, why: RegExp) => {
    const { code, stderr } = await headwaterHere({ DATA_DIR: dataDir }, "move", "--to", to);
    assert.equal(code, 1, stderr);
    assert.match(stderr, why);
    assert.doesNotMatch(stderr, DESTROYING);
  };
  try {
    assert.equal((await headwaterHere({ DATA_DIR: one.dataDir }, "move", "--to", url)).code, 0);
    await refused(url, other.dataDir, /Another ledger moved to that database.*Use an empty database/s);
    await using _ = await openWorld({ DATABASE_URL: taken.url });
    await refused(taken.url, other.dataDir, /That database already contains a ledger/);
    await refused(taken.url, one.dataDir, /That database already contains a ledger/);
  } finally {
    for (const { remove } of [empty, taken]) await remove();
  }
});

it("After --give-up DATA_DIR can be served again, and a later move cannot continue in the same database", async () => {
  const { url, remove } = await createDatabase();
  await using world = await stoppedWorld();
  const settings = { DATA_DIR: world.dataDir };
  try {
    await query(url, "alter table event_keys_1 rename to elsewhere");
    assert.equal((await headwaterHere(settings, "move", "--to", url)).code, 1);
    await query(url, "alter table elsewhere rename to event_keys_1");
    assert.equal((await headwaterHere(settings, "source", "list")).code, 78);
    assert.equal((await headwaterHere(settings, "move", "--give-up")).code, 0);
    // the ledger changes, as it does when it is served from
    const origin = "https://late.example";
    assert.equal(
      (await headwaterHere(settings, "source", "create", "--name", "Late", "--origin", origin)).code,
      0,
    );
    const mixed = await headwaterHere(settings, "move", "--to", url);
    assert.match(mixed.stderr, /Another ledger moved to that database, or is moving there/);
    assert.equal((await query(url, "select from sources where settings::json->>'name' = 'Late'")).length, 0);
  } finally {
    await remove();
  }
});
