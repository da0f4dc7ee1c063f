/** An embedded ledger moves to PostgreSQL: everything is there, and the same service goes on with it. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { headwater } from "../command-line.ts";
import { storedEvents } from "../ledger-reader.ts";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  ORGANIZATION_ID,
  openWorld,
  outcomesOf,
  pageEvent,
  trackEvent,
} from "../world.ts";
import { query } from "./cluster.ts";
import { createDatabase } from "./databases.ts";

it("move takes sources, members, tokens, sessions, keys, events and the debug history along; interrupted, it goes on, and again it adds nothing", async () => {
  const { url, remove } = await createDatabase();
  const world = await openWorld({ DATABASE_URL: "" });
  try {
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
    const before = {
      usage: (await world.ask(`/api/usage?organizationId=${ORGANIZATION_ID}`)).body,
      audit: (await world.ask(`/api/audit?organizationId=${ORGANIZATION_ID}`)).body,
      debug: (await world.ask(`/api/tracking-sources/${sources[0]!.sourceId}/debug`)).body,
    };
    const serving = await headwater({ DATA_DIR: world.dataDir }, "move", "--to", url);
    assert.equal(serving.code, 1);
    assert.match(serving.stderr, /Another Headwater process serves/);
    await world.close();

    await headwater({ DATABASE_URL: url }, "migrate");
    await query(url, "alter table moved_keys rename to elsewhere");
    const interrupted = await headwater({ DATA_DIR: world.dataDir }, "move", "--to", url);
    assert.equal(interrupted.code, 1);
    assert.match(interrupted.stderr, /"moved_keys" does not exist.*goes on from there/);
    await query(url, "alter table elsewhere rename to moved_keys");
    for (const time of ["goes on", "again"]) {
      const moved = await headwater({ DATA_DIR: world.dataDir }, "move", "--to", url, "--json");
      assert.equal(moved.code, 0, `${time}: ${moved.stderr}`);
      const counts = Object.fromEntries(
        (moved.json().moved as { name: string; to: number }[]).map(({ name, to }) => [name, to]),
      );
      assert.deepEqual(
        [counts.sources, counts["keys of events"], counts["events not shipped"]],
        [2, 121, 121],
      );
    }

    await using there = await openWorld({ DATABASE_URL: url });
    const after = {
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
    const other = await headwater({ DATA_DIR: world.dataDir }, "move", "--to", url);
    assert.match(other.stderr, /A service works with that database/);
  } finally {
    await world[Symbol.asyncDispose]();
    await remove();
  }
});
