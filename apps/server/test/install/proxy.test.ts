/** The proxy rules of the install payload, pasted as they are, in front of the real service. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { InstallPayload } from "@headwater/contract";
import { newVisitor, skip as noBrowser } from "../../../../packages/sdk/test/chromium.ts";
import { installPayload } from "../../src/install/install.ts";
import { until } from "../support/until.ts";
import {
  bootstrapBody,
  eventsBody,
  issuesOf,
  openWorld,
  pageEvent,
  trackEvent,
  type World,
} from "../support/world.ts";

const NGINX = "/usr/sbin/nginx";
const CADDY = "/usr/bin/caddy";
const missing = (program: string) => {
  if (existsSync(program)) return false;
  const why = `left out: there is no ${program} (npm run verify installs it)`;
  if (process.env.CI) throw new Error(why);
  return why;
};
const PATH = "/hw";

let world: World;
let source: { sourceId: string; publicKey: string };
before(async () => {
  world = await openWorld({ TRUST_PROXY: "1" });
  source = await world.createSource({ allowedOrigins: ["http://127.0.0.1:*"] });
});
after(() => world[Symbol.asyncDispose]());

const install = async (query = ""): Promise<InstallPayload> =>
  (await world.ask(`/api/tracking-sources/${source.sourceId}/install${query}`)).body;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

interface Site extends AsyncDisposable {
  url: string;
}

/** Starts a web server on a folder of its own and waits until it answers. */
async function startSite(
  program: string,
  flags: (folder: string) => string[],
  configuration: (port: number, folder: string) => string,
): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), "headwater-proxy-"));
  const port = await freePort();
  // workers may run as another user
  await chmod(folder, 0o755);
  await writeFile(join(folder, "configuration"), configuration(port, folder));
  const child: ChildProcess = spawn(program, flags(folder), {
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  const dispose = async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until("the web server answers", async () => {
      assert.equal(child.exitCode, null, said);
      return (await fetch(url).catch(() => null)) !== null;
    });
  } catch (error) {
    await dispose();
    throw error;
  }
  return { url, [Symbol.asyncDispose]: dispose };
}

/** A site that has rules of its own, as most have: for files of scripts, and for every other path. */
const startNginx = (rules: string, head: string) =>
  startSite(
    NGINX,
    (folder) => ["-e", "stderr", "-p", folder, "-c", join(folder, "configuration")],
    (port, folder) => `daemon off; pid ${folder}/pid; worker_processes 1; error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    location ~ \\.js$ { return 404 "the site's own"; }
    location / { default_type text/html; return 200 '<!doctype html><title>Site</title>${head}'; }
${rules}
  }
}
`,
  );

const startCaddy = (rules: string) =>
  startSite(
    CADDY,
    (folder) => ["run", "--adapter", "caddyfile", "--config", join(folder, "configuration")],
    (port) => `{
  admin off
  auto_https off
}
http://127.0.0.1:${port} {
  bind 127.0.0.1
${rules}
  handle {
    respond "the site's own"
  }
}
`,
  );

const send = (url: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url + path, {
    method: "POST",
    headers: { origin: url, "content-type": "text/plain", cookie: "session=the-site's", ...headers },
    body: JSON.stringify(body),
  });

/** What every proxy must do: the script, a session, an event, a refusal with its status, and nothing else. */
async function speaksThrough(url: string, ask: typeof fetch = fetch): Promise<void> {
  const script = await ask(`${url}${PATH}/sdk/v2.js`);
  assert.equal(script.status, 200);
  assert.equal(await script.text(), (await world.ask("/sdk/v2.js")).body);

  const route = `${PATH}/api/ingest/v2/${source.publicKey}`;
  const post = async (path: string, body: unknown) => {
    const headers = { origin: url, "content-type": "text/plain", cookie: "session=the-site's" };
    const response = await ask(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  };
  const opened = await post(`${route}/bootstrap`, bootstrapBody());
  assert.equal(opened.status, 200, JSON.stringify(opened.body));
  assert.equal(opened.headers.get("access-control-allow-origin"), url);
  const large = Array.from({ length: 15 }, () => trackEvent({ properties: { text: "x".repeat(8_000) } }));
  const taken = await post(
    `${route}/events?handling=lenient`,
    eventsBody(opened.body.sessionId, [pageEvent(), ...large]),
  );
  assert.equal(taken.body.accepted, 16, JSON.stringify(taken.body));
  const refusal = await post(`${PATH}/api/ingest/v2/pk_nobody/events`, {});
  assert.deepEqual([refusal.status, refusal.body.code], [404, "unknown_public_key"]);

  for (const path of ["/api/tracking-sources?organizationId=org_default", "/healthz", "/openapi.json"]) {
    const other = await ask(url + PATH + path);
    assert.ok(!(await other.text()).includes("requestId"), `${path} is the site's own`);
  }
}

test("nginx: forwards the script and ingest requests despite the site's own rules, and nothing else.", {
  skip: missing(NGINX),
}, async () => {
  const { proxy } = await install();
  await using site = await startNginx(proxy.nginx, "");
  await speaksThrough(site.url);
  assert.equal(await (await fetch(`${site.url}/other.js`)).text(), "the site's own");
});

test("nginx: forwards each visitor's address, and no cookies.", { skip: missing(NGINX) }, async (t) => {
  const forwarded: Record<string, unknown>[] = [];
  const upstream = createServer(({ headers, url, method }, response) => {
    forwarded.push({
      url,
      method,
      cookie: headers.cookie,
      from: headers["x-forwarded-for"],
      origin: headers.origin,
    });
    response.end("{}");
  }).listen(0, "127.0.0.1");
  t.after(() => upstream.close());
  await once(upstream, "listening");
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/base`;
  const { proxy } = installPayload(
    { ...source, name: "", frameworkHint: null },
    { baseUrl, appUrl: baseUrl },
  );
  await using site = await startNginx(proxy.nginx, "");
  await send(
    site.url,
    `${PATH}/api/ingest/v2/pk_1/events?handling=lenient`,
    {},
    { "x-forwarded-for": "203.0.113.9" },
  );
  await fetch(`${site.url}${PATH}/sdk/v2.js`, { headers: { cookie: "session=the-site's" } });
  assert.deepEqual(forwarded, [
    {
      url: "/base/api/ingest/v2/pk_1/events?handling=lenient",
      method: "POST",
      cookie: undefined,
      from: "203.0.113.9, 127.0.0.1",
      origin: site.url,
    },
    { url: "/base/sdk/v2.js", method: "GET", cookie: undefined, from: undefined, origin: undefined },
  ]);
});

test("nginx: a page with the proxy's snippet, in a browser whose blocker knows the service's host, is counted.", {
  skip: missing(NGINX) || noBrowser,
}, async (t) => {
  const { proxy } = await install("?path=/hw/own");
  const head = proxy.browserSnippet.replace(/\s*\n\s*/g, " ").replace(/\/\/ headwater[^<]*/, "");
  await using site = await startNginx(proxy.nginx, head);
  const context = await newVisitor();
  t.after(() => context.close());
  const page = await context.newPage();
  await page.route(`${world.url}/**`, (route) => route.abort("blockedbyclient"));
  await page.goto(`${site.url}/welcome`);
  const views = await until("the view is in the debug data", async () => {
    const { body } = await world.ask(
      `/api/tracking-sources/${source.sourceId}/debug?origin=${encodeURIComponent(site.url)}`,
    );
    return body.bootstrapAttempts.length > 0 && body.bootstrapAttempts;
  });
  assert.deepEqual([views.length, views[0].accepted], [1, 1]);
});

test("Caddy: forwards the script and ingest requests, and nothing else.", {
  skip: missing(CADDY),
}, async () => {
  const { proxy } = await install();
  await using site = await startCaddy(proxy.caddy);
  await speaksThrough(site.url);
});

test("Caddy: forwards to the path that the service is under.", {
  skip: missing(CADDY),
}, async (t) => {
  const upstream = createServer(({ headers, url }, response) => {
    response.end(JSON.stringify([url, headers.host, headers.cookie]));
  }).listen(0, "127.0.0.1");
  t.after(() => upstream.close());
  await once(upstream, "listening");
  const { port } = upstream.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/base`;
  const { proxy } = installPayload(
    { ...source, name: "", frameworkHint: null },
    { baseUrl, appUrl: baseUrl },
  );
  await using site = await startCaddy(proxy.caddy);
  const response = await send(site.url, `${PATH}/api/ingest/v2/pk_1/events?a=b`, {});
  assert.deepEqual(await response.json(), ["/base/api/ingest/v2/pk_1/events?a=b", `127.0.0.1:${port}`, null]);
});

test("Cloudflare: the Worker, unchanged, forwards the script and ingest requests, and leaves the rest to the site.", async (t) => {
  const { proxy } = await install();
  const { default: worker } = (await import(
    `data:text/javascript,${encodeURIComponent(proxy.cloudflare)}`
  )) as {
    default: { fetch(request: Request): Promise<Response> };
  };
  const real = fetch;
  t.after(() => {
    globalThis.fetch = real;
  });
  const cookies: (string | null)[] = [];
  globalThis.fetch = async (input, init) => {
    const request = new Request(input as Request, init);
    if (!request.url.startsWith(world.url)) return new Response("the site's own");
    cookies.push(request.headers.get("cookie"));
    return real(request);
  };
  const asVisitor: typeof fetch = (input, init) => {
    const request = new Request(input as string, init as RequestInit);
    request.headers.set("CF-Connecting-IP", "203.0.113.9");
    return worker.fetch(request);
  };
  await speaksThrough("http://127.0.0.1:3000", asVisitor);
  assert.deepEqual(new Set(cookies), new Set([null]));
});

test("Next.js: forwards the script and ingest requests, and no cookies. (A fresh app runs it in the client's tests.)", async () => {
  const { proxy } = await install("?path=/a/b");
  const code = proxy.nextjs
    .replace(/import .*\n/, "const NextResponse = { rewrite: (url, init) => ({ url, init }) };\n")
    .replace(": NextRequest", "");
  const file = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    config: unknown;
    proxy(request: { headers: Headers; nextUrl: URL }): {
      url: string;
      init: { request: { headers: Headers } };
    };
  };
  assert.deepEqual(file.config, { matcher: ["/a/b/sdk/:path*", "/a/b/api/ingest/:path*"] });
  const headers = new Headers({ cookie: "session=the-site's", "content-type": "text/plain" });
  const nextUrl = new URL("https://shop.example/a/b/api/ingest/v2/pk_1/events?handling=lenient");
  const { url, init } = file.proxy({ headers, nextUrl });
  assert.equal(url, `${world.url}/api/ingest/v2/pk_1/events?handling=lenient`);
  assert.deepEqual([...init.request.headers], [["content-type", "text/plain"]]);
});

test("The path is the query's, else INGEST_ALIAS, else /hw; an invalid path is refused.", async () => {
  assert.equal((await install()).proxy.path, "/hw");
  assert.equal((await install("?path=/a-b/c")).proxy.path, "/a-b/c");
  await using aliased = await openWorld({ INGEST_ALIAS: "/own" });
  const { sourceId } = await aliased.createSource();
  const { body } = await aliased.ask(`/api/tracking-sources/${sourceId}/install`);
  assert.equal(body.proxy.path, "/own");
  assert.match(body.proxy.browserSnippet, /script\.src = trusted\("\/own\/sdk\/v2\.js\?with=engagement"\);/);
  for (const path of ["hw", "/", "/a/", "/../a", "/a;b", '/a"', "/$a", "/a%20b", `/${"a".repeat(100)}`]) {
    const url = `/api/tracking-sources/${source.sourceId}/install?path=${encodeURIComponent(path)}`;
    assert.match(issuesOf(await world.ask(url)).join(), /^path: (invalid_value|too_long)/, path);
  }
});
