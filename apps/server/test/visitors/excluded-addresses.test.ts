/** `excludedAddresses` of a source (docs/api/sources.md): events from the operator's own addresses are not stored. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { until } from "../support/until.ts";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  issuesOf,
  ORGANIZATION_ID,
  openWorld,
  outcomesOf,
  pageEvent,
  type World,
} from "../support/world.ts";

const EXCLUDED = "rejected address_excluded";

describe("Excluded addresses", () => {
  let world: World;
  before(async () => {
    world = await openWorld({ TRUST_PROXY: "1" });
  });
  after(() => world[Symbol.asyncDispose]());

  const patch = ({ sourceId }: { sourceId: string }, body: object) =>
    world.ask(`/api/tracking-sources/${sourceId}`, {
      method: "PATCH",
      body: { organizationId: ORGANIZATION_ID, ...body },
    });
  const viewFrom = async (source: { publicKey: string }, address: string, headers = {}) => {
    const body = eventsBody(await world.openSession(source), [pageEvent()]);
    return world.send(eventsPath(source), body, { "x-forwarded-for": address, ...headers });
  };

  it("events from a listed address or range are rejected with a hint, others are stored", async () => {
    const excludedAddresses = ["203.0.113.7", "198.51.100.77/25", "2001:DB8:1::/48", "2001:db8::5"];
    const source = await world.createSource({ excludedAddresses });
    assert.deepEqual(source.excludedAddresses, excludedAddresses);
    for (const [address, outcome] of [
      ["203.0.113.7", EXCLUDED],
      ["203.0.113.8", "accepted"],
      ["198.51.100.0", EXCLUDED],
      ["198.51.100.127", EXCLUDED],
      ["198.51.100.128", "accepted"],
      ["::ffff:203.0.113.7", EXCLUDED],
      ["2001:db8:1:ffff::1", EXCLUDED],
      ["2001:db8:2::", "accepted"],
      ["2001:db8:0:0:0:0:0:5", EXCLUDED],
      ["2001:db8::6", "accepted"],
    ] as const)
      assert.deepEqual(outcomesOf(await viewFrom(source, address)), [outcome], address);
    const reply = await viewFrom(source, "203.0.113.7");
    assert.match(reply.body.results[0].message, /the source's `excludedAddresses`\. .* remove the entry/);
    await patch(source, { excludedAddresses: [] });
    assert.deepEqual(outcomesOf(await viewFrom(source, "203.0.113.7")), ["accepted"]);
  });

  it("events that a server sends with a token are stored", async () => {
    const source = await world.createSource({ excludedAddresses: ["203.0.113.0/24"] });
    const scope = { sourceId: source.sourceId, scope: "ingest" };
    const { token } = (
      await world.ask("/api/tokens", {
        method: "POST",
        body: { organizationId: ORGANIZATION_ID, label: "server", ...scope },
      })
    ).body;
    const authorization = `Bearer ${token}`;
    assert.deepEqual(outcomesOf(await viewFrom(source, "203.0.113.7", { authorization })), ["accepted"]);
  });

  it("the debug view shows the rejection, the source does not fail, and no file has the visitor's address", async () => {
    const source = await world.createSource({ excludedAddresses: ["192.0.2.0/24"] });
    const events = { batchId: "b", sentAt: new Date().toISOString(), events: [pageEvent()] };
    await world.send(bootstrapPath(source), bootstrapBody(events), { "x-forwarded-for": "192.0.2.213" });
    await viewFrom(source, "192.0.2.213");
    const debug = await until("both are recorded", async () => {
      const found = (await world.ask(`/api/tracking-sources/${source.sourceId}/debug`)).body;
      return found.eventAttempts.length === 1 && found;
    });
    const { outcome, code, attemptId } = debug.eventAttempts[0];
    assert.deepEqual([outcome, code], ["partial", "address_excluded"]);
    const found = await world.ask(`/api/tracking-sources/${source.sourceId}/debug/${attemptId}`);
    assert.doesNotMatch(JSON.stringify([debug, found.body]), /192\.0\.2\.213/);
    assert.equal(debug.health.last24h.failed, 0);
    for (const name of readdirSync(world.dataDir, { recursive: true, encoding: "utf8" })) {
      if (!/\.sqlite/.test(name)) continue;
      assert.ok(!readFileSync(join(world.dataDir, name)).includes("192.0.2.213"), name);
    }
  });

  it("422 names each entry that is neither an address nor a range", async () => {
    const source = await world.createSource();
    const wrong = ["10.0.0.0/33", "::1", "office", "10.0.0.0/8/8", "10.0.0", "fe80::1%eth0", "::/129"];
    const reply = await patch(source, { excludedAddresses: wrong });
    const indexes = [0, 2, 3, 4, 5, 6];
    assert.deepEqual(
      issuesOf(reply),
      indexes.map((index) => `excludedAddresses.${index}: invalid_value`),
    );
    assert.match(
      reply.body.issues[0].message,
      /^excludedAddresses\.0 must be an address or a CIDR range.*"10\.0\.0\.0\/33"/,
    );
    const many = Array.from({ length: 101 }, (_, index) => `10.0.0.${index}`);
    assert.deepEqual(issuesOf(await patch(source, { excludedAddresses: many })), [
      "excludedAddresses: too_many",
    ]);
  });
});
