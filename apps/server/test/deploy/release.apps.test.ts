/** `npm run release`: what it writes can be installed and served, and the image is built of it. Installs from the registry. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "../../src/http/listening.ts";
import { folder } from "../cli/command-line.ts";
import { until } from "../faults/child.ts";
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

/** Waits until the service says its address. @returns it, and a function that stops the service */
async function started(child: ReturnType<typeof spawn>) {
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
  const ended = once(child, "exit");
  await until(`it serves`, 60_000, () => said.includes("is listening on") || child.exitCode !== null);
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
  const sbom = JSON.parse(readFileSync(join(dist, `headwater-${version}.cdx.json`), "utf8"));
  assert.deepEqual([sbom.bomFormat, sbom.metadata.component.version], ["CycloneDX", version]);
  const components: string[] = sbom.components.map(({ name }: { name: string }) => name);
  assert.ok(components.includes("kysely") && !components.includes("vite"));
});

test("publint and are-the-types-wrong find nothing.", async () => {
  const tools = own.at("tools");
  mkdirSync(tools);
  writeFileSync(join(tools, "package.json"), "{}");
  await run("npm", ["install", "--prefer-offline", PUBLINT, ATTW], { cwd: tools });
  const program = (name: string) => join(tools, "node_modules", ".bin", name);
  for (const name of readdirSync(dist).filter((one) => one.endsWith(".tgz"))) {
    const { stdout } = await run(program("publint"), [join(dist, name), "--strict"]);
    assert.match(stdout, /All good!/, `${name}: ${stdout}`);
    // the service is a program, so it has no types
    if (name === `headwater-${version}.tgz`) continue;
    await run(program("attw"), [join(dist, name), "--profile", "esm-only"]);
  }
});

test("Installed in an empty folder without optional packages it serves the API, the console and the browser client.", async () => {
  const place = own.at("installed");
  mkdirSync(place);
  const words = ["install", "--prefer-offline", "--omit=dev", "--omit=optional", tarball("headwater")];
  await run("npm", words, { cwd: place });
  const headwater = join(place, "node_modules", ".bin", "headwater");
  assert.equal((await run(headwater, ["--version"])).stdout.trim(), version);
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
  await until("the warehouse is up", 60_000, async () => (await readyz()).includes('"state":"up"'));
  assert.equal(await image.checkHealth(env), 0);
  assert.equal((await fetch(`${service.url}/sources`)).status, 200);
  assert.equal(await service.stop(), 0);
  assert.equal(await image.checkHealth(env), 1);
});
