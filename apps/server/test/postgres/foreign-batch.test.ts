/** What a batch of another tool's client costs the database. */
import assert from "node:assert/strict";
import { it } from "node:test";
import pg from "pg";
import { fresh, openWorld } from "../support/world.ts";
import { createDatabase } from "./databases.ts";

it("The sessions of all visitors of a batch are looked up together", async (t) => {
  const { url, remove } = await createDatabase();
  t.after(remove);
  await using world = await openWorld({ DATABASE_URL: url });
  const source = await world.createSource();
  const track = () => ({
    type: "track",
    event: "Signed Up",
    messageId: fresh("message"),
    anonymousId: fresh("visitor"),
    timestamp: new Date().toISOString(),
  });
  const query = t.mock.method(pg.Client.prototype, "query");
  const batch = Array.from({ length: 100 }, track);
  const reply = await world.send(`/api/compat/${source.publicKey}/segment/v1/batch`, { batch });
  assert.equal(reply.body.accepted, batch.length);
  const lookUps = query.mock.calls.filter(({ arguments: [text] }) =>
    String(text).includes('as "anonymousId"'),
  );
  assert.equal(lookUps.length, 1);
});
