/**
 * The snippets for Vue, Svelte, Angular, Remix, Nuxt and Astro in a browser, as their frameworks deliver them, Node's in a process and
 * curl's in a shell, against the real service. Each is pasted as it is; a page view arrives.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import type { DebugAttempt, InstallPayload } from "@headwater/contract";
import { newVisitor, skip } from "../../../../packages/sdk/test/chromium.ts";
import { until } from "../support/until.ts";
import { ORGANIZATION_ID, openWorld, type World } from "../support/world.ts";
import { bundle } from "./snippet-bundle.ts";

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world[Symbol.asyncDispose]());

const asScript = async (code: Promise<string>) =>
  `<script defer src="data:text/javascript,${encodeURIComponent(await code)}"></script>`;

/** In each way that a page has, and with the parts of the module that the framework hands out. */
const EARLY = `window.headwater?.("track", "by the window"); headwater("track", "by its name"); track("early", { n: 1 });`;

type Snippets = InstallPayload["snippets"];
const FRAMEWORKS: Record<
  Exclude<keyof Snippets, "node" | "curl">,
  (snippets: Snippets) => Promise<string>
> = {
  vue: ({ vue }) =>
    asScript(bundle(vue, `import "./headwater"; import { headwater, track } from "./headwater"; ${EARLY}`)),
  svelte: ({ svelte }) =>
    asScript(
      bundle(
        svelte,
        `import "./lib/headwater"; import { headwater, track } from "./lib/headwater"; ${EARLY}`,
      ),
    ),
  angular: ({ angular }) =>
    asScript(
      bundle(angular, `import "./headwater"; import { headwater, track } from "./headwater"; ${EARLY}`),
    ),
  remix: ({ remix }) =>
    asScript(
      bundle(
        remix,
        `import { createElement } from "react"; import { flushSync } from "react-dom";
         import { createRoot } from "react-dom/client"; import { Headwater, headwater, track } from "../app/headwater";
         const root = createRoot(document.createElement("div"));
         flushSync(() => root.render(createElement(Headwater))); ${EARLY}`,
      ),
    ),
  // Nuxt imports every file of plugins/ and hands out what they provide
  nuxt: ({ nuxt }) =>
    asScript(
      bundle(
        nuxt,
        `import "./nuxt"; import plugin from "../app/plugins/headwater.client"; const { headwater, track } = plugin().provide; ${EARLY}`,
        { "src/nuxt.ts": "Object.assign(globalThis, { defineNuxtPlugin: (plugin) => plugin });" },
      ),
    ),
  // Astro leaves an is:inline script as it is, without the word
  astro: async ({ astro }) =>
    `${astro.replace(/^---\n[\s\S]*?\n---\n/, "").replace("<script is:inline>", "<script>")}<script>const track = headwater.bind(null, "track"); ${EARLY}</script>`,
};

for (const [framework, show] of Object.entries(FRAMEWORKS)) {
  test(`${framework}: one view on load, the calls made before the script came, and the navigation.`, {
    skip,
  }, async (t) => {
    let head = "";
    const site = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(`<!doctype html><title>Shop</title>${head}`);
    }).listen(0, "127.0.0.1");
    await once(site, "listening");
    const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const context = await newVisitor();
    t.after(async () => {
      await context.close();
      site.closeAllConnections();
      site.close();
    });
    const { sourceId } = await world.createSource({ allowedOrigins: [url], name: `</script>"'${framework}` });
    const about = `/api/tracking-sources/${sourceId}`;
    head = await show((await world.ask(`${about}/install`)).body.snippets);

    const page = await context.newPage();
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(error.message));
    await page.goto(`${url}/welcome`);
    await page.waitForFunction("window.headwater?.version");
    await page.evaluate("history.pushState(null, '', '/next'); headwater('track', 'last')");
    const arrived = await until("the last event is in the debug data", async () => {
      const { bootstrapAttempts, eventAttempts } = (await world.ask(`${about}/debug`)).body;
      const results = [...bootstrapAttempts, ...eventAttempts.toReversed()].flatMap(
        (one: DebugAttempt) => one.results,
      );
      return results.some(({ name }) => name === "last") && results;
    });
    // a view that takes longer than a second has a report
    const caused = arrived.filter(({ name }) => name !== "engagement");
    assert.deepEqual(
      caused.map(({ name, status }) => [name, status]),
      [
        ["page_view", "accepted"],
        ["by the window", "accepted"],
        ["by its name", "accepted"],
        ["early", "accepted"],
        ["page_view", "accepted"],
        ["last", "accepted"],
      ],
    );
    assert.deepEqual(
      said.filter((text) => !text.includes("favicon")),
      [],
    );
  });
}

const inShell = (script: string, environment: Record<string, string> = {}) =>
  promisify(execFile)("sh", ["-ec", script], { env: { ...process.env, ...environment } });

/** A source that allows no origin, and a token to send its events. */
async function openServerSource() {
  const { sourceId } = await world.createSource({ allowedOrigins: [], name: `\`\${x}"</script>` });
  const body = { organizationId: ORGANIZATION_ID, label: "server", scope: "ingest", sourceId };
  const { token } = (await world.ask("/api/tokens", { method: "POST", body })).body;
  const { snippets } = (await world.ask(`/api/tracking-sources/${sourceId}/install`)).body;
  const senders = async () => {
    const { bootstrapAttempts } = (await world.ask(`/api/tracking-sources/${sourceId}/debug`)).body;
    return bootstrapAttempts.flatMap(({ normalized }: { normalized: { sentBy: string }[] }) =>
      normalized.map(({ sentBy }) => sentBy),
    );
  };
  return { snippets, senders, environment: { HEADWATER_TOKEN: token } };
}

test("node: an event is accepted once per id, as a server's, without an Origin.", async () => {
  const { snippets, senders, environment } = await openServerSource();
  const call = 'console.log(await track("paid", { total: 1 }, { id: "order:1", userId: "u-1" }));';
  const run = () =>
    promisify(execFile)(process.execPath, ["--input-type=module", "-e", `${snippets.node}\n${call}`], {
      env: { ...process.env, ...environment },
    });
  assert.deepEqual([(await run()).stdout, (await run()).stdout], ["accepted\n", "duplicate\n"]);
  assert.deepEqual(await senders(), ["server", "server"]);
});

test("node: without HEADWATER_TOKEN the error says so, and nothing is sent.", async () => {
  const { snippets, senders } = await openServerSource();
  const call = 'await track("paid", {}, { id: "order:2", userId: "u-1" });';
  const run = promisify(execFile)(process.execPath, [
    "--input-type=module",
    "-e",
    `${snippets.node}\n${call}`,
  ]);
  await assert.rejects(run, /HEADWATER_TOKEN is not set/);
  assert.deepEqual(await senders(), []);
});

test("curl: with HEADWATER_TOKEN the view is a server's, and needs no allowed origin.", async () => {
  const { snippets, senders, environment } = await openServerSource();
  const script = snippets.curl.replace(/ -H 'Origin[^']*'/, "");
  assert.match((await inShell(script, environment)).stdout, /"accepted":1/);
  assert.deepEqual(await senders(), ["server"]);
});

test("curl: each run is one accepted view, for every kind of origin, and for a source that asks for none.", async () => {
  for (const over of [
    { allowedOrigins: ["https://shop.example"] },
    { allowedOrigins: ["https://*.shop.example", "https://other.example"] },
    { allowedOrigins: ["http://localhost:*"] },
    { allowedOrigins: ["capacitor://localhost"] },
    { allowedOrigins: ["*"] },
    { allowedOrigins: [] },
    { allowedOrigins: ["https://shop.example"], requireOrigin: true },
  ]) {
    const { sourceId } = await world.createSource({ ...over, name: `$(touch /tmp/x)'; exit 1; "` });
    const { snippets } = (await world.ask(`/api/tracking-sources/${sourceId}/install`)).body;
    const { stdout } = await inShell(snippets.curl);
    assert.match(stdout, /"accepted":1,"duplicates":0,"rejected":0/, JSON.stringify(over));
    assert.match(stdout, /"warnings":\[\]/, "it counts: it is not a suspected bot");
    const again = await inShell(snippets.curl);
    assert.match(again.stdout, /"accepted":1,"duplicates":0/);
  }
});
