import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LIMITS } from "@headwater/contract";
import { openVisit } from "../install/visit.ts";
import { storedEvent } from "../ledger/reader.ts";
import { eventsBody, eventsPath, ORIGIN, outcomesOf, pageEvent, trackEvent } from "../support/world.ts";

const SMART = "😀";

const { world, source, sessionId, send, sendOne } = await openVisit();

describe("Warnings: an event with odd data is stored, and its result says what was changed", () => {
  it("url_truncated: url and referrer are cut at 4,096 characters", async () => {
    const long = `${ORIGIN}/${"a".repeat(5_000)}`;
    for (const page of [{ url: long }, { url: ORIGIN, referrer: long }, { path: `/${"a".repeat(5_000)}` }]) {
      const { outcome, warnings, stored } = await sendOne(pageEvent({ page }));
      assert.deepEqual([outcome, warnings], ["accepted", ["url_truncated"]]);
      const cut = [stored.page.url, stored.page.referrer].filter((text) => text?.length > 1_000);
      assert.ok(
        cut.every((text) => text.length <= 4_096 + ORIGIN.length),
        String(cut.map((text) => text.length)),
      );
    }
    assert.deepEqual((await sendOne(pageEvent({ page: { url: long.slice(0, 4_096) } }))).warnings, []);
  });

  it("revenue_invalid: an amount that is not a number, or a currency that ISO 4217 does not have", async () => {
    const sent = async (revenue: unknown) => sendOne(trackEvent({ properties: { revenue } }));
    for (const revenue of [
      12,
      "12 EUR",
      { amount: "12", currency: "EUR" },
      { amount: 12, currency: "EURO" },
      { amount: 2e12, currency: "EUR" },
    ]) {
      const { outcome, warnings, stored } = await sent(revenue);
      assert.deepEqual([outcome, warnings], ["accepted", ["revenue_invalid"]]);
      assert.deepEqual([stored.revenue, stored.properties.revenue], [undefined, revenue]);
    }
    const { warnings, stored } = await sent({ amount: -12.34567, currency: "eur" });
    assert.deepEqual([warnings, stored.revenue, stored.currency], [[], -12.3457, "EUR"]);
    assert.deepEqual((await sent(null)).warnings, []);
  });

  it("an engagement report is a passive event; values out of range are left out", async () => {
    const sent = async (properties: object, passive = true) => {
      const { stored } = await sendOne(trackEvent({ name: "engagement", passive, properties }));
      return [stored.engagedSeconds, stored.scrollDepth];
    };
    assert.deepEqual(await sent({ seconds: 12.3, scrollDepth: 79.6 }), [12.3, 80]);
    assert.deepEqual(await sent({ seconds: -1, scrollDepth: 101 }), [undefined, undefined]);
    assert.deepEqual(await sent({ seconds: 12.3, scrollDepth: 80 }, false), [undefined, undefined]);
  });

  it("value_truncated: a title at 500, a property's string at 8,192 characters", async () => {
    const title = await sendOne(pageEvent({ page: { path: "/", title: "t".repeat(501) } }));
    assert.deepEqual([title.warnings, title.stored.page.title.length], [["value_truncated"], 500]);
    const deep = await sendOne(trackEvent({ properties: { a: [{ b: "p".repeat(8_193) }] } }));
    assert.deepEqual([deep.warnings, deep.stored.properties.a[0].b.length], [["value_truncated"], 8_192]);
    const both = { page: { path: "/", title: "t".repeat(501) }, properties: { a: "p".repeat(8_193) } };
    assert.deepEqual((await sendOne(pageEvent(both))).warnings, ["value_truncated"], "said once");
    const exact = { page: { path: "/", title: "t".repeat(500) }, properties: { a: "p".repeat(8_192) } };
    assert.deepEqual((await sendOne(pageEvent(exact))).warnings, []);
  });

  it("text that is cut in the middle of a character stays well-formed", async () => {
    const page = {
      url: `${ORIGIN}/${"a".repeat(4_095 - ORIGIN.length - 1)}${SMART}`,
      title: `${"t".repeat(499)}${SMART}`,
    };
    const properties = { a: `${"p".repeat(8_191)}${SMART}` };
    const context = { screen: `${"s".repeat(31)}${SMART}` };
    const { stored } = await sendOne(pageEvent({ page, properties, context }));
    assert.doesNotMatch(JSON.stringify(stored), /\\ud[89a-f]/, "no half of a pair is left");
    const path = await sendOne(
      pageEvent({ page: { path: `/${"a".repeat(4_094)}${SMART}`, referrer: page.url } }),
    );
    assert.doesNotMatch(JSON.stringify(path.stored), /\\ud[89a-f]/);
  });

  it("number_not_finite: a number that is not finite becomes null", async () => {
    const event = JSON.stringify(
      eventsBody(sessionId, [trackEvent({ properties: { a: "@", b: [{ c: "@" }] } })]),
    );
    const reply = await world.send(
      eventsPath(source),
      event.replaceAll('"@"', "1e400").replace("1e400", "-1e999"),
    );
    assert.deepEqual(outcomesOf(reply), ["accepted"]);
    assert.deepEqual(reply.body.results[0].warnings, ["number_not_finite"]);
    const stored = storedEvent(world.dataDir, reply.body.results[0].eventId);
    assert.deepEqual(stored.properties, { a: null, b: [{ c: null }] });
  });

  it("number_not_finite: numbers in page and context too", async () => {
    const event = pageEvent({ page: { path: "/", depth: "@" }, context: { scale: "@" } });
    const text = JSON.stringify(eventsBody(sessionId, [event])).replaceAll('"@"', "1e400");
    const reply = await world.send(eventsPath(source), text);
    assert.deepEqual(reply.body.results[0].warnings, ["number_not_finite"]);
    assert.equal(storedEvent(world.dataDir, event.id).context.scale, null);
    const batch = JSON.stringify(
      eventsBody(sessionId, [trackEvent(), trackEvent()], { context: { scale: "@" } }),
    );
    const ofBatch = await world.send(eventsPath(source), batch.replaceAll('"@"', "-1e400"));
    for (const { warnings } of ofBatch.body.results) assert.deepEqual(warnings, ["number_not_finite"]);
  });

  it("too_many_property_names: an event beyond the names of its source is stored with all of them", async () => {
    const own = await world.createSource();
    const session = await world.openSession(own);
    const limit = LIMITS.maxPropertyNamesPerDay;
    const namesFrom = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${from + index}`, index]));
    const events = [
      ...Array.from({ length: limit / 200 }, (_, index) =>
        trackEvent({ properties: namesFrom(index * 200, 200) }),
      ),
      trackEvent({ properties: { n0: 1, n7: "again" } }),
      trackEvent({ properties: { n0: 1, cart: { [`n${limit}`]: 2 } } }),
    ];
    const { body } = await world.send(eventsPath(own), eventsBody(session, events));
    const warned = body.results.map((result: { warnings: string[] }) => result.warnings.length);
    assert.deepEqual(warned, [...Array(limit / 200 + 1).fill(0), 1]);
    assert.deepEqual(body.results.at(-1).warnings, ["too_many_property_names"]);
    const { properties } = storedEvent(world.dataDir, String(body.results.at(-1).eventId));
    assert.deepEqual(properties, events.at(-1)?.properties);
  });

  it("bot_suspected: an event with a crawler's user agent is stored and marked", async () => {
    const bot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
    const { outcome, warnings, stored } = await sendOne(trackEvent(), {}, { "user-agent": bot });
    assert.deepEqual([outcome, warnings, stored.device.isBot], ["accepted", ["bot_suspected"], true]);
  });

  it("a rejected event has no warnings; a stored one may have several", async () => {
    const event = { timestamp: new Date().toISOString().slice(0, -1), anonymousId: "visitor-2" };
    const reply = await send([trackEvent(event), trackEvent({ ...event, type: "odd" })]);
    const warnings = reply.body.results.map((one: { warnings: string[] }) => one.warnings.toSorted());
    assert.deepEqual(warnings, [["anonymous_id_mismatch", "timezone_assumed"], []]);
  });
});
