/**
 * What users get wrong, each in a real Chromium against the real service: one readable warning in the page's console,
 * one attempt with a hint where the request arrives, and the doctor names it.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { DebugAttempt, Verification } from "@headwater/contract";
import type { Page } from "playwright-core";
import { newVisitor, skip } from "../../../../packages/sdk/test/chromium.ts";
import { headwaterHere } from "../cli/command-line.ts";
import { until } from "../support/until.ts";
import { ORGANIZATION_ID, openWorld, type TestSource, type World } from "../support/world.ts";

interface Wrong {
  title: string;
  /** Makes the install wrong. @returns what the page shows in place of the right snippet, and its policy */
  spoil(world: World, source: TestSource, snippet: string): Promise<{ head?: string; policy?: string }>;
  /** The site's other name, which is another origin. */
  elsewhere?: true;
  /** What the visitor's blocker does. */
  block?(page: Page, world: World): Promise<unknown>;
  warning: RegExp;
  /** The one attempt in the debug data; null: the request does not reach the source. */
  attempt: { code: string; hint: RegExp } | null;
  /** The check that the doctor finds wrong, and the line that it says to paste; null: what it cannot see. */
  doctor: { check: string; paste(world: World, source: TestSource, site: string): string | null } | null;
}

const change = (world: World, { sourceId }: TestSource, body: object) =>
  world.ask(`/api/tracking-sources/${sourceId}`, {
    method: "PATCH",
    body: { organizationId: ORGANIZATION_ID, ...body },
  });

const WRONG: Wrong[] = [
  {
    title: "A wrong key",
    spoil: async (_world, { publicKey }, snippet) => ({
      head: snippet.replace(publicKey, "pk_of_nobody_at_all"),
    }),
    warning: /No source has this public key\..*install page.*unknown_public_key/,
    // a key that no source has can be tied to none: the log and the metrics show it, no debug view does
    attempt: null,
    doctor: { check: "key", paste: (_world, { publicKey }) => `script.dataset.key = "${publicKey}";` },
  },
  {
    title: "A rotated key",
    spoil: async (world, source) => {
      const rotated = await world.ask(`/api/tracking-sources/${source.sourceId}/regenerate-key`, {
        method: "POST",
      });
      source.publicKey = rotated.body.publicKey;
      return {};
    },
    warning: /replaced by a newer one\..*Paste the current snippet.*rotated_public_key/,
    attempt: { code: "rotated_public_key", hint: /^Paste the current snippet/ },
    doctor: { check: "key", paste: (_world, { publicKey }) => `script.dataset.key = "${publicKey}";` },
  },
  {
    title: "A wrong origin",
    spoil: async () => ({}),
    elsewhere: true,
    warning:
      /The origin http:\/\/localhost:\d+ is not allowed.*Add http:\/\/localhost:\d+.*origin_not_allowed/,
    attempt: {
      code: "origin_not_allowed",
      hint: /^Add http:\/\/localhost:\d+ to the source's `allowedOrigins`/,
    },
    doctor: { check: "origin", paste: (_world, _source, site) => site },
  },
  {
    title: "An inactive source",
    spoil: async (world, source) => {
      await change(world, source, { isActive: false });
      return {};
    },
    warning: /is inactive\..*isActive.*source_inactive/,
    attempt: { code: "source_inactive", hint: /isActive/ },
    doctor: { check: "source_active", paste: () => "npx headwater source update <source id> --active on" },
  },
  {
    title: "A CSP without connect-src",
    spoil: async (world) => ({ policy: `default-src 'self'; script-src 'unsafe-inline' ${world.url}` }),
    warning: /The CSP lacks connect-src http/,
    attempt: null,
    doctor: { check: "csp_connect", paste: ({ url }) => `connect-src 'self' ${url}` },
  },
  {
    title: "A script that a CSP blocks",
    spoil: async () => ({ policy: "script-src 'self' 'unsafe-inline'" }),
    warning: /\/sdk\/v2\.js(?:\?\S+)? was blocked.*headwater doctor/,
    attempt: null,
    doctor: { check: "csp_script", paste: ({ url }) => `script-src 'self' 'unsafe-inline' ${url}` },
  },
  {
    title: "A script that a blocker blocks",
    spoil: async () => ({}),
    block: (page, { url }) => page.route(`${url}/sdk/**`, (route) => route.abort("blockedbyclient")),
    warning: /\/sdk\/v2\.js(?:\?\S+)? was blocked.*headwater doctor/,
    attempt: null,
    // it runs in the visitor's browser: the doctor warns of names that blockers know (see doctor.test.ts)
    doctor: null,
  },
];

async function startSite() {
  const site = { head: "", policy: undefined as string | undefined };
  const server = createServer((request, response) => {
    const { policy, head } = site;
    const headers = policy === undefined ? {} : { "content-security-policy": policy };
    response.writeHead(request.url === "/favicon.ico" ? 204 : 200, {
      "content-type": "text/html",
      ...headers,
    });
    response.end(
      `<!doctype html><html lang="en"><head><title>Shop</title>${head}</head><body>Shop</body></html>`,
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return Object.assign(site, {
    url: `http://127.0.0.1:${port}`,
    otherUrl: `http://localhost:${port}`,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}

/** What a client that did not stop would do again: navigations, events, and leaving. */
async function goOn(page: Page): Promise<void> {
  await page.evaluate(`
    for (let n = 0; n < 20; n += 1) window.headwater("track", "more " + n);
    history.pushState(null, "", "/next");
    dispatchEvent(new PageTransitionEvent("pagehide"));
  `);
  // a later request of the page has come back, so what it sent before has too
  await page.evaluate("fetch(location.href).then((response) => response.text())");
}

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world[Symbol.asyncDispose]());

for (const wrong of WRONG) {
  test(`${wrong.title}: one warning, one attempt with a hint, and the doctor names it.`, {
    skip,
  }, async (t) => {
    const resources = new AsyncDisposableStack();
    t.after(() => resources.disposeAsync());
    const site = resources.use(await startSite());
    const page = await resources.use(await newVisitor()).newPage();
    const source: TestSource = await world.createSource({ allowedOrigins: [site.url] });
    const about = `/api/tracking-sources/${source.sourceId}`;
    const { browserSnippet } = (await world.ask(`${about}/install`)).body;
    const { head = browserSnippet, policy } = await wrong.spoil(world, source, browserSnippet);
    Object.assign(site, { head, policy });
    await wrong.block?.(page, world);

    const warnings: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "warning") warnings.push(message.text());
    });
    const url = wrong.elsewhere ? site.otherUrl : site.url;
    await page.goto(`${url}/welcome`);
    await until("the page's console shows a warning", async () => warnings.length > 0);
    await goOn(page);
    assert.equal(warnings.length, 1, warnings.join("\n"));
    assert.match(warnings[0]!, /^Headwater: /);
    assert.match(warnings[0]!, wrong.warning);

    const attempts: DebugAttempt[] = (await world.ask(`${about}/debug`)).body.bootstrapAttempts;
    const expected = wrong.attempt === null ? [] : [wrong.attempt];
    assert.deepEqual(
      attempts.map(({ code }) => code),
      expected.map(({ code }) => code),
    );
    for (const [at, { hint }] of expected.entries()) assert.match(attempts[at]?.hint ?? "", hint);

    if (wrong.doctor === null) return;
    const words = [`${url}/welcome`, "--key", source.publicKey, "--json"];
    const examined = await headwaterHere({}, "doctor", ...words);
    const { checks, isWorking }: Verification = examined.json();
    const found = checks
      .filter(({ status }) => status === "wrong")
      .map(({ check, paste }) => ({ check, paste }));
    const { check, paste } = wrong.doctor;
    assert.deepEqual(found, [{ check, paste: paste(world, source, url) }]);
    assert.deepEqual([examined.code, isWorking], [1, false]);
  });
}
