/** The source and channel that a stored event has (docs/api/stored-events.md, "Source and channel"). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { storedEvent } from "../ledger/reader.ts";
import {
  eventsBody,
  eventsPath,
  ORGANIZATION_ID,
  ORIGIN,
  openWorld,
  outcomesOf,
  pageEvent,
  trackEvent,
  type World,
} from "../support/world.ts";

describe("The source and channel of an event", () => {
  let world: World;
  let source: Awaited<ReturnType<World["createSource"]>>;
  let sessionId: string;
  before(async () => {
    world = await openWorld();
    source = await world.createSource({ allowedOrigins: [ORIGIN, "https://*.second.example"] });
    sessionId = await world.openSession(source);
  });
  after(() => world[Symbol.asyncDispose]());

  async function patch(body: object) {
    const { status } = await world.ask(`/api/tracking-sources/${source.sourceId}`, {
      method: "PATCH",
      body: { organizationId: ORGANIZATION_ID, ...body },
    });
    assert.equal(status, 200);
  }

  async function stored(event: { id: string }) {
    const reply = await world.send(eventsPath(source), eventsBody(sessionId, [event]));
    assert.deepEqual(outcomesOf(reply), ["accepted"]);
    const { source: name, channel } = storedEvent(world.dataDir, event.id);
    return [name, channel];
  }
  const ofPage = (query: string, referrer: string | null = null) =>
    stored(pageEvent({ page: { url: `${ORIGIN}/landing${query}`, referrer } }));

  it("come from the referrer: a known name, else its host without www.", async () => {
    for (const [referrer, ...expected] of [
      ["https://www.google.co.uk/", "Google", "Organic Search"],
      ["https://l.facebook.com/l.php?u=x", "Facebook", "Organic Social"],
      ["https://chatgpt.com/", "ChatGPT", "AI"],
      ["android-app://com.google.android.gm/", "Gmail", "Email"],
      ["https://www.Partner.example:8443/a?b=c", "partner.example", "Referral"],
    ] as const)
      assert.deepEqual(await ofPage("", referrer), expected, referrer);
  });

  it("come from the campaign, which wins over the referrer, even when the source does not store its parameter.", async () => {
    for (const [query, ...expected] of [
      ["?UTM_Source=Google&utm_MEDIUM=CPC", "Google", "Paid Search"],
      ["?ref=producthunt", "Product Hunt", "Organic Social"],
      ["?source=our-partner", "our-partner", "Referral"],
      ["?ttclid=a1", "TikTok", "Paid Social"],
    ] as const)
      assert.deepEqual(await ofPage(query, "https://www.bing.com/"), expected, query);
    await patch({ queryParameters: [] });
    assert.deepEqual(await ofPage("?ref=producthunt"), ["Product Hunt", "Organic Social"]);
  });

  it("are null and Direct without an outside referrer: the page's domain and the allowed origins are the site's own.", async () => {
    for (const referrer of [
      null,
      `${ORIGIN}/other`,
      "https://blog.shop.example/",
      "https://www.second.example/",
      "not an address",
    ])
      assert.deepEqual(await ofPage("", referrer), [null, "Direct"], String(referrer));
    assert.deepEqual(await stored(trackEvent({ name: "signup", page: null })), [null, "Direct"]);
  });

  it("follow the source's own rules first, except for direct visits.", async () => {
    const channelRules = [
      { field: "referrer", pattern: "*partner.example", source: "Partners", channel: "Affiliates" },
      { field: "source", pattern: "google", source: null, channel: "Display" },
      { field: "medium", pattern: "*", source: "Any medium", channel: null },
    ];
    await patch({ channelRules });
    assert.deepEqual(await ofPage("", "https://www.Partner.example/"), ["Partners", "Affiliates"]);
    assert.deepEqual(await ofPage("", "https://www.google.de/"), ["Google", "Display"]);
    assert.deepEqual(await ofPage("?utm_source=x1&utm_medium=email"), ["Any medium", "Email"]);
    assert.deepEqual(await ofPage(""), [null, "Direct"]);
    for (const wrong of [{ field: "page" }, { channel: "Print" }, { pattern: "" }]) {
      const { status } = await world.ask(`/api/tracking-sources/${source.sourceId}`, {
        method: "PATCH",
        body: { organizationId: ORGANIZATION_ID, channelRules: [{ ...channelRules[0], ...wrong }] },
      });
      assert.equal(status, 422, JSON.stringify(wrong));
    }
    await patch({ channelRules: [] });
  });

  it("change with the allowed origins, for events that arrive later.", async () => {
    assert.deepEqual(await ofPage("", "https://www.third.example/"), ["third.example", "Referral"]);
    const allowedOrigins = [ORIGIN, "https://third.example"];
    await patch({ allowedOrigins });
    assert.deepEqual(await ofPage("", "https://www.third.example/"), [null, "Direct"]);
    assert.deepEqual(await ofPage("", "https://www.second.example/"), ["second.example", "Referral"]);
  });
});
