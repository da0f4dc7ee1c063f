/** The operator is told by a signed webhook when a source starts failing, goes quiet, or receives again. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, beforeEach, describe, it } from "node:test";
import { readConfig } from "../../src/config/config.ts";
import { openWebhook, type Webhook, type WebhookRequest } from "../support/webhook.ts";
import {
  bootstrapBody,
  bootstrapPath,
  drivenClock,
  eventsBody,
  eventsPath,
  MINUTE,
  openWorld,
  SECOND,
  trackEvent,
  type World,
} from "../support/world.ts";

const SECRET = "a secret of the operator";

describe("Alerts", () => {
  const time = drivenClock();
  let webhook: Webhook;
  let world: World;
  before(async () => {
    webhook = await openWebhook();
    const settings = {
      ALERT_WEBHOOK_URL: webhook.url,
      ALERT_WEBHOOK_SECRET: SECRET,
      ALERT_QUIET_HOURS: "24",
    };
    world = await openWorld(settings, { clock: time.clock });
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    await webhook[Symbol.asyncDispose]();
  });
  beforeEach(() => webhook.answer([]));

  type Source = { sourceId: string; publicKey: string };
  /** As the minute's timer does, that many minutes on. */
  const look = async (minutes = 1) => {
    time.advance(minutes * MINUTE);
    await world.server.maintain();
  };
  const receive = async (source: Source) => {
    time.advance(SECOND);
    const sessionId = await world.openSession(source);
    await world.send(eventsPath(source), eventsBody(sessionId, [trackEvent({}, time.now())], {}, time.now()));
  };
  /** The debug view answers when all recorded attempts are in the ledger. */
  const recorded = ({ sourceId }: Source) => world.ask(`/api/tracking-sources/${sourceId}/debug`);
  const fail = async (source: Source, times: number) => {
    for (let count = 0; count < times; count++) {
      time.advance(SECOND);
      await world.send(bootstrapPath(source), bootstrapBody(), { origin: "https://wrong.example" });
    }
    await recorded(source);
  };
  const of = (source: Source) => webhook.of(source);
  const typesOf = (source: Source) => webhook.typesOf(source);
  const newSource = async () => {
    const source = await world.createSource({ name: "Shop ✓" });
    await receive(source);
    await recorded(source);
    await look();
    return source;
  };

  it("are none for refused requests of the doctor", async () => {
    const source = await newSource();
    const headers = { origin: "https://wrong.example", "user-agent": "headwater-doctor" };
    for (let count = 0; count < 10; count++)
      await world.send(bootstrapPath(source), { ingestVersion: 2 }, headers);
    await recorded(source);
    await look();
    assert.deepEqual(typesOf(source), []);
  });

  it("are one each when a source starts failing and when it receives again, not for a stranger's failure", async () => {
    const source = await newSource();
    await fail(source, 4);
    await look();
    assert.deepEqual(typesOf(source), [], "a few failures are none");
    await fail(source, 1);
    await look();
    await look();
    assert.deepEqual(typesOf(source), ["source.failing"]);
    const [{ body }] = of(source) as [WebhookRequest];
    const { sourceId, organizationId, name, slug } = await world
      .ask(`/api/tracking-sources/${source.sourceId}`)
      .then((reply) => reply.body);
    assert.deepEqual(body.source, { sourceId, organizationId, name, slug });
    assert.equal(body.previousStatus, "receiving");
    assert.equal(body.health.status, "failing");
    assert.equal(body.health.topCodes[0].code, "origin_not_allowed");
    assert.match(body.debugUrl, /\/analytics\/setup\/debug\?sourceId=/);

    await receive(source);
    await fail(source, 1);
    await look();
    assert.deepEqual(typesOf(source), ["source.failing"], "while most fails it goes on");
    for (let count = 0; count < 8; count++) await receive(source);
    await recorded(source);
    await look();
    assert.deepEqual(typesOf(source), ["source.failing", "source.receiving"]);
  });

  it("are one each when many events violate the tracking plan, and when no more do", async () => {
    const source = await newSource();
    const plan = { mode: "warn", unknownEvents: "warn", events: {} };
    const path = `/api/tracking-sources/${source.sourceId}/plan`;
    assert.equal((await world.ask(path, { method: "PUT", body: { plan } })).status, 200);
    for (let count = 0; count < 9; count++) await receive(source);
    await recorded(source);
    await look();
    assert.deepEqual(typesOf(source), [], "a few violations are none");
    await receive(source);
    await recorded(source);
    await look();
    await look();
    assert.deepEqual(typesOf(source), ["source.violating"]);
    assert.equal(of(source)[0]?.body.health.last24h.planViolations, 10);
    await world.ask(path, { method: "PUT", body: { plan: { ...plan, mode: "off" } } });
    await look(60);
    await receive(source);
    await recorded(source);
    await look(60);
    assert.deepEqual(typesOf(source), ["source.violating", "source.receiving"]);
  });

  it("are signed: time, a dot and the body, by HMAC SHA-256", async () => {
    const source = await newSource();
    await fail(source, 5);
    await look();
    const [{ headers, text }] = of(source) as [WebhookRequest];
    const timestamp = headers["headwater-timestamp"];
    assert.equal(Number(timestamp), Math.floor(time.now() / 1_000));
    const signed = createHmac("sha256", SECRET).update(`${timestamp}.${text}`).digest("hex");
    assert.equal(headers["headwater-signature"], `v1=${signed}`);
  });

  it("say that a source went quiet after ALERT_QUIET_HOURS, once, and that it is back", async () => {
    const source = await newSource();
    await look(24 * 60 - 10);
    assert.deepEqual(typesOf(source), []);
    await look(20);
    await look();
    assert.deepEqual(typesOf(source), ["source.quiet"]);
    await receive(source);
    await look();
    assert.deepEqual(typesOf(source), ["source.quiet", "source.receiving"]);
  });

  it("are tried again, with the same id, until they are taken; a redirect is not followed", async () => {
    const source = await newSource();
    await fail(source, 5);
    webhook.answer([500, 302]);
    await look();
    assert.equal(of(source).length, 1);
    await look();
    await look(5);
    await look(60);
    const ids = of(source).map(({ body }) => body.alertId);
    assert.equal(ids.length, 3, "the third was taken");
    assert.equal(new Set(ids).size, 1);
  });

  it("are given up after six tries", async () => {
    const source = await newSource();
    await fail(source, 5);
    webhook.answer(Array.from({ length: 20 }, () => 503));
    for (let hour = 0; hour < 10; hour++) await look(60);
    assert.equal(typesOf(source).filter((type) => type === "source.failing").length, 6);
  });

  it("are listed while they are open, also without a webhook", async () => {
    const listed = async ({ sourceId }: Source, { ask }: Pick<World, "ask">) =>
      (await ask(`/api/tracking-sources/${sourceId}/alerts`)).body.alerts;
    const source = await newSource();
    assert.deepEqual(await listed(source, world), []);
    await fail(source, 5);
    await look();
    const since = new Date(time.now()).toISOString();
    const failing = { type: "source.failing", since, stoppedEvents: [], delivery: null };
    assert.deepEqual(await listed(source, world), [failing]);
    await world.close();
    world = await openWorld({}, { clock: time.clock }, world.dataDir);
    assert.deepEqual(await listed(source, world), [failing]);
    time.advance(2 * 60 * MINUTE);
    await receive(source);
    await recorded(source);
    await look();
    assert.deepEqual(await listed(source, world), []);
    await fail(source, 5);
    await look();
    assert.equal((await listed(source, world))[0].type, "source.failing");
    assert.deepEqual(typesOf(source), ["source.failing"], "the others are not sent");
  });

  it("need both settings, and show neither", async () => {
    assert.throws(() => readConfig({ ALERT_WEBHOOK_URL: "https://a.example/" }), /belong together/);
    assert.throws(() => readConfig({ ALERT_WEBHOOK_SECRET: SECRET }), /belong together/);
    const both = { ALERT_WEBHOOK_URL: "ftp://a", ALERT_WEBHOOK_SECRET: SECRET };
    assert.throws(() => readConfig(both), /ALERT_WEBHOOK_URL cannot be the given value/);
    const support = await world.ask("/api/support?organizationId=org_default");
    const text = JSON.stringify(support.body);
    assert.ok(!text.includes("hidden") && !text.includes(SECRET));
  });
});
