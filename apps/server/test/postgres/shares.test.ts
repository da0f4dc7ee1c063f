/** Limits hold over nodes: each enforces its share. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { until } from "../support/until.ts";
import {
  bootstrapBody,
  bootstrapPath,
  drivenClock,
  eventsBody,
  eventsPath,
  ORGANIZATION_ID,
  openWorld,
  refused,
  trackEvent,
  type World,
} from "../support/world.ts";
import { createDatabase, type Database } from "./databases.ts";

const TOKEN_BURST = 20;
const FAILED = 10;

describe("Two nodes", () => {
  const time = drivenClock();
  let database: Database;
  let nodes: [World, World];
  before(async () => {
    database = await createDatabase();
    const environment = {
      DATABASE_URL: database.url,
      CLIENT_RATE_BURST: "200",
      CLIENT_RATE_PER_SECOND: "50",
      WORKSPACE_RATE_BURST: String(TOKEN_BURST),
      WORKSPACE_RATE_PER_SECOND: "1",
      FAILED_AUTH_PER_MINUTE: String(FAILED),
    };
    const options = { clock: time.clock };
    nodes = [await openWorld(environment, options), await openWorld(environment, options)];
    await until("each knows of the other", async () => {
      const metrics = await Promise.all(
        nodes.map(({ url }) => fetch(`${url}/metrics`).then((reply) => reply.text())),
      );
      return metrics.every((text) => /^headwater_nodes 2$/m.test(text));
    });
  });
  after(async () => {
    for (const node of nodes) await node[Symbol.asyncDispose]();
    await database.remove();
  });

  it("together accept what one node would, within a tenth", async (t) => {
    const source = await nodes[0].createSource();
    const { client } = (await nodes[0].ask(`/api/tracking-sources/${source.sourceId}/debug`)).body.limits
      .requestRate;
    const seconds = 4;
    let taken = 0;
    for (let second = 0; second <= seconds; second += 1) {
      for (let pair = 0; pair < 150; pair += 1) {
        const replies = await Promise.all(
          nodes.map((node) => node.send(bootstrapPath(source), bootstrapBody())),
        );
        for (const { status } of replies) {
          assert.ok(status === 200 || status === 429, `a bootstrap was answered with ${status}`);
          if (status === 200) taken += 1;
        }
      }
      time.advance(1_000);
    }
    const wanted = client.burst + seconds * client.perSecond;
    t.diagnostic(`${taken} taken by two nodes, ${wanted} by one`);
    assert.ok(Math.abs(taken - wanted) <= wanted / 10, `${taken} were taken`);
  });

  it("together allow a token as many requests as one node would", async () => {
    const body = { organizationId: ORGANIZATION_ID, label: "counted" };
    const { token } = (await nodes[0].ask("/api/tokens", { method: "POST", body })).body;
    const statuses: number[] = [];
    for (let number = 0; number < 2 * TOKEN_BURST; number += 1)
      statuses.push((await nodes[number % 2]!.ask("/api/organizations", { token })).status);
    assert.equal(statuses.filter((status) => status === 200).length, TOKEN_BURST);
  });

  it("together allow an address as many failed authentications as one node would", async () => {
    const statuses: number[] = [];
    for (let number = 0; number < 2 * FAILED; number += 1)
      statuses.push((await nodes[number % 2]!.ask("/api/organizations", { token: "wrong" })).status);
    assert.equal(statuses.filter((status) => status === 401).length, FAILED);
  });

  it("each learn within five seconds what the other has stored of a source's quota", async () => {
    const source = await nodes[0].createSource();
    const path = `/api/tracking-sources/${source.sourceId}`;
    const body = { organizationId: ORGANIZATION_ID, limits: { eventsPerDay: 3 } };
    assert.equal((await nodes[0].ask(path, { method: "PATCH", body })).status, 200);
    const sessionId = await nodes[0].openSession(source);
    const send = (node: World) =>
      node.send(eventsPath(source), eventsBody(sessionId, [trackEvent({}, time.now())], {}, time.now()));
    assert.equal((await send(nodes[0])).status, 200);
    for (let number = 0; number < 2; number += 1) assert.equal((await send(nodes[1])).status, 200);
    refused(await send(nodes[1]), 429, "quota_exceeded");
    time.advance(5_000);
    refused(await send(nodes[0]), 429, "quota_exceeded");
  });
});
