/** The doctor: reading a page, reading a Content-Security-Policy, and the command against pages of every kind. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { glob, readFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { InstallCheck, Verification } from "@headwater/contract";
import { installPayload } from "../../src/install/install.ts";
import { findBlockReason } from "../../src/install-checks/blocked-names.ts";
import { allowsInline, allowsUrl, findDirective, parsePolicies } from "../../src/install-checks/policy.ts";
import { findSnippetInScript, readPage } from "../../src/install-checks/read-page.ts";
import { headwaterHere } from "../cli/command-line.ts";
import { bundle } from "../install/snippet-bundle.ts";
import { openWorld, type World } from "../support/world.ts";

const KEY = "pk_AAECAwQFBgcICQoLDA0ODw";
const API = "https://insights.example";
const PAGE = "https://shop.example/a/b";
const MAIN = `import "./headwater";`;
const install = installPayload(
  { sourceId: "src_1", publicKey: KEY, name: "Shop", frameworkHint: null },
  { baseUrl: API, appUrl: API },
);

describe("readPage", () => {
  const read = (head: string) => readPage(`<!doctype html><head>${head}</head><body></body>`, PAGE);
  const named = { scriptUrl: `${API}/sdk/v2.js`, publicKey: KEY, apiBaseUrl: API };

  test("The pasted snippet is found, with the hash that the install payload gives for a policy.", () => {
    const hash = install.csp.snippetHash.slice(1, -1);
    assert.deepEqual(read(install.browserSnippet).snippets, [
      { kind: "inline", ...named, nonce: null, hash },
    ]);
    const withNonce = install.browserSnippet.replace("<script>", '<script nonce="r4nd0m">');
    assert.equal(read(withNonce).snippets[0]?.nonce, "r4nd0m");
    const astro = install.snippets.astro.replace(/^---[\s\S]*?---\n/, "").replace(" is:inline", "");
    assert.deepEqual(read(astro).snippets, [{ kind: "inline", ...named, nonce: null, hash }]);
  });

  test("A script tag is found, even when it is there twice.", () => {
    const tag = `<script async src="${API}/sdk/v2.js" data-key="${KEY}" nonce="n"></script>`;
    const one = { kind: "tag", ...named, apiBaseUrl: null, nonce: "n", hash: null };
    assert.deepEqual(read(tag).snippets, [one]);
    assert.deepEqual(read(tag + tag).snippets, [one, one]);
    assert.equal(read(tag + install.browserSnippet).snippets.length, 2);
  });

  test("A snippet that does not run is ignored: in a comment, a template, a type that is not a script; so is another service's key.", () => {
    const { browserSnippet } = install;
    const stripe = '<script>Stripe({ publicKey: "pk_live_51Habcdefghijklmnop" })</script>';
    const dead = [
      `<!-- ${browserSnippet} -->`,
      `<template>${browserSnippet}</template>`,
      browserSnippet.replace("<script>", '<script type="text/plain">'),
      stripe,
    ];
    for (const head of dead) assert.deepEqual(read(head).snippets, [], head);
  });

  test("A snippet that Next.js streams twice is found once.", () => {
    const stream = (props: object) => {
      const data = JSON.stringify([1, `2:["$","$L3",null,${JSON.stringify(props)}]`]);
      return `<script>self.__next_f.push(${data})</script>`;
    };
    const component = stream({ src: named.scriptUrl, "data-key": KEY, "data-api": API });
    assert.deepEqual(read(component + component).snippets, [
      { kind: "bundle", ...named, nonce: null, hash: null },
    ]);
    const inline = stream({ dangerouslySetInnerHTML: { __html: install.browserSnippet } });
    assert.equal(read(inline).snippets[0]?.publicKey, KEY);
    assert.deepEqual(
      read(install.browserSnippet + inline).snippets.map(({ kind }) => kind),
      ["inline"],
    );
  });

  test("The client is found in an application's bundle, pasted as a component or built in.", async () => {
    const expected = { kind: "bundle", ...named, nonce: null, hash: null };
    assert.deepEqual(findSnippetInScript(await bundle(install.snippets.vue, MAIN)), expected);
    const vapid = `s({publicKey:"BNbxGYNMhEIi9zrneh7mqV4oUanjLUK3m"});Stripe({publicKey:"pk_live_51Habcdefghijklmnopq"});`;
    const built = `${vapid}e(t,{publicKey:\`${KEY}\`,apiBaseUrl:'${API}',children:n})`;
    assert.deepEqual(findSnippetInScript(built), { ...expected, scriptUrl: null });
    assert.equal(findSnippetInScript("const a = 1"), null);
  });

  test("A page of 200,000 nested elements is read.", () => {
    const deep = `${"<div>".repeat(200_000)}${install.browserSnippet}`;
    assert.equal(readPage(deep, PAGE).snippets.length, 1);
  });

  test("Policies of <meta> are read, and script files as absolute addresses.", () => {
    const { policies, scripts } = read(`
      <meta http-equiv="Content-Security-Policy" content="script-src 'self'">
      <meta name="description" content="script-src 'none'">
      <script src="app.js"></script><script type="module" src="//cdn.example/b.js"></script>
      <link rel="modulepreload" href="/c.js"><script type="application/json" src="d.js"></script>`);
    assert.deepEqual(policies, ["script-src 'self'"]);
    assert.deepEqual(scripts, [
      "https://shop.example/a/app.js",
      "https://cdn.example/b.js",
      "https://shop.example/c.js",
    ]);
  });

  test("Reading a script of megabytes without a line break takes linear time.", () => {
    const code = `${'a("b",'.repeat(500_000)}"${API}/sdk/v2.js";"data-key":"${KEY}"`;
    assert.equal(findSnippetInScript(code)?.publicKey, KEY);
    assert.equal(findSnippetInScript('"'.repeat(3_000_000)), null);
  });
});

describe("Content-Security-Policy", () => {
  const page = new URL(PAGE);
  const cases: [sources: string, url: string, allowed: boolean][] = [
    ["*", "https://x.example/a", true],
    ["'none'", "https://x.example/a", false],
    ["'self'", "https://shop.example/hw/sdk/v2.js", true],
    ["'self'", "https://shop.example:8443/", false],
    ["https:", "https://x.example/", true],
    ["http:", "https://x.example/", true],
    ["https:", "http://x.example/", false],
    ["x.example", "https://x.example/a", true],
    ["x.example", "http://x.example/a", false],
    ["X.EXAMPLE", "https://x.example/a", true],
    ["*.example", "https://a.x.example/", true],
    ["*.x.example", "https://x.example/", false],
    ["https://x.example:*", "https://x.example:8443/", true],
    ["https://x.example", "https://x.example:8443/", false],
    ["https://x.example/sdk/", "https://x.example/sdk/v2.js", true],
    ["https://x.example/sdk", "https://x.example/sdk/v2.js", false],
    ["https://x.example.evil.io", "https://x.example/", false],
    ["'nonce-a' 'sha256-b='", "https://x.example/", false],
  ];
  for (const [sources, url, allowed] of cases) {
    test(`${sources} ${allowed ? "allows" : "does not allow"} ${url}.`, () => {
      const [policy] = parsePolicies(`connect-src ${sources}`);
      assert.equal(allowsUrl(findDirective(policy!, "connect-src")!, new URL(url), page), allowed);
    });
  }

  test("A header may hold several policies; of two equal directives the first counts; names ignore case.", () => {
    const [one, other] = parsePolicies("Script-Src 'self'; script-src *, ; connect-src a.example b.example;");
    assert.deepEqual(findDirective(one!, "script-src-elem", "script-src"), {
      name: "script-src",
      sources: ["'self'"],
    });
    assert.deepEqual(findDirective(other!, "connect-src")?.sources, ["a.example", "b.example"]);
    assert.equal(findDirective(other!, "script-src"), null);
  });

  test("Inline scripts run with a nonce or a hash, or with 'unsafe-inline' when the policy has neither.", () => {
    const inline = (sources: string, nonce: string | null = null, hash: string | null = null) =>
      allowsInline({ name: "script-src", sources: sources.split(" ") }, nonce, hash);
    assert.equal(inline("'unsafe-inline'"), true);
    assert.equal(inline("'unsafe-inline' 'nonce-a'"), false);
    assert.equal(inline("'unsafe-inline' 'nonce-a'", "a"), true);
    assert.equal(inline("'sha256-b='", null, "sha256-b="), true);
    assert.equal(inline("'self'", "a", "sha256-b="), false);
    assert.equal(inline("'unsafe-inline' 'strict-dynamic'"), false);
  });
});

test("The doctor does not warn about any address in the documentation.", async () => {
  const root = new URL("../../../../", import.meta.url);
  const files = await Array.fromAsync(
    glob("{*.md,docs/**/*.md,deploy/**/*.*,packages/*/*.md}", { cwd: root }),
  );
  assert.ok(files.includes("packages/sdk/README.md") && files.includes("deploy/nginx.conf"), files.join());
  for (const file of files) {
    const text = await readFile(new URL(file, root), "utf8");
    for (const [host] of text.matchAll(/\b[a-z-]+(?:\.[a-z-]+)*\.example(?:\.com)?\b/g))
      assert.equal(findBlockReason(`https://${host}`), null, `${file}: ${host}`);
  }
});

describe("headwater doctor", () => {
  let world: World;
  let source: { sourceId: string; publicKey: string };
  const pages = new Map<string, RequestListener>();
  const site = createServer((request, response) => {
    const answer = pages.get(request.url ?? "");
    if (answer) answer(request, response);
    else response.writeHead(404).end("none");
  });
  let url: string;
  let html: (head: string) => string;

  before(async () => {
    world = await openWorld({ INGEST_ALIAS: "/tracking" });
    site.listen(0, "127.0.0.1");
    await once(site, "listening");
    url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    source = await world.createSource({ allowedOrigins: [url] });
    html = (head) => `<!doctype html><head>${head}</head><body></body>`;
  });
  after(async () => {
    site.closeAllConnections();
    site.close();
    await world[Symbol.asyncDispose]();
  });

  const snippet = async () =>
    (await world.ask(`/api/tracking-sources/${source.sourceId}/install`)).body.browserSnippet as string;
  const show = (path: string, text: string, headers: Record<string, string> = {}) =>
    pages.set(path, (_request, response) => {
      response.writeHead(200, {
        "content-type": path.endsWith(".js") ? "text/javascript" : "text/html",
        ...headers,
      });
      response.end(text);
    });
  const examine = async (path: string, ...words: string[]) => {
    const outcome = await headwaterHere(
      {},
      "doctor",
      url + path,
      "--key",
      source.publicKey,
      "--json",
      ...words,
    );
    const verification = outcome.json() as Verification;
    const notOk = verification.checks
      .filter(({ status }) => status === "wrong" || status === "warning")
      .map(({ check, status }): [InstallCheck["check"], InstallCheck["status"]] => [check, status]);
    return { ...outcome, ...verification, notOk };
  };

  test("For a page that works every check is ok, the exit code is 0, and nothing is counted.", async () => {
    show("/", html(await snippet()));
    const { code, checks, notOk } = await examine("/");
    assert.deepEqual([code, notOk], [0, []]);
    assert.ok(checks.every(({ status }) => status === "ok"));
    const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug`);
    assert.equal(body.health.lastBootstrapAt, null, "no session was opened");
    const [attempt] = body.bootstrapAttempts;
    assert.deepEqual(
      [attempt.outcome, attempt.code, attempt.accepted, body.health.status],
      ["test", "invalid_payload", 0, "waiting"],
    );
    const forPeople = await headwaterHere({}, "doctor", `${url}/`, "--key", source.publicKey);
    assert.match(forPeople.stdout, /^ok {7}page: .*\n[\s\S]*\nEverything works\.\n$/);
  });

  test("A key that ends is a warning that says when, and what to do before.", async () => {
    const rotated = await world.createSource({ allowedOrigins: [url] });
    const path = `/api/tracking-sources/${rotated.sourceId}`;
    const old = (await world.ask(`${path}/install`)).body.browserSnippet as string;
    const { previousKeyExpiresAt } = (
      await world.ask(`${path}/regenerate-key`, { method: "POST", body: { gracePeriodSeconds: 86_400 } })
    ).body;
    show("/old", html(old));
    const words = ["doctor", `${url}/old`, "--key", rotated.publicKey];
    const { code, stdout } = await headwaterHere({}, ...words);
    const end = previousKeyExpiresAt.slice(0, 16).replace("T", " at ");
    assert.equal(code, 0);
    assert.match(
      stdout,
      new RegExp(
        `^warning {2}key: .* replaced by a newer one, and stops working on ${end} UTC\\.\\n.*Before then`,
        "m",
      ),
    );
    assert.match(stdout, /\n {11}npx headwater source install <source id>\n/);
    assert.match(stdout, /\nIt works, with 1 warning above\.\n$/);
  });

  test("A failed check is printed with what to do and the line to paste.", async () => {
    show("/csp", html(await snippet()), { "content-security-policy": "connect-src 'self'" });
    const { code, stdout } = await headwaterHere({}, "doctor", `${url}/csp`, "--key", source.publicKey);
    assert.equal(code, 1);
    const line = `^WRONG {4}csp_connect: .*\\n {9}Allow it.*\\n {11}connect-src 'self' ${world.url}\\n`;
    assert.match(stdout, new RegExp(line, "m"));
    assert.match(stdout, /\n1 of 13 checks failed\.\n$/);
  });

  test("A long policy is read whole; for one that exceeds the limit the result is unknown.", async () => {
    const tail = "; connect-src 'self'";
    const long = (length: number) => `img-src ${"https://images.example ".repeat(length / 23)}${tail}`;
    const text = html(await snippet());
    show("/long-header", text, { "content-security-policy": long(30_000) });
    assert.deepEqual((await examine("/long-header")).notOk, [["csp_connect", "wrong"]]);

    const inPage = (length: number) =>
      text.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${long(length)}">`);
    show("/long-meta", inPage(30_000));
    assert.deepEqual((await examine("/long-meta")).notOk, [["csp_connect", "wrong"]]);
    show("/endless", inPage(70_000));
    const { checks } = await examine("/endless");
    const unsure = checks.filter(({ status }) => status === "unknown").map(({ check }) => check);
    assert.deepEqual(unsure, ["csp_script", "csp_connect"]);
  });

  test("When the page names no address, the doctor says that the service was not checked, not that everything works.", async () => {
    show("/no-address.js", `e(t,{publicKey:"${source.publicKey}",apiBaseUrl:n})`);
    show("/no-address", html('<script type="module" src="/no-address.js"></script>'));
    const { code, isWorking, notOk } = await examine("/no-address");
    assert.deepEqual([code, isWorking, notOk], [1, false, []]);
    const printed = await headwaterHere({}, "doctor", `${url}/no-address`, "--key", source.publicKey);
    assert.match(
      printed.stdout,
      /\nThe service was not checked, because its address is unknown\. Give it with --api\.\n$/,
    );
    assert.equal((await examine("/no-address", "--api", world.url)).code, 0);
  });

  test("A page without the snippet fails, and so does one that has it twice.", async () => {
    show("/none", html(""));
    const none = await examine("/none", "--api", world.url);
    assert.deepEqual([none.code, none.notOk], [1, [["snippet", "wrong"]]]);
    const printed = await headwaterHere({}, "doctor", `${url}/none`, "--key", source.publicKey);
    assert.match(printed.stdout, /\n1 of 13 checks failed\. The service was not checked, because .*\n$/);
    show("/twice", html((await snippet()) + (await snippet())));
    assert.deepEqual((await examine("/twice")).notOk, [["snippet_once", "wrong"]]);
  });

  test("The client is found in the application's own script.", async () => {
    const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/install`);
    show("/app.js", await bundle(body.snippets.vue, MAIN));
    show("/app", html('<script type="module" src="/app.js"></script>'));
    const { code, notOk } = await examine("/app");
    assert.deepEqual([code, notOk], [0, []]);
  });

  test("The policy of a page that cannot be fetched is unknown.", async () => {
    pages.set("/broken", (_request, response) => response.destroy());
    const { checks } = await examine("/broken", "--api", world.url);
    const policies = checks.filter(({ check }) => check.startsWith("csp_"));
    assert.deepEqual(
      policies.map(({ status }) => status),
      ["unknown", "unknown"],
    );
  });

  test("Redirects are followed; endless redirects, too large and missing pages are reported.", async () => {
    pages.set("/old", (_request, response) => response.writeHead(301, { location: "/" }).end());
    assert.deepEqual((await examine("/old")).notOk, []);
    pages.set("/loop", (_request, response) => response.writeHead(302, { location: "/loop" }).end());
    pages.set("/file", (_request, response) =>
      response.writeHead(302, { location: "file:///etc/passwd" }).end(),
    );
    pages.set("/cut", (_request, response) => response.destroy());
    show("/large", " ".repeat(5_300_000));
    const problems = {
      "/loop": /more than 5 times/,
      "/file": /redirects to file:/,
      "/cut": /cannot be reached/,
      "/large": /larger than/,
      "/gone": /responds with 404/,
    };
    for (const [path, problem] of Object.entries(problems)) {
      const { code, checks } = await examine(path);
      assert.equal(code, 1);
      assert.deepEqual([checks[0]?.check, checks[0]?.status], ["page", "wrong"]);
      assert.match(checks[0]!.message, problem);
    }
  });

  test("A service that is down is reported, and so is an address of another web server.", async () => {
    const right = await snippet();
    const nowhere = "http://127.0.0.1:9";
    show("/nowhere", html(right.replaceAll(world.url, nowhere)));
    const gone = await examine("/nowhere");
    assert.deepEqual(gone.notOk, [["reachable", "wrong"]]);
    assert.match(gone.checks[5]!.message, /cannot be reached \(/);
    show("/self", html(right.replaceAll(world.url, url)));
    const none = await examine("/self");
    assert.deepEqual(
      none.notOk.map(([check]) => check),
      ["reachable"],
    );
    assert.match(none.checks[5]!.message, /\/sdk\/v2\.js\?with=engagement responds with 404/);
    assert.deepEqual((await examine("/self", "--api", world.url)).notOk[0], ["reachable", "wrong"]);
  });

  test("A proxy that does not answer preflight requests is reported, and so is a wrong clock.", async (t) => {
    const proxy = createServer(async (request, response) => {
      if (request.method === "OPTIONS") return void response.writeHead(405).end();
      const body = request.method === "POST" ? Buffer.concat(await Array.fromAsync<Buffer>(request)) : null;
      const headers = { origin: request.headers.origin ?? "", "content-type": "text/plain" };
      const answer = await fetch(world.url + request.url, { method: request.method ?? "", headers, body });
      const kept = ["content-type", "access-control-allow-origin"].map((name) => [
        name,
        answer.headers.get(name) ?? "",
      ]);
      response.writeHead(answer.status, { ...Object.fromEntries(kept), date: new Date(0).toUTCString() });
      response.end(await answer.text());
    }).listen(0, "127.0.0.1");
    t.after(() => proxy.close());
    await once(proxy, "listening");
    const through = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    show("/proxied", html((await snippet()).replaceAll(world.url, through)));
    const { notOk, checks } = await examine("/proxied");
    assert.deepEqual(notOk, [
      ["cors", "wrong"],
      ["clock", "wrong"],
    ]);
    assert.match(checks[6]!.message, /OPTIONS .* gets a 405 response/);
  });

  test("An address that blockers know by its name is a warning only.", async () => {
    show("/named", html((await snippet()).replaceAll(world.url, `${world.url}/tracking`)));
    const { code, notOk } = await examine("/named");
    assert.deepEqual([code, notOk], [0, [["blocked_by_name", "warning"]]]);
  });

  test("The address under INGEST_ALIAS is correct; another path below the service's address is not.", async () => {
    const aliased = (await snippet()).replaceAll(world.url, `${world.url}/tracking`);
    show("/aliased", html(aliased));
    const { checks } = await examine("/aliased", "--api", world.url);
    assert.deepEqual([checks[4]!.check, checks[4]!.status], ["api_address", "ok"]);
    show("/below", html((await snippet()).replaceAll(world.url, `${world.url}/elsewhere`)));
    const below = await examine("/below", "--api", world.url);
    assert.deepEqual(below.notOk, [
      ["api_address", "wrong"],
      ["reachable", "wrong"],
    ]);
    // the page's own script has the part too
    const script = `script.src = trusted("${world.url}/sdk/v2.js?with=engagement"); `;
    assert.equal(below.checks[4]!.paste, `${script}script.dataset.api = "${world.url}";`);
  });

  test("A busy service is a warning, not an unreachable service.", async (t) => {
    for (const status of [429, 503]) {
      const busy = createServer((request, response) => {
        const isScript = request.url?.endsWith(".js");
        response.setHeader("access-control-allow-origin", "*");
        response.setHeader("access-control-allow-headers", "*");
        response.writeHead(isScript || request.method === "OPTIONS" ? 200 : status, {
          "content-type": isScript ? "text/javascript" : "application/json",
        });
        response.end(JSON.stringify({ code: "overloaded", requestId: "req_1" }));
      }).listen(0, "127.0.0.1");
      t.after(() => busy.close());
      await once(busy, "listening");
      const address = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
      show("/busy", html((await snippet()).replaceAll(world.url, address)));
      const { code, notOk, checks } = await examine("/busy");
      assert.deepEqual([code, notOk], [0, [["reachable", "warning"]]]);
      assert.match(checks[5]!.hint ?? "", /^Wait a minute/);
    }
  });

  test("A key that no source has is not recommended for the page.", async () => {
    const words = ["doctor", `${url}/`, "--key", "pk_mistyped", "--json"];
    const { checks }: Verification = (await headwaterHere({}, ...words)).json();
    const { status, message, paste } = checks[3]!;
    assert.deepEqual([status, message, paste], ["wrong", "No source has the key pk_mistyped.", null]);
  });

  test("Control characters in a snippet do not reach the terminal and do not stop a check.", async () => {
    const spoilt = (await snippet()).replace(source.publicKey, "\\u001b[2J\\ud800");
    show("/spoilt", html(spoilt));
    const { code, stdout } = await headwaterHere({}, "doctor", `${url}/spoilt`, "--key", source.publicKey);
    assert.equal(code, 1);
    assert.match(stdout, /^WRONG {4}key: The page has the key \uFFFD\[2J/m);
    assert.doesNotMatch(stdout.replaceAll("\n", ""), /\p{Cc}/u);
  });

  test("An argument that is not an address exits with 64.", async () => {
    for (const words of [["shop.example"], ["file:///etc/passwd"]]) {
      const { code, stderr } = await headwaterHere({}, "doctor", ...words, "--key", "pk_1");
      assert.equal(code, 64);
      assert.match(stderr, /^<url> must be an address such as https:\/\/shop\.example\//);
    }
  });
});
