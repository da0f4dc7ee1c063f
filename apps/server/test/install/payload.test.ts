import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { runInNewContext } from "node:vm";
import { addToNextLayout } from "../../../../packages/sdk/test/react-app.ts";
import { stringLiteral } from "../../src/install/escape.ts";
import { type InstallSource, installPayload } from "../../src/install/install.ts";

const source: InstallSource = {
  sourceId: "src_01",
  publicKey: "pk_AAECAwQFBgcICQoLDA0ODw",
  name: "Shop",
  frameworkHint: "nextjs",
};
const addresses = { baseUrl: "https://analytics.example.com", appUrl: "https://console.example.com" };

/** Everything that ends a string, a script, a comment or a line somewhere, or turns the writing. */
const poison = `"'\`\${1+1}\\</script><!--*/-->]]>&amp;\n\r\u2028\u2029\u202E\u0000é😀`;
const poisoned = installPayload(
  { ...source, publicKey: poison, sourceId: poison },
  { baseUrl: `https://example.com/${poison}`, appUrl: "https://console.example.com" },
);

/** What the browser snippet does to a page, without a browser. */
function runSnippet(snippet: string) {
  const [, code] = /^<script>\n(.*)<\/script>\n$/s.exec(snippet) ?? [];
  assert.ok(code, "one script, and nothing around it");
  const script = { src: "", async: false, dataset: { key: "", api: "" } };
  const appended: unknown[] = [];
  const window: { headwater?: { (...call: unknown[]): void; q?: ArrayLike<unknown>[] } } = {};
  const createElement = () => script;
  const head = { appendChild: (element: unknown) => appended.push(element) };
  const Document = { prototype: { querySelector: () => head } };
  // As in a browser, what a window has is global.
  runInNewContext(code, Object.assign(window, { window, document: { createElement }, Document }));
  assert.deepEqual(appended, [script]);
  return { script, window };
}

test("The payload has the specification's fields, and addresses without a doubled slash.", () => {
  const payload = installPayload(source, {
    baseUrl: "https://analytics.example.com/hw/",
    appUrl: "https://console.example.com/",
  });
  const { browserSnippet, nextjsExample, reactExample, snippets, ...rest } = payload;
  const { csp, proxy, ...own } = rest;
  assert.deepEqual([Object.keys(csp), proxy.path], [["scriptSrc", "connectSrc", "snippetHash"], "/hw"]);
  assert.deepEqual(own, {
    publicKey: "pk_AAECAwQFBgcICQoLDA0ODw",
    apiBaseUrl: "https://analytics.example.com/hw",
    ingestVersion: 2,
    debugUrl: "https://console.example.com/analytics/setup/debug?sourceId=src_01",
  });
  const { node, curl, ...loading } = snippets;
  assert.ok(
    node.includes('"https://analytics.example.com/hw/api/ingest/v2/pk_AAECAwQFBgcICQoLDA0ODw/bootstrap"'),
  );
  assert.ok(
    curl.includes("'https://analytics.example.com/hw/api/ingest/v2/pk_AAECAwQFBgcICQoLDA0ODw/bootstrap'"),
  );
  for (const snippet of [browserSnippet, nextjsExample, reactExample, ...Object.values(loading)]) {
    assert.ok(snippet.includes('"https://analytics.example.com/hw/sdk/v2.js"'));
    assert.ok(snippet.includes('"pk_AAECAwQFBgcICQoLDA0ODw"'));
  }
});

test("The source's id is encoded in the address of the debug view.", () => {
  const url = installPayload({ ...source, sourceId: "a&b=c#d é" }, addresses).debugUrl;
  assert.equal(new URL(url).searchParams.get("sourceId"), "a&b=c#d é");
});

test("The browser snippet is below 1.5 KB, with a long address too.", (t) => {
  const { browserSnippet } = installPayload(source, {
    ...addresses,
    baseUrl: `https://${"a".repeat(180)}.example.com`,
  });
  const bytes = Buffer.byteLength(browserSnippet);
  t.diagnostic(`${bytes} bytes`);
  assert.ok(bytes < 1536);
});

test("The browser snippet loads the script and keeps the calls made before it came.", () => {
  const { script, window } = runSnippet(installPayload(source, addresses).browserSnippet);
  assert.equal(script.async, true);
  assert.equal(script.src, "https://analytics.example.com/sdk/v2.js");
  const api = "https://analytics.example.com";
  assert.deepEqual(script.dataset, { key: source.publicKey, api, respectGpc: "false" });
  window.headwater?.("track", "signup", { plan: "pro" });
  assert.deepEqual(Array.from(window.headwater?.q?.[0] ?? []), ["track", "signup", { plan: "pro" }]);
});

test("No name of a source changes anything in its snippets.", () => {
  const plain = installPayload(source, addresses);
  for (const name of [poison, "</script><script>alert(1)</script>", "متجر \u200F"]) {
    assert.deepEqual(installPayload({ ...source, name }, addresses), plain);
  }
});

test("Whatever a configured value holds, the browser snippet stays one script with that value.", () => {
  const { script } = runSnippet(poisoned.browserSnippet);
  assert.equal(script.dataset.key, poison);
  assert.equal(script.src, `https://example.com/${poison}/sdk/v2.js`);
  assert.equal(poisoned.browserSnippet.match(/<\/?script|<!--/gi)?.length, 2);
});

test("A value is written in visible ASCII and read back as it was.", () => {
  const literal = stringLiteral(poison);
  assert.match(literal, /^"[ -~]*"$/);
  assert.doesNotMatch(literal, /[<>&]/);
  assert.equal(JSON.parse(literal), poison);
});

test("The hash for a policy is that of the script as a browser hashes it.", () => {
  for (const { browserSnippet, csp } of [installPayload(source, addresses), poisoned]) {
    const [, text = ""] = /^<script>(.*)<\/script>\n$/s.exec(browserSnippet) ?? [];
    assert.equal(csp.snippetHash, `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  }
  const { scriptSrc, connectSrc } = installPayload(source, {
    ...addresses,
    baseUrl: `${addresses.baseUrl}/hw`,
  }).csp;
  assert.deepEqual(
    [scriptSrc, connectSrc],
    [["https://analytics.example.com"], ["https://analytics.example.com"]],
  );
});

test("Whatever a configured value holds, Astro's script stays one, and curl gets it as one word.", async () => {
  const { astro, curl } = poisoned.snippets;
  assert.equal(astro.match(/<\/?script|<!--/gi)?.length, 2);
  const address = `https://example.com/${poison.replaceAll("\0", "")}/api/ingest/v2/${encodeURIComponent(poison)}/bootstrap`;
  const echoing = `curl() { printf '%s\\0' "$2"; cat > /dev/null; }\n${curl.replaceAll("\0", "")}`;
  const { stdout } = await promisify(execFile)("sh", ["-ec", echoing]);
  assert.equal(stdout, `${address}\0`);
});

test("Whatever a configured value holds, it ends no line and no string of a proxy's rules.", () => {
  const { nginx, caddy, cloudflare, nextjs } = poisoned.proxy;
  const lines = (text: string) => text.split("\n").length;
  const plain = installPayload(source, addresses).proxy;
  for (const [text, other] of [
    [nginx, plain.nginx],
    [caddy, plain.caddy],
    [cloudflare, plain.cloudflare],
    [nextjs, plain.nextjs],
  ] as const) {
    assert.equal(lines(text), lines(other));
    assert.match(text, /^[\n -~]*$/);
  }
  for (const directive of nginx.matchAll(/proxy_pass (.*)/g))
    assert.match(directive[1]!, /^[A-Za-z0-9:/._%[\]-]+;$/);
});

/** Nuxt's auto-import. */
const nuxtPlugin = "declare function defineNuxtPlugin<T>(plugin: () => { provide: T }): { provide: T };";

const strictApp = {
  compilerOptions: {
    target: "ES2022",
    lib: ["ES2022", "DOM", "DOM.Iterable"],
    module: "esnext",
    moduleResolution: "bundler",
    jsx: "react-jsx",
    types: [],
    strict: true,
    noEmit: true,
    isolatedModules: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    noUncheckedIndexedAccess: true,
    noUncheckedSideEffectImports: true,
    exactOptionalPropertyTypes: true,
    noPropertyAccessFromIndexSignature: true,
    skipLibCheck: true,
  },
};

/** Compiles the files as an app would that has nothing else; gives what the compiler complains of. */
async function complaints(files: Record<string, string>): Promise<string> {
  const require = createRequire(import.meta.url);
  const compiler = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");
  const modules = resolve(dirname(require.resolve("react/package.json")), "..");
  const folder = await mkdtemp(join(tmpdir(), "headwater-install-"));
  try {
    await symlink(modules, join(folder, "node_modules"));
    for (const [path, content] of Object.entries({ ...files, "tsconfig.json": JSON.stringify(strictApp) })) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    const run = promisify(execFile)(process.execPath, [compiler, "-p", folder]);
    return await run.then(
      () => "",
      (error: { stdout: string }) => error.stdout,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

const pathOf = (example: string): string => /^\/\/ (\S+)\n/.exec(example)?.[1] ?? "";

for (const [title, payload] of [
  ["as they are", installPayload(source, addresses)],
  ["with poisonous values", poisoned],
] as const) {
  test(`The examples name their place and compile under strict TypeScript ${title}.`, async () => {
    const { nextjsExample, reactExample } = payload;
    assert.match(nextjsExample, /^\{\/\* app\/layout\.tsx\n/);
    assert.doesNotMatch(nextjsExample, /<html|<body>[^ `]|import /, "not a whole layout");
    assert.equal(pathOf(reactExample), "src/headwater.tsx");
    assert.equal(await complaints({ "src/headwater.tsx": reactExample }), "");
    assert.equal(await complaints({ "app/layout.tsx": addToNextLayout(nextjsExample) }), "");
    const { remix, vue, nuxt, svelte, angular } = payload.snippets;
    const places = {
      "app/headwater.tsx": remix,
      "src/headwater.ts": vue,
      "app/plugins/headwater.client.ts": nuxt,
      "src/lib/headwater.ts": svelte,
    };
    for (const [path, text] of Object.entries(places)) assert.equal(pathOf(text), path);
    assert.equal(await complaints({ ...places, "nuxt.d.ts": nuxtPlugin }), "");
    assert.equal(pathOf(angular), "src/headwater.ts");
    assert.equal(await complaints({ "src/headwater.ts": angular }), "");
    assert.match(
      await complaints({ "src/headwater.tsx": `${reactExample}\nconst wrong: string = 1;` }),
      /TS2322/,
    );
  });
}

test("A source that requires consent says so in every snippet that loads the client: nothing is sent before.", () => {
  const { browserSnippet, nextjsExample, reactExample, snippets, proxy } = installPayload(
    { ...source, privacy: { requireConsent: true, respectGpc: false } },
    addresses,
  );
  const { node: _node, curl: _curl, ...loading } = snippets;
  const all = [browserSnippet, nextjsExample, reactExample, proxy.browserSnippet, ...Object.values(loading)];
  for (const text of all) assert.match(text, /consent( =|=\{|",)\s*"pending"/, text);
  assert.equal((runSnippet(browserSnippet).script.dataset as Record<string, string>).consent, "pending");
  assert.doesNotMatch(installPayload(source, addresses).browserSnippet, /consent/);
});

test("Every snippet that loads the client says whether the source respects Global Privacy Control.", () => {
  for (const respectGpc of [true, false]) {
    const { browserSnippet, nextjsExample, reactExample, snippets, proxy } = installPayload(
      { ...source, privacy: { requireConsent: false, respectGpc } },
      addresses,
    );
    const { node: _node, curl: _curl, ...loading } = snippets;
    const said = new RegExp(`(respectGpc =|data-respect-gpc(=\\{|",))\\s*"${respectGpc}"`);
    for (const text of [browserSnippet, nextjsExample, reactExample, proxy.browserSnippet])
      assert.match(text, said);
    for (const text of Object.values(loading)) assert.match(text, said);
  }
});
