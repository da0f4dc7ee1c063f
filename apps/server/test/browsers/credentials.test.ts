/** Requests with credentials arrive from a page of another site, and the page can read the answers (docs/api/ingest.md, "CORS and origin"). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { newVisitor, skip as skipChromium } from "../../../../packages/sdk/test/chromium.ts";
import { skip as skipFirefox, startFirefox } from "../../../../packages/sdk/test/firefox.ts";
import { startSite } from "../../../../packages/sdk/test/server.ts";
import { until } from "../support/until.ts";
import {
  bootstrapBody,
  type CreatedSource,
  eventsBody,
  fresh,
  ORIGIN,
  openWorld,
  trackEvent,
  type World,
} from "../support/world.ts";

const ALIAS = "/hw";

interface Tab {
  open(url: string): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
  close(): Promise<unknown>;
}

async function openChromiumTab(): Promise<Tab> {
  const context = await newVisitor();
  const page = await context.newPage();
  return {
    open: (url) => page.goto(url),
    evaluate: (expression) => page.evaluate(expression),
    close: () => context.close(),
  };
}

/** Expressions that send `body` to `url` as JSON with credentials. */
const SENDERS: Record<string, (url: string, body: object) => string> = {
  sendBeacon: (url, body) =>
    `navigator.sendBeacon(${JSON.stringify(url)},
      new Blob([${JSON.stringify(JSON.stringify(body))}], { type: "application/json" }))`,
  fetch: (url, body) =>
    `fetch(${JSON.stringify(url)}, { method: "POST", credentials: "include", body: ${JSON.stringify(JSON.stringify(body))},
      headers: { "content-type": "application/json" } }).then((response) => response.json()).then(({ ok }) => ok)`,
  XMLHttpRequest: (url, body) =>
    `new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", ${JSON.stringify(url)});
      request.withCredentials = true;
      request.setRequestHeader("content-type", "application/json");
      request.onload = () => resolve(JSON.parse(request.responseText).ok);
      request.onerror = reject;
      request.send(${JSON.stringify(JSON.stringify(body))});
    })`,
};

const BROWSERS: Record<string, { skip: string | false; openTab: () => Promise<Tab> }> = {
  Chromium: { skip: skipChromium, openTab: openChromiumTab },
  Firefox: { skip: skipFirefox, openTab: startFirefox },
};

for (const [browser, { skip, openTab }] of Object.entries(BROWSERS)) {
  describe(`Requests with credentials in ${browser}`, { skip, timeout: 300_000 }, () => {
    let world: World;
    let site: Awaited<ReturnType<typeof startSite>>;
    let source: CreatedSource;
    let tab: Tab;
    before(async () => {
      [world, site, tab] = await Promise.all([openWorld({ INGEST_ALIAS: ALIAS }), startSite(), openTab()]);
      source = await world.createSource({ allowedOrigins: [site.url, ORIGIN] });
      await tab.open(site.url);
      // a cookie of the service's host is sent along, and does not matter
      await tab.evaluate(`document.cookie = "session=1"`);
    });
    after(async () => {
      await tab?.close();
      site?.close();
      await world?.[Symbol.asyncDispose]();
    });

    const statusOf = async (batchId: string) => {
      const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug`);
      const attempts = [...body.bootstrapAttempts, ...body.eventAttempts];
      return attempts.find((attempt) => attempt.batchId === batchId)?.httpStatus;
    };

    for (const [sender, toExpression] of Object.entries(SENDERS)) {
      it(`${sender} arrives on every ingest route`, async () => {
        const { publicKey } = source;
        const sessionId = await world.openSession(source);
        for (const [base, kind] of ["/v2", ""].flatMap((version) => [
          [`/api/ingest${version}/${publicKey}`, "bootstrap"],
          [`${ALIAS}/api/ingest${version}/${publicKey}`, "events"],
        ])) {
          const batchId = fresh("batch");
          const event = trackEvent();
          const body =
            kind === "events"
              ? eventsBody(sessionId, [event], { batchId })
              : bootstrapBody({ batchId, sentAt: event.timestamp, events: [event] });
          const sent = await tab.evaluate(toExpression(`${world.url}${base}/${kind}`, body));
          assert.equal(sent, true, `${base}/${kind}`);
          await until(`${base}/${kind} has arrived`, async () => (await statusOf(batchId)) === 200);
        }
      });
    }

    it("sendBeacon arrives on a compatible endpoint", async () => {
      const body = { name: "pageview", domain: "shop.example", url: `${site.url}/beacon` };
      const url = `${world.url}/api/compat/${source.publicKey}/plausible/api/event`;
      assert.equal(await tab.evaluate(SENDERS.sendBeacon!(url, body)), true);
      await until("it has arrived", async () => {
        const { body: debug } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug`);
        return debug.eventAttempts.some(
          ({ endpoint, accepted }: Record<string, unknown>) => endpoint === "plausible" && accepted === 1,
        );
      });
    });
  });
}
