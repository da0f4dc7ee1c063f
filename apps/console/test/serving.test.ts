/** How the server serves the built console. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { CONSOLE_PAGES } from "@headwater/contract";
import { openWorld, refused, type World } from "../../server/test/support/world.ts";
import { buildConsole } from "../build.js";

let world: World;
let folder: string;

before(async () => {
  folder = (await buildConsole())!;
  world = await openWorld({}, { consoleFolder: folder });
});
after(() => world[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(world.url + path, { headers, method });
const files = () => readdirSync(join(folder, "console"));

test("Every page of the console, with or without a slash at its end, returns index.html, uncached, under a policy that allows no inline script or style.", async () => {
  const paths = CONSOLE_PAGES.flatMap((page) => (page === "/" ? page : [page, `${page}/`]));
  for (const path of paths) {
    const response = await get(`${path}?sourceId=src_1`);
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(response.headers.get("cache-control"), "no-cache");
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    assert.match(response.headers.get("x-request-id")!, /^req_/);
    const policy = response.headers.get("content-security-policy")!;
    assert.match(policy, /script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|nonce/);
    const html = await response.text();
    assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)/, "no inline script");
    assert.doesNotMatch(html, /https?:/, "no URL of another host");
  }
});

test("Assets are immutable and sent compressed to clients that accept it.", async () => {
  const name = files().find((one) => /^index-.*\.js$/.test(one))!;
  const plain = await get(`/console/${name}`, { "accept-encoding": "identity" });
  assert.equal(plain.headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.equal(plain.headers.get("vary"), "Accept-Encoding");
  assert.equal(plain.headers.get("content-type"), "text/javascript; charset=utf-8");
  assert.equal(plain.headers.get("content-encoding"), null);
  const text = await plain.text();
  for (const [accepted, sent] of [
    ["gzip, deflate, br", "br"],
    ["gzip", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
  ] as const) {
    const response = await get(`/console/${name}`, { "accept-encoding": accepted });
    assert.equal(response.headers.get("content-encoding"), sent, accepted);
    assert.equal(await response.text(), text, "the decompressed text is the same");
  }
});

test("Missing files, paths outside the folder and unknown paths answer 404.", async () => {
  const absent = [
    "/console/index-00000000.js",
    "/console/",
    "/console",
    "/console/../index.html",
    "/console/%2e%2e/index.html",
    "/console/..%2findex.html",
    `/console/${files().find((one) => one.endsWith(".br"))}`,
    "/index.html",
    "//",
    "/sources//",
    "/sources/x",
    "/team/members",
    "/api",
    "/api/sources",
    "/analytics/setup",
  ];
  const headers = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  for (const path of absent) refused(await world.ask(path, { headers }), 404, "route_not_found");
});

test("A browser that opens an unknown address gets the console's own page with 404; addresses of programs stay JSON.", async () => {
  const browser = { accept: "text/html,*/*;q=0.8", "sec-fetch-dest": "document" };
  for (const path of ["/nope", "/billing", "/sources/x"]) {
    const response = await get(path, browser);
    assert.equal(response.status, 404, path);
    assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
    assert.match(await response.text(), /<div id="root">/);
  }
  for (const path of ["/api/nope", "/console/nope.js", "/sdk/nope.js"])
    refused(await world.ask(path, { headers: browser }), 404, "route_not_found");
  refused(await world.ask("/nope", { headers: { accept: browser.accept } }), 404, "route_not_found");
});

test("Console pages accept only GET and HEAD.", async () => {
  const head = await get("/sources", {}, "HEAD");
  assert.equal(head.status, 200);
  assert.equal(await head.text(), "");
  for (const method of ["POST", "PUT", "DELETE"])
    refused(await world.ask("/sources", { method }), 404, "route_not_found");
});

test("Behind a proxy with a path prefix, index.html loads everything under the prefix.", async () => {
  const settings = { BASE_URL: "https://site.example/hw", APP_URL: 'https://site.example/hw/"x' };
  await using other = await openWorld(settings, { consoleFolder: folder });
  const html = await (await fetch(`${other.url}/sources`)).text();
  assert.ok(html.includes('<base href="/hw/%22x/"'), html.slice(0, 300));
  assert.doesNotMatch(html, /(?:src|href)="\/(?!hw)/);
});

test("Without a built console its pages answer 404.", async () => {
  await using bare = await openWorld();
  for (const path of ["/", "/sources"]) refused(await bare.ask(path), 404, "route_not_found");
});

/** The limits for what every page loads, gzipped. What the stats page loads is in `stats/transfer.test.ts`. */
const MAX_SCRIPT_BYTES = 150_000;
const MAX_STYLE_BYTES = 20_000;

const sizeOf = (paths: readonly string[]) =>
  paths.reduce((sum, path) => sum + statSync(join(folder, `${path}.gz`)).size, 0);

test("Every page loads at most 150 KB of script before its own, and with the styles of the stats at most 20 KB of styles (gzipped).", () => {
  const html = readFileSync(join(folder, "index.html"), "utf8");
  const linked = [...html.matchAll(/(?:src|href)="\.\/(console\/[^"]+\.(?:js|css))"/g)].map(
    ([, path]) => path!,
  );
  const scripts = linked.filter((path) => path.endsWith(".js"));
  assert.ok(scripts.length > 0 && sizeOf(scripts) <= MAX_SCRIPT_BYTES, `${sizeOf(scripts)} bytes of script`);
  const isOfStats = (name: string) =>
    name.endsWith(".css") && readFileSync(join(folder, "console", name), "utf8").includes(".metric-value");
  const ofStats = files().filter(isOfStats);
  const styles = [
    ...linked.filter((path) => path.endsWith(".css")),
    ...ofStats.map((name) => `console/${name}`),
  ];
  assert.ok(styles.length > 1 && sizeOf(styles) <= MAX_STYLE_BYTES, `${sizeOf(styles)} bytes of styles`);
});
