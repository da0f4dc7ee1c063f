/** The work of a coding agent: it adds tracking to a new Vite app and sees the first event arrive. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createServer } from "vite";
import { newVisitor, skip } from "../../../../packages/sdk/test/chromium.ts";
import { isInstalled } from "../../src/clickhouse/embedded/start.ts";
import { folder } from "../cli/command-line.ts";
import { until } from "../support/until.ts";
import { ORGANIZATION_ID, OWNER_TOKEN, openWorld } from "../support/world.ts";
import { type Agent, agentOverHttp, agentOverStdio } from "./agent.ts";

/** The files of a new app without a framework. */
const APP = {
  "index.html": `<!doctype html>
<html lang="en">
  <head>
    <meta charset="UTF-8" />
    <title>Vite App</title>
  </head>
  <body>
    <div id="app"></div>
    <script type="module" src="/src/main.js"></script>
  </body>
</html>
`,
  "src/main.js": `document.querySelector("#app").innerHTML = "<h1>Hello Vite!</h1>";\n`,
};

async function openViteApp() {
  const root = await mkdtemp(join(tmpdir(), "headwater-agent-"));
  await mkdir(join(root, "src"));
  for (const [path, text] of Object.entries(APP)) await writeFile(join(root, path), text);
  const server = await createServer({
    root,
    configFile: false,
    logLevel: "silent",
    server: { host: "127.0.0.1", port: 0, watch: null },
  });
  await server.listen();
  const [url = ""] = server.resolvedUrls?.local ?? [];
  const close = async () => {
    await server.close();
    await rm(root, { recursive: true });
  };
  return { root, url, origin: new URL(url).origin, [Symbol.asyncDispose]: close };
}

interface Install {
  sourceId: string;
  publicKey: string;
  apiBaseUrl: string;
}

/** What the agent saw in the page. */
const reportOf = (url: string, { publicKey, apiBaseUrl }: Install, request: object) => ({
  url,
  snippets: [{ kind: "inline", scriptUrl: null, publicKey, apiBaseUrl, nonce: null, hash: null }],
  policies: [],
  script: "loaded",
  request,
  sentAt: new Date().toISOString(),
});

/** What the tools say is all that the agent knows. */
async function addTracking(agent: Agent, app: { root: string; origin: string }): Promise<Install> {
  const { organizations } = (await agent.call("list_organizations")).body;
  const [{ organizationId }] = organizations;
  const { sources = [] } = (await agent.call("list_sources", { organizationId })).body;
  assert.deepEqual(sources, [], "the app has no source yet");
  const wanted = { organizationId, name: "Vite App", allowedOrigins: [app.origin] };
  const { sourceId } = (await agent.call("create_source", wanted)).body;
  const { paste, publicKey, apiBaseUrl } = (await agent.call("get_install", { sourceId, framework: "html" }))
    .body;
  const page = join(app.root, "index.html");
  await writeFile(
    page,
    (await readFile(page, "utf8")).replace("</head>", () => `${paste}</head>`),
  );
  return { sourceId, publicKey, apiBaseUrl };
}

const WAYS = {
  "headwater mcp": async (url: string, tokenFile: string) => {
    await writeFile(tokenFile, OWNER_TOKEN);
    return agentOverStdio(["--api", url, "--token-file", tokenFile]);
  },
  "POST /mcp": (url: string) => agentOverHttp(url),
};

for (const [way, open] of Object.entries(WAYS)) {
  const withStats = way === "POST /mcp" && isInstalled();
  test(`An agent adds tracking to a new Vite app and sees the first event (${way}).`, {
    skip,
  }, async () => {
    await using world = await openWorld(withStats ? { WAREHOUSE: "embedded" } : {});
    await using app = await openViteApp();
    using files = folder();
    await using agent = await open(world.url, files.at("token"));
    const source = await addTracking(agent, app);
    const { sourceId } = source;
    const { body: before } = await agent.call("get_debug", { sourceId });
    assert.equal(before.health?.status, "waiting", JSON.stringify(before));

    await using visitor = await newVisitor();
    await (await visitor.newPage()).goto(app.url);
    const accepted = await until("the first event is accepted", async () => {
      const { bootstrapAttempts = [], eventAttempts = [] } = (await agent.call("get_debug", { sourceId }))
        .body;
      return [...bootstrapAttempts, ...eventAttempts].find((attempt) => attempt.accepted > 0);
    });
    assert.equal(accepted.origin, app.origin);
    assert.equal(accepted.results[0].status, "accepted");
    const { attemptId, httpStatus: status } = accepted;
    const report = reportOf(app.url, source, { status, code: null, attemptId });
    const { body: verified } = await agent.call("verify_install", { sourceId, report });
    assert.equal(verified.isWorking, true, JSON.stringify(verified));
    if (!withStats) return;
    const query = {
      sourceId,
      dateRange: "today",
      metrics: ["visitors", "pageviews"],
      include: { bots: true },
    };
    const rows = await until("the page view is counted", async () => {
      const { isError, body } = await agent.call("query_stats", query);
      return !isError && body.results[0]?.metrics?.[0] > 0 && body.results;
    });
    assert.deepEqual(rows[0].metrics, [1, 1]);
  });
}

test("An agent whose app has another origin reads what to change, changes it, and the event arrives.", {
  skip,
}, async () => {
  await using world = await openWorld();
  await using app = await openViteApp();
  await using agent = await agentOverHttp(world.url);
  const { sourceId } = await addTracking(agent, { ...app, origin: "http://localhost:1" });
  await using visitor = await newVisitor();
  const page = await visitor.newPage();
  await page.goto(app.url);
  const refusal = await until("the request is refused", async () => {
    const { bootstrapAttempts = [] } = (await agent.call("get_debug", { sourceId })).body;
    return bootstrapAttempts[0];
  });
  assert.equal(refusal.code, "origin_not_allowed");
  assert.ok(refusal.hint.includes(app.origin), refusal.hint);
  await agent.call("update_source", {
    sourceId,
    organizationId: ORGANIZATION_ID,
    allowedOrigins: [app.origin],
  });
  await page.reload();
  await until("the first event is accepted", async () => {
    const { body } = await agent.call("get_debug", { sourceId });
    return body.health.last24h.accepted > 0;
  });
});
