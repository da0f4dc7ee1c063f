/** The files of deploy/ match the settings, the limits and the version of the service. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { OPERATIONS, WAREHOUSE_CODES } from "@headwater/contract";
import { SETTINGS, type SettingName } from "../../src/config/settings.ts";
import { DRAIN_TIMEOUT_MS } from "../../src/http/listening.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const files = globSync("deploy/**", { cwd: ROOT, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
  .map((path) => ({ path, text: read(path) }));

/** Variables of other programs, and words that look like variables. */
const FOREIGN =
  /^(?:NODE_(?:ENV|OPTIONS|COMPILE_CACHE|IMAGE)|POSTGRES_[A-Z_]+|AF_[A-Z0-9]+|BACKUP_(?:DIR|KEEP)|CLICKHOUSE_SKIP_USER_SETUP)$/;
const isSetting = (name: string) => Object.hasOwn(SETTINGS, name);

/** The first number after these words in a file of deploy/. */
function numberIn(path: string, words: string): number {
  const found = new RegExp(`${words}\\D*?(\\d+)`).exec(read(`deploy/${path}`));
  assert.ok(found, `deploy/${path} says ${words}`);
  return Number(found[1]);
}

test("Every variable in the files is a setting, or a setting with _FILE.", () => {
  const named = files.flatMap(({ path, text }) =>
    [...text.matchAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)].map(([name]) => ({ path, name })),
  );
  const unknown = named.filter(
    ({ name }) => !FOREIGN.test(name) && !isSetting(name) && !isSetting(name.replace(/_FILE$/, "")),
  );
  assert.ok(named.some(({ name }) => name === "TRUST_PROXY"));
  assert.deepEqual(unknown, []);
});

test("No file contains the value of a secret.", () => {
  const isSecret = (name: string) => "secret" in SETTINGS[name as SettingName];
  const secrets = [...Object.keys(SETTINGS).filter(isSecret), "DATABASE_URL", "POSTGRES_PASSWORD"];
  const valued = new RegExp(`\\b(?:${secrets.join("|")})\\s*[=:]`);
  for (const { path, text } of files) assert.doesNotMatch(text, valued, path);
});

test("Every process manager waits longer than the service needs to stop.", () => {
  const waits = {
    systemd: numberIn("systemd/headwater.service", "TimeoutStopSec="),
    compose: numberIn("compose.yaml", "stop_grace_period: "),
    ...Object.fromEntries(
      ["one-node", "several-nodes", "embedded-warehouse"].map((name) => [
        name,
        numberIn(`kubernetes/${name}.yaml`, "terminationGracePeriodSeconds: ") -
          numberIn(`kubernetes/${name}.yaml`, "command: \\[sleep, "),
      ]),
    ),
  };
  // 2 s for what is written after the last answer
  const stopSeconds = DRAIN_TIMEOUT_MS / 1_000 + 2;
  for (const [who, seconds] of Object.entries(waits))
    assert.ok(seconds > stopSeconds, `${who}: ${seconds} s`);
});

test("The proxies send requests that read the warehouse to the node that has it.", () => {
  const [, nginx = ""] =
    /# location ~ (\S+) \{\n {2}# {3}proxy_pass http:\/\/10/.exec(read("deploy/nginx.conf")) ?? [];
  const [, caddy = ""] = /# @stats path (.*)/.exec(read("deploy/Caddyfile")) ?? [];
  const globs = caddy
    .split(" ")
    .map((glob) => glob.replace(/\*$/, ".*").replace(/\*(?!$)(?<!\.\*)/g, "[^/]+"));
  const codes: ReadonlySet<string> = new Set(WAREHOUSE_CODES.filter((code) => code.startsWith("warehouse")));
  for (const pattern of [new RegExp(nginx), new RegExp(`^(?:${globs.join("|")})$`)]) {
    const matches = (path: string) => pattern.test(path.replace(/:\w+/g, "abc"));
    const readers = OPERATIONS.filter(
      ({ id, codes: own }) => id === "mcp" || own.some((code) => codes.has(code)),
    );
    assert.ok(readers.length > 5);
    assert.deepEqual(
      readers.filter(({ path }) => !matches(path)).map(({ path }) => path),
      [],
    );
    for (const { path } of OPERATIONS) if (/ingest|tokens|debug/.test(path)) assert.ok(!matches(path), path);
  }
});

test("A proxy closes an idle connection before the service does.", () => {
  // Node's own default
  const keptSeconds = 5;
  assert.ok(numberIn("nginx.conf", "  keepalive_timeout") < keptSeconds);
  assert.ok(numberIn("Caddyfile", "\tkeepalive") < keptSeconds);
});

test("Image and manifests have the version of the package, and a Node that is new enough.", () => {
  const { version } = JSON.parse(read("package.json"));
  assert.ok(read("deploy/compose.yaml").includes(`image: headwater:${version}\n`));
  const images = files.flatMap(({ path, text }) =>
    path.startsWith("deploy/kubernetes/") ? [...text.matchAll(/image: .*headwater:(.*)/g)] : [],
  );
  assert.ok(images.length >= 3);
  for (const [line, tag] of images) assert.equal(tag, version, line);
  const { engines } = JSON.parse(read("apps/server/package.json"));
  assert.equal(
    numberIn("Dockerfile", "ARG NODE_IMAGE=node:"),
    Number.parseInt(engines.node.replace(/\D*/, ""), 10),
  );
});

test("The unit for several nodes is the unit for one, with a port and a folder for each and PostgreSQL's address.", () => {
  const linesOf = (name: string) => read(`deploy/systemd/${name}.service`).split("\n");
  const several = new Set(linesOf("headwater@"));
  const missing = linesOf("headwater").filter((line) => !line.startsWith("#") && !several.has(line));
  assert.deepEqual(
    missing.map((line) => line.replace(/=.*/, "")),
    ["Description", "StateDirectory", "Environment"],
  );
});

for (const name of ["headwater", "headwater@", "headwater-backup"])
  test(`systemd accepts the unit ${name} and rates its security as OK.`, {
    skip: !existsSync("/usr/bin/systemd-analyze") && "there is no /usr/bin/systemd-analyze",
  }, (t) => {
    const folder = mkdtempSync(join(tmpdir(), "headwater-unit-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const unit = join(folder, `${name}.service`);
    const text = read(`deploy/systemd/${name}.service`);
    const program = /^ExecStart=(\S+)/m.exec(text)?.[1] ?? "";
    assert.ok(["/usr/bin/node", "/opt/headwater/deploy/backup/backup.sh"].includes(program));
    writeFileSync(unit, text.replaceAll(program, process.execPath));
    const analyze = (...words: string[]) =>
      execFileSync("systemd-analyze", [...words, unit], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      });
    assert.equal(analyze("verify", "--recursive-errors=no"), "");
    // tenths; above it the command fails
    assert.match(analyze("security", "--offline=true", "--threshold=20"), /Overall exposure level.*OK/);
  });

test("package-lock.json has the checksum of every package, except of builds for other platforms than Linux on x64 with glibc.", () => {
  interface Locked {
    version?: string;
    link?: boolean;
    integrity?: string;
    os?: string[];
    cpu?: string[];
    libc?: string[];
  }
  const packages = Object.entries(JSON.parse(read("package-lock.json")).packages as Record<string, Locked>);
  const isForHere = ({ os = ["linux"], cpu = ["x64"], libc = ["glibc"] }: Locked) =>
    os.includes("linux") && cpu.includes("x64") && libc.includes("glibc");
  const fromRegistry = packages.filter(([path, { link }]) => path.includes("node_modules/") && !link);
  assert.ok(fromRegistry.length > 150);
  const unchecked = fromRegistry.filter(([, locked]) => isForHere(locked) && !locked.integrity);
  assert.deepEqual(
    unchecked.map(([path]) => path),
    [],
  );
});
