/** The contents of the packed npm package. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createElement } from "react";
import { renderToString } from "react-dom/server";

type Index = typeof import("../src/index.ts");
type React = typeof import("../src/react.ts");

const run = promisify(execFile);
const sdk = fileURLToPath(new URL("..", import.meta.url));
/** Inside the repository, so that React resolves as in an application. */
let folder: string;
/** The paths of the packed files. */
let names: string[];
const load = (entryPoint: string): Promise<unknown> =>
  import(pathToFileURL(join(folder, "package", "dist", "npm", `${entryPoint}.js`)).href);
const read = (name: string) => readFile(join(folder, "package", name), "utf8");

before(async () => {
  await mkdir(join(sdk, "dist"), { recursive: true });
  folder = await mkdtemp(join(sdk, "dist", "packed-"));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: sdk });
  // the output of the `prepack` script comes before the JSON
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf("[\n")));
  names = files.map(({ path }: { path: string }) => path);
  await run("tar", ["xzf", join(folder, filename), "-C", folder]);
});
after(() => rm(folder, { recursive: true }));

test("The package has a module and types for each entry point, license and README, and no dependencies.", async () => {
  const manifest = JSON.parse(await read("package.json"));
  assert.deepEqual(Object.keys(manifest.exports), [
    ".",
    "./extras",
    "./react",
    "./next",
    "./server",
    "./testing",
  ]);
  for (const { types, default: module } of Object.values<Record<string, string>>(manifest.exports)) {
    assert.ok(names.includes(types!.slice(2)) && names.includes(module!.slice(2)));
  }
  assert.ok(names.includes("LICENSE") && names.includes("README.md"));
  assert.deepEqual(
    names.filter((name) => /^(?:src|test)\/|browser\.d\.ts|v2\.js|^build/.test(name)),
    [],
  );
  assert.equal(manifest.dependencies, undefined);
});

test('The React and Next.js entry points start with "use client"; the others do not.', async () => {
  const entryPoints = ["index", "extras/index", "react", "next", "server", "testing"];
  const starts = await Promise.all(entryPoints.map((name) => read(`dist/npm/${name}.js`)));
  assert.deepEqual(
    starts.map((text) => text.startsWith('"use client";')),
    [false, false, true, true, false, false],
  );
});

test("On a server the client does nothing.", async () => {
  const { createClient } = (await load("index")) as Index;
  const client = createClient({ publicKey: "pk_test", apiBaseUrl: "http://127.0.0.1:1" });
  client.page();
  client.track("signup", { plan: "pro" });
  client.identify("u-1");
  client.reset();
  client.setConsent("granted");
  client.optOut();
  client.optIn();
  await client.flush();
});

let react: React;
function Page() {
  react.useAnalytics().track("rendered");
  return "page";
}

test("On a server the provider renders its children, and useAnalytics without a provider throws.", async () => {
  react = (await load("react")) as React;
  const page = createElement(Page);
  const options = { publicKey: "pk_test", apiBaseUrl: "http://127.0.0.1:1" };
  assert.equal(renderToString(createElement(react.AnalyticsProvider, options, page)), "page");
  assert.throws(() => renderToString(page), /useAnalytics\(\) needs an <AnalyticsProvider>/);
});
