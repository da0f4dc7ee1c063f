import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openVisit } from "../install/visit.ts";
import { storedEvent, storedLines } from "../ledger/reader.ts";
import {
  BROWSER,
  drivenClock,
  eventsBody,
  eventsPath,
  ORIGIN,
  openWorld,
  outcomesOf,
  pageEvent,
  trackEvent,
} from "../support/world.ts";

const iso = (at: number) => new Date(at).toISOString();

const time = drivenClock();
const now = time.now();
const { world, source, sessionId } = await openVisit({
  environment: { GEO_HEADER: "X-Country", TRUST_PROXY: "1" },
  options: { clock: time.clock },
  source: { requireOrigin: false, queryParameters: "all" },
});

describe("The normal form, read from the ledger's file by an independent reader", () => {
  async function stored(event: { id: string }, over = {}, headers?: Record<string, string>) {
    const body = eventsBody(sessionId, [event], over, now);
    const reply = await world.send(eventsPath(source), body, headers);
    assert.deepEqual(outcomesOf(reply), ["accepted"]);
    return storedEvent(world.dataDir, event.id);
  }
  const pageOf = async (page: Record<string, unknown>, headers?: Record<string, string>) =>
    (await stored(pageEvent({ page }, now), {}, headers)).page;

  it("contains everything of a page event, and nothing else", async () => {
    const url = `${ORIGIN}/pricing?utm_source=news&utm_medium=mail&utm_campaign=may&utm_term=t&utm_content=c&gclid=g1&a=b#x`;
    const event = pageEvent(
      {
        timestamp: iso(now - 1_000),
        page: { url, title: "Pricing", referrer: "https://search.example:8443/q?x=1" },
        properties: { plan: "pro", nested: { list: [1, null, "x"] } },
        context: { timezone: "Europe/Vienna", screen: { width: 2560, height: 1440 }, experiment: "b" },
      },
      now,
    );
    const context = { locale: "de-AT", timezone: "UTC", viewport: "1280x720" };
    const over = { context, userId: "user-1", batchId: "batch-1", sdkVersion: "web/1.2.3" };
    const headers = { "x-country": "AT", "x-forwarded-for": "203.0.113.7" };
    const { analyticsEventId, ...rest } = await stored(event, over, headers);
    assert.match(analyticsEventId, /^evt_[0-9a-f]{32}$/);
    assert.deepEqual(rest, {
      eventId: event.id,
      sourceId: source.sourceId,
      type: "page",
      name: "page_view",
      occurredAt: iso(now - 1_000),
      timestamp: iso(now - 1_000),
      receivedAt: iso(now),
      sessionId,
      anonymousId: "visitor-1",
      userId: "user-1",
      batchId: "batch-1",
      sdkVersion: "web/1.2.3",
      sentBy: "browser",
      page: {
        url,
        origin: ORIGIN,
        host: "shop.example",
        path: "/pricing",
        query: "utm_source=news&utm_medium=mail&utm_campaign=may&utm_term=t&utm_content=c&gclid=g1&a=b",
        utm: { source: "news", medium: "mail", campaign: "may", term: "t", content: "c" },
        clickIds: { gclid: "g1" },
        title: "Pricing",
        referrer: "https://search.example:8443/q?x=1",
        referrerHost: "search.example",
      },
      source: "news",
      channel: "Paid Search",
      locale: "de-AT",
      timezone: "Europe/Vienna",
      screen: "2560x1440",
      viewport: "1280x720",
      device: {
        device: "desktop",
        os: "macOS",
        osVersion: "10.15",
        browser: "Chrome",
        browserVersion: "140",
        isBot: false,
      },
      country: "AT",
      region: null,
      city: null,
      properties: { plan: "pro", nested: { list: [1, null, "x"] } },
      context: {
        locale: "de-AT",
        timezone: "Europe/Vienna",
        viewport: "1280x720",
        screen: { width: 2560, height: 1440 },
        experiment: "b",
      },
    });
  });

  it("contains null for every absent value", async () => {
    const event = { id: "bare", type: "track", name: "bare", timestamp: iso(now) };
    const anonymous = await world.openSession(source, { anonymousId: "somebody" });
    const over = { sessionId: anonymous, anonymousId: "somebody" };
    const found = await stored(event, over, { "user-agent": "" });
    for (const name of [
      "userId",
      "page",
      "source",
      "locale",
      "timezone",
      "screen",
      "viewport",
      "country",
      "region",
      "city",
      "properties",
      "context",
    ]) {
      assert.equal(found[name], null, name);
    }
  });

  it("has planViolation only for events that violate the tracking plan", async () => {
    const plan = {
      mode: "warn",
      unknownEvents: "allow",
      events: { planned: { mode: null, schema: { required: ["price"] } } },
    };
    const path = `/api/tracking-sources/${source.sourceId}/plan`;
    assert.equal((await world.ask(path, { method: "PUT", body: { plan } })).status, 200);
    const violationOf = async (properties: object) =>
      (await stored(trackEvent({ name: "planned", properties }, now))).planViolation;
    assert.equal(await violationOf({ prise: 1 }), true);
    assert.equal(await violationOf({ price: 1 }), undefined);
  });

  it("has passive only for track events that say so", async () => {
    const passiveOf = async (event: { id: string }) => (await stored(event)).passive;
    assert.equal(await passiveOf(trackEvent({ passive: true }, now)), true);
    assert.equal(await passiveOf(trackEvent({ passive: false }, now)), undefined);
    assert.equal(await passiveOf(pageEvent({ passive: true }, now)), undefined);
  });

  describe("addresses", () => {
    it("UTM parameters and click ids count in any case, and Matomo's parameters too", async () => {
      const { utm, clickIds } = await pageOf({ url: `${ORIGIN}/?UTM_Source=News&mtm_medium=mail&SCCID=s1` });
      assert.deepEqual([utm, clickIds], [{ source: "News", medium: "mail" }, { sccid: "s1" }]);
    });

    it("a missing url or path is derived from the other", async () => {
      const byPath = await pageOf({ path: "/a/b?utm_source=x" });
      assert.deepEqual(
        [byPath.url, byPath.host, byPath.path],
        [`${ORIGIN}/a/b?utm_source=x`, "shop.example", "/a/b"],
      );
      assert.deepEqual(byPath.utm, { source: "x" });
      const byUrl = await pageOf({ url: "https://docs.example/guide/?q=1" });
      assert.deepEqual([byUrl.path, byUrl.query], ["/guide/", "q=1"]);
      const both = await pageOf({ url: `${ORIGIN}/real`, path: "/virtual" });
      assert.deepEqual([both.url, both.path], [`${ORIGIN}/real`, "/virtual"]);
      const routed = await pageOf({ url: `${ORIGIN}/real?a=1`, path: "/virtual?tab=2#x" });
      assert.deepEqual([routed.path, routed.query], ["/virtual", "a=1"]);
      const alone = await pageOf({ url: "/a?from=/b?c=d#e" });
      assert.deepEqual([alone.path, alone.query], ["/a", "from=/b?c=d"]);
    });

    it("the referrer's host is null without a referrer, or when it is the page's own", async () => {
      const hostOf = async (referrer: unknown) =>
        (await pageOf({ url: `${ORIGIN}/x`, referrer })).referrerHost;
      assert.equal(await hostOf(`${ORIGIN}/before`), null);
      assert.equal(await hostOf("https://other.example/"), "other.example");
      const own = new URL(ORIGIN).hostname.split(".").slice(-2).join(".");
      for (const host of [`blog.${own}`, `www.${own}`])
        assert.equal(await hostOf(`https://${host}/`), null, host);
      for (const none of [null, "", "nonsense", "about:blank"]) assert.equal(await hostOf(none), null);
    });

    it("user name and password are removed from addresses", async () => {
      const page = await pageOf({ url: "https://ann:secret@shop.example/x" });
      assert.equal(page.url, "https://shop.example/x");
      const referred = await pageOf({ url: `${ORIGIN}/x`, referrer: "https://ann:secret@other.example/y" });
      assert.doesNotMatch(JSON.stringify(referred), /secret/);
    });

    it("odd addresses are stored as text and cause no error", async () => {
      const odd = [
        "javascript:alert(1)",
        "data:text/html,x",
        "//evil.example/x",
        "http://",
        "x",
        "?q",
        "#",
        "file:///etc",
      ];
      for (const url of odd) assert.equal((await pageOf({ url })).url, url);
    });
  });

  describe("device, country, person", () => {
    it("device, OS and browser come from the context's user agent, else from the request's", async () => {
      const iphone =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";
      const of = async (event: Record<string, unknown>, over: object) =>
        (await stored(trackEvent(event, now), over)).device;
      assert.equal((await of({}, {})).browser, "Chrome");
      const byBatch = await of({}, { context: { userAgent: iphone } });
      assert.deepEqual([byBatch.device, byBatch.os, byBatch.browser], ["mobile", "iOS", "Safari"]);
      assert.equal(
        (await of({ context: { userAgent: BROWSER } }, { context: { userAgent: iphone } })).os,
        "macOS",
      );
    });

    it("the country comes from GEO_HEADER, else from the address, else it is null", async () => {
      const countryOf = async (headers: Record<string, string>) =>
        (await stored(trackEvent({}, now), {}, headers)).country;
      assert.equal(await countryOf({ "x-country": "NZ" }), "NZ");
      for (const wrong of ["nz", "NZL", "XX\u00e9", "1", "XX"])
        assert.equal(await countryOf({ "x-country": wrong }), null);
      assert.equal(await countryOf({ "x-forwarded-for": "8.8.8.8" }), "US");
      assert.equal(await countryOf({ "x-forwarded-for": "10.0.0.1" }), null);
    });

    it("the country header of an untrusted peer is ignored, and the address is never stored", async () => {
      await using other = await openWorld({ GEO_HEADER: "X-Country" }, { clock: time.clock });
      const own = await other.createSource();
      const event = trackEvent({}, now);
      const body = eventsBody(await other.openSession(own), [event], {}, now);
      await other.send(eventsPath(own), body, { "x-country": "NZ", "x-forwarded-for": "8.8.8.8" });
      const found = storedEvent(other.dataDir, event.id);
      assert.equal(found.country, null);
      assert.doesNotMatch(JSON.stringify(found), /8\.8\.8\.8|127\.0\.0\.1|::1/);
    });

    it("with an unreadable country database, events are stored without a country", async () => {
      const folder = mkdtempSync(join(tmpdir(), "headwater-test-"));
      const file = join(folder, "countries.mmdb");
      writeFileSync(file, Buffer.from("\xab\xcd\xefMaxMind.com", "latin1"));
      await using other = await openWorld({ GEOIP_FILE: file }, { clock: time.clock });
      rmSync(folder, { recursive: true });
      const own = await other.createSource();
      const event = trackEvent({}, now);
      const body = eventsBody(await other.openSession(own), [event], {}, now);
      assert.deepEqual(outcomesOf(await other.send(eventsPath(own), body)), ["accepted"]);
      assert.equal(storedEvent(other.dataDir, event.id).country, null);
    });

    it("an event has the batch's userId, else that of its session", async () => {
      const identified = await world.openSession(source, { userId: "known", anonymousId: "other" });
      const found = await stored(trackEvent({}, now), { sessionId: identified, anonymousId: "other" });
      assert.equal(found.userId, "known");
    });
  });

  it("what shipping and erasure read comes first in its line, and a tab ends it", async () => {
    const anonymousId = '\t","userId":"\u2028';
    const event = trackEvent({ anonymousId, properties: { text: "a\tb" } }, now);
    const found = await stored(event, { userId: "user\t1" });
    const lines = storedLines(world.dataDir).filter((line) => JSON.parse(line).eventId === event.id);
    const parts = lines.flatMap((line) => line.split("\t"));
    assert.equal(parts.length, 2);
    const { analyticsEventId, occurredAt, receivedAt } = found;
    assert.deepEqual(JSON.parse(`${parts[0]}}`), {
      analyticsEventId,
      sourceId: source.sourceId,
      anonymousId,
      userId: "user\t1",
      occurredAt,
      receivedAt,
    });
  });

  it("strings are made well-formed: NUL and lone surrogates become U+FFFD, keys too", async () => {
    const event = trackEvent({ name: "a@0b", properties: { "k@1": ["x@1y", "@0"], pair: "😀" } }, now);
    const text = JSON.stringify(eventsBody(sessionId, [event], { userId: "u@0" }, now))
      .replaceAll("@0", "\\u0000")
      .replaceAll("@1", "\\ud800");
    await world.send(eventsPath(source), text);
    const found = storedEvent(world.dataDir, event.id);
    assert.deepEqual([found.name, found.userId], ["a\ufffdb", "u\ufffd"]);
    assert.deepEqual(found.properties, { "k\ufffd": ["x\ufffdy", "\ufffd"], pair: "😀" });
  });

  it("__proto__ and constructor are ordinary data; of duplicate keys the last one is used", async () => {
    const json =
      '{"a":1,"a":2,"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":"x"}';
    const event = trackEvent({ properties: "@" }, now);
    const text = JSON.stringify(eventsBody(sessionId, [event], {}, now)).replace('"@"', json);
    assert.deepEqual(outcomesOf(await world.send(eventsPath(source), text)), ["accepted"]);
    const found = storedEvent(world.dataDir, event.id);
    assert.equal(JSON.stringify(found.properties), JSON.stringify(JSON.parse(json)));
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });
});
