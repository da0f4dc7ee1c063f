/** `headwater serve`: what it prints and how it stops. */
import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { until } from "../support/until.ts";
import { writeMmdb } from "../visitors/mmdb.ts";
import { BIN, folder, headwater, serve } from "./command-line.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));

test("A port in use is reported, and the process ends.", async () => {
  using data = folder();
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as { port: number };
  const { code, stderr } = await headwater({ DATA_DIR: data.path, PORT: String(port) }, "serve");
  taken.close();
  assert.notEqual(code, 0);
  assert.match(
    stderr,
    new RegExp(
      `^PORT ${port} on 127\\.0\\.0\\.1 is in use, .* set PORT to a free port, such as PORT=${port + 1}\\.`,
    ),
  );
});

test("A DATA_DIR that cannot be a folder exits with 78.", async () => {
  using data = folder();
  writeFileSync(data.at("file"), "");
  for (const path of [data.at("file"), data.at("file/below"), "/proc/none/below"]) {
    const { code, stderr } = await headwater({ DATA_DIR: path, PORT: "0" }, "serve");
    assert.equal(code, 78, path);
    assert.match(
      stderr,
      /^DATA_DIR \S+ is not a folder and cannot be created \(E[A-Z]+\)\. Set DATA_DIR to a folder .*\n$/,
    );
  }
});

test("A GEOIP_FILE that is not an MMDB file exits with 78.", async () => {
  using data = folder();
  writeFileSync(data.at("file"), "no such format");
  for (const name of ["file", ".", "missing"]) {
    const { code, stderr } = await headwater({ DATA_DIR: data.path, GEOIP_FILE: data.at(name) }, "serve");
    assert.equal(code, 78, name);
    assert.match(
      stderr,
      /^GEOIP_FILE cannot be .*: it must be the path of a readable MMDB file, or `off`\.\n$/,
    );
  }
});

test("A GEOIP_FILE without countries exits with 78.", async () => {
  using data = folder();
  const network = { autonomous_system_number: 64_496, autonomous_system_organization: "Example" };
  writeFileSync(data.at("asn.mmdb"), writeMmdb("GeoLite2-ASN", { "91.64.0.0/16": network }));
  const { code, stderr } = await headwater({ DATA_DIR: data.path, GEOIP_FILE: data.at("asn.mmdb") }, "serve");
  assert.equal(code, 78);
  assert.match(
    stderr,
    /^GEOIP_FILE cannot be .*: it must name a file of countries or cities, .* has no `country.iso_code`/,
  );
});

test("SIGTERM stops it gracefully with exit code 0; standard output contains only JSON.", async () => {
  using data = folder();
  const service = await serve({ DATA_DIR: data.path });
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
  assert.equal(await service.stop(), 0);
  const lines = service.stdout().trim().split("\n");
  for (const line of lines) assert.equal(typeof JSON.parse(line).msg, "string");
  assert.ok(!service.stdout().includes(service.firstStart!.token!), "the token is not in the log");
});

test("A Ctrl-C that arrives twice, as through npm, counts once.", async () => {
  using data = folder();
  const service = await serve({ DATA_DIR: data.path, LOG_LEVEL: "silent" });
  service.process.kill("SIGINT");
  service.process.kill("SIGINT");
  assert.equal(await service.stop(), 0);
});

test("With OWNER_TOKEN_FILE, a first start whose output is not a terminal prints neither the token nor a sign-in code.", async () => {
  using data = folder();
  const token = "an-owner-token-from-a-secret-file-0123456789";
  writeFileSync(data.at("token"), token);
  const env = {
    PATH: process.env.PATH ?? "",
    DATA_DIR: data.at("data"),
    OWNER_TOKEN_FILE: data.at("token"),
    PORT: "0",
    WAREHOUSE: "off",
  };
  for (const words of [["serve"], ["serve", "--json"]]) {
    rmSync(env.DATA_DIR, { recursive: true, force: true });
    const child = spawn(process.execPath, [BIN, ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        printed += chunk.toString();
      });
    await until("the page for signing in is printed", () => printed.includes("/sign-in"));
    child.kill("SIGTERM");
    await once(child, "close");
    assert.doesNotMatch(printed, /#code=/);
    assert.ok(!printed.includes(token));
  }
});

test("Every start says how to sign in.", async () => {
  using own = folder();
  const env = {
    PATH: process.env.PATH ?? "",
    DATA_DIR: own.path,
    PORT: "0",
    LOG_LEVEL: "silent",
    WAREHOUSE: "off",
  };
  for (const words of [
    /Sign in with this link.*\n\n {3}http\S+\/sign-in#code=/,
    /Sign in at http\S+\/sign-in\n/,
  ]) {
    const child = spawn(process.execPath, [BIN, "serve"], { env, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    await until("the service has started", () => said.includes("is listening on"));
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
    assert.match(said, words);
    assert.doesNotMatch(said, /hwt_/, "a journal keeps no token that never expires");
  }
});

/** What a person reads who runs the command at a terminal and presses Ctrl-C, without the echo of the key. */
async function readTerminal(env: Record<string, string>, isReady: (text: string) => boolean) {
  // without `exec` the shell would end by the Ctrl-C
  const command = `exec ${process.execPath} ${BIN} serve`;
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  await until("the terminal shows it", () => isReady(text));
  const ended = once(child, "close");
  child.stdin.write("\u0003");
  const [code] = await ended;
  return { code, text: text.replaceAll("\r", "").replace("^C", "") };
}

test("A person at a terminal reads one block, warnings as text, and that the service has stopped.", {
  skip: spawnSync("script", ["--version"]).error && "there is no script(1)",
}, async () => {
  using own = folder();
  const env = {
    PATH: process.env.PATH ?? "",
    DATA_DIR: own.path,
    PORT: "0",
    WAREHOUSE: "off",
    RETENTION_DAY: "9",
  };
  const first = await readTerminal(env, (text) => text.includes("Ctrl-C stops the service."));
  assert.equal(first.code, 0);
  assert.match(first.text, /^Warning: RETENTION_DAY .*\n/m);
  assert.match(first.text, /\nHeadwater is listening on http:\/\/127\.0\.0\.1:\d+\n/);
  assert.match(first.text, /\n {3}http\S+\/sign-in#code=\S+\n/);
  assert.match(first.text, /\nCtrl-C stops the service\.\n\nStopping\.\nStopped\.\n$/);
  assert.doesNotMatch(first.text, /^\{/m, "no line is JSON");
  assert.doesNotMatch(first.text, /hwt_/, "no token that never expires");

  const asked = await readTerminal({ ...env, LOG_LEVEL: "info" }, (text) => text.includes("Ctrl-C stops"));
  assert.match(asked.text, /^\{"level":30.*"msg":"listening"\}$/m);
});

test("The commands of the README work, and their page views count.", {
  skip: spawnSync("curl", ["--version"]).error && "there is no curl",
}, async () => {
  using own = folder();
  const env = { PATH: process.env.PATH ?? "", DATA_DIR: own.path, PORT: "0", LOG_LEVEL: "silent" };
  const child = spawn(process.execPath, [BIN, "serve", "--json"], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [line] = (await once(child.stderr, "data")) as [Buffer];
  const { url: address } = JSON.parse(line.toString());
  const readme = readFileSync(new URL("../../../../README.md", import.meta.url), "utf8");
  const block = /The same with curl[^`]*```\n([^`]*)```/.exec(readme)?.[1] ?? "";
  const [create = "", send = ""] = block.split(/^SOURCE_ID=.*$/m);
  const run = async (script: string) => {
    const text = script
      .replaceAll("http://127.0.0.1:8790", address)
      .replaceAll("npx headwater", `${process.execPath} ${BIN}`);
    return (await promisify(execFile)("bash", ["-c", text], { env })).stdout;
  };
  const source = JSON.parse(await run(create));
  const { accepted, results } = JSON.parse(await run(send.replace("pk_…", source.publicKey)));
  assert.deepEqual([accepted, results[0].warnings], [1, []], "the commands of the README count too");
  child.kill("SIGINT");
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
});

test("SIGTERM to `npm start` stops the service.", async () => {
  using data = folder();
  const env = { PATH: process.env.PATH ?? "", DATA_DIR: data.path, PORT: "0", WAREHOUSE: "off" };
  // a process group of its own, so that a service that goes on can be ended with it
  const npm = spawn("npm", ["start"], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  try {
    let said = "";
    for await (const chunk of npm.stderr) {
      said += chunk;
      if (said.includes("is listening on")) break;
    }
    const ended = once(npm, "exit");
    npm.kill("SIGTERM");
    await ended;
    const url = /http:\/\/\S+/.exec(said)![0];
    await assert.rejects(fetch(`${url}/healthz`));
    const again = await serve({ DATA_DIR: data.path, LOG_LEVEL: "silent" });
    assert.equal(await again.stop(), 0);
  } finally {
    try {
      process.kill(-npm.pid!, "SIGKILL");
    } catch {
      // every process of the group has ended
    }
  }
});

/** A copy of the sources, with links to the installed packages except those. Nothing is built in it. */
function copyWithout(target: string, packages: readonly string[]): string {
  const isSource = (path: string) =>
    !/\/(?:node_modules|dist|test)(?:\/|$)/.test(path.slice(ROOT.length - 1));
  for (const part of ["package.json", "apps/server", "apps/console", "packages"])
    cpSync(join(ROOT, part), join(target, part), { recursive: true, filter: isSource });
  mkdirSync(join(target, "node_modules"));
  for (const name of readdirSync(join(ROOT, "node_modules")))
    if (!packages.includes(name))
      symlinkSync(join(ROOT, "node_modules", name), join(target, "node_modules", name));
  return join(target, "apps/server/bin/headwater.js");
}

test("Without the development packages, a service whose browser client is not built exits with 78 and says what to run.", async () => {
  using own = folder();
  const bin = copyWithout(own.at("copy"), ["rolldown", "acorn", "vite", ".cache"]);
  const env = { PATH: process.env.PATH ?? "", DATA_DIR: own.at("data"), PORT: "0", WAREHOUSE: "off" };
  const run = promisify(execFile)(process.execPath, [bin, "serve"], { env });
  const { code, stderr } = await run.then(
    () => assert.fail("it started"),
    (error: { code: number; stderr: string }) => error,
  );
  assert.equal(code, 78, stderr);
  assert.match(stderr, /The browser client is not built.*Run `npm install`, then `npm run build/);
});
