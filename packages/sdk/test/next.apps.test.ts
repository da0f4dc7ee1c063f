/** A new Next.js app with the App Router and the documented code, against the real server. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, type TestContext, test } from "node:test";
import type { ConsoleMessage } from "playwright-core";
import { installPayload } from "../../../apps/server/src/install/install.ts";
import { openWorld, type World } from "../../../apps/server/test/support/world.ts";
import { newVisitor, skip } from "./chromium.ts";
import { type App, isLong, openWorkshop, paste, type Workshop } from "./fresh-app.ts";
import { addToNextLayout } from "./react-app.ts";
import { type AppSource, acceptedEvents, createShop, visitShop } from "./shop-visit.ts";

let world: World;
let workshop: Workshop;
before(async () => {
  if (!skip) [world, workshop] = await Promise.all([openWorld(), openWorkshop("next")]);
});
after(() => Promise.all([world?.close(), workshop?.[Symbol.asyncDispose]()]));

async function create(overlay: string, source: AppSource): Promise<App> {
  const settings = { NEXT_PUBLIC_HEADWATER_KEY: source.publicKey, NEXT_PUBLIC_HEADWATER_URL: world.url };
  const app = await workshop.create(overlay, settings);
  if (overlay !== "example") return app;
  const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/install`);
  await paste(app, "app/layout.tsx", () => addToNextLayout(body.nextjsExample));
  return app;
}

const listening = ["--hostname", "127.0.0.1", "--port", "0"];

async function visitInDevelopment(overlay: string): Promise<void> {
  const source = await createShop(world);
  const app = await create(overlay, source);
  await using site = await app.serve("next", "dev", ...listening);
  await visitShop(site.url, world, source);
}

/** Next.js has the policy "nextjs" of its own. */
const policy = "require-trusted-types-for 'script'; trusted-types headwater nextjs";
const headers = [{ source: "/:path*", headers: [{ key: "Content-Security-Policy", value: policy }] }];
const underTrustedTypes = `export default { headers: async () => ${JSON.stringify(headers)} };`;

/** Calls `use` with the built site after a visit under Trusted Types. */
async function visitAsBuilt(overlay: string, use?: (url: string, source: AppSource) => Promise<void>) {
  const source = await createShop(world);
  const app = await create(overlay, source);
  await paste(app, "next.config.ts", () => underTrustedTypes);
  const report = await app.run("next", "build");
  assert.match(report, /^. ○ \/pricing$/m, "static pages stay static");
  assert.equal(await app.run("tsc", "--strict", "-p", "."), "");
  await using site = await app.serve("next", "start", ...listening);
  await visitShop(site.url, world, source);
  await use?.(site.url, source);
}

const counts = "counts one view on load and one for each navigation";
const provider = "the package's provider in app/layout.tsx";

test(`In development the Next.js example ${counts}.`, { skip }, () => visitInDevelopment("example"));
test(
  `Built for production the Next.js example ${counts}, under Trusted Types too; a blocked script is one warning.`,
  { skip },
  () =>
    visitAsBuilt("example", async (url) => {
      const visitor = await newVisitor();
      try {
        const page = await visitor.newPage();
        await page.route(`${world.url}/sdk/**`, (route) => route.abort("blockedbyclient"));
        const warnings: string[] = [];
        page.on("console", (message) => {
          if (message.type() === "warning") warnings.push(message.text());
        });
        const isWarning = (message: ConsoleMessage) => message.type() === "warning";
        await Promise.all([page.waitForEvent("console", isWarning), page.goto(url)]);
        await page.getByRole("link", { name: "Pricing" }).click();
        await page.getByRole("heading", { name: "Pricing" }).waitFor();
        assert.deepEqual(warnings, [
          `Headwater: ${world.url}/sdk/v2.js?with=engagement was blocked, so nothing is counted. Run \`npx headwater doctor\`.`,
        ]);
      } finally {
        await visitor.close();
      }
    }),
);
if (isLong) test(`In development ${provider} ${counts}.`, { skip }, () => visitInDevelopment("package"));
test(
  `In development startAnalytics() in instrumentation-client.ts beside a provider ${counts}.`,
  { skip },
  () => visitInDevelopment("instrumentation"),
);

async function checkProxyRule(t: TestContext, basePath: string): Promise<void> {
  const forwarded: object[] = [];
  const service = createServer(({ url, method, headers }, response) => {
    forwarded.push({ url, method, cookie: headers.cookie, type: headers["content-type"] });
    response.end("of the service");
  }).listen(0, "127.0.0.1");
  t.after(() => {
    service.closeAllConnections();
    service.close();
  });
  await once(service, "listening");
  const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const source = { sourceId: "src_1", publicKey: "pk_1", name: "Shop", frameworkHint: null };
  const app = await create("package", await createShop(world));
  const { nextjs } = installPayload(source, { baseUrl, appUrl: baseUrl }).proxy;
  await paste(app, "proxy.ts", () => nextjs);
  await paste(app, "next.config.ts", () => `export default ${JSON.stringify({ basePath })};`);
  await using site = await app.serve("next", "dev", ...listening);
  const headers = { cookie: "session=the-site's", "content-type": "text/plain" };
  const events = `${site.url}${basePath}/hw/api/ingest/v2/pk_1/events?handling=lenient`;
  const answer = await fetch(events, { method: "POST", headers, body: "{}" });
  assert.equal(await answer.text(), "of the service");
  await (
    await fetch(`${site.url}${basePath}/hw/sdk/v2.js`, { headers: { cookie: "session=the-site's" } })
  ).text();
  assert.equal((await fetch(`${site.url}${basePath}/pricing`)).status, 200);
  assert.deepEqual(forwarded, [
    {
      url: "/api/ingest/v2/pk_1/events?handling=lenient",
      method: "POST",
      cookie: undefined,
      type: "text/plain",
    },
    { url: "/sdk/v2.js", method: "GET", cookie: undefined, type: undefined },
  ]);
  assert.equal(await app.run("tsc", "--strict", "-p", "."), "");
}

const proxyTitle =
  "The install page's proxy rule forwards the script and ingest requests, without the site's cookies";
if (isLong) test(`${proxyTitle}.`, { skip }, (t) => checkProxyRule(t, ""));
test(`${proxyTitle}, below a basePath.`, { skip }, (t) => checkProxyRule(t, "/shop"));

test(
  `Built for production ${provider} ${counts}, under Trusted Types too; a route handler's event is counted once.`,
  { skip },
  () =>
    visitAsBuilt("package", async (url, source) => {
      const order = async () => {
        const body = JSON.stringify({ orderId: "o-1", userId: "u-1" });
        const { status, code } = await (await fetch(`${url}/api/order`, { method: "POST", body })).json();
        return { status, code };
      };
      assert.deepEqual(await order(), { status: "accepted", code: null });
      assert.deepEqual(await order(), { status: "duplicate", code: "duplicate_event" });
      assert.equal((await acceptedEvents(world, source)).filter((name) => name === "order_paid").length, 1);
    }),
);
