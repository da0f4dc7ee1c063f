/** The permissions of files that hold visitors' data: only their owner can read them, whatever the folder allows. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { ORIGIN, OWNER_TOKEN } from "../support/world.ts";
import { folder, headwater, serve } from "./command-line.ts";

// the processes of these tests inherit it
process.umask(0o022);

/** The files below a folder that others than their owner can open, with their modes. */
const openFiles = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${name} ${(statSync(`${parentPath}/${name}`).mode & 0o777).toString(8)}`)
    .filter((named) => !named.endsWith(" 600"));

test("Files are readable only by their owner in a DATA_DIR that others can read, and the log warns with its mode.", async () => {
  using data = folder();
  for (const name of ["data", "backup", "restored"]) {
    mkdirSync(data.at(name));
    chmodSync(data.at(name), 0o755);
  }
  const settings = { DATA_DIR: data.at("data"), OWNER_TOKEN, LOG_LEVEL: "warn" };
  const service = await serve(settings);
  const headers = { authorization: `Bearer ${OWNER_TOKEN}`, "content-type": "application/json" };
  const source = { organizationId: "org_default", name: "Shop", allowedOrigins: [ORIGIN] };
  const made = { method: "POST", headers, body: JSON.stringify(source) };
  const { sourceId } = (await (await fetch(`${service.url}/api/tracking-sources`, made)).json()) as {
    sourceId: string;
  };
  assert.ok(readdirSync(settings.DATA_DIR).includes("attempts.sqlite-wal"));
  assert.deepEqual(openFiles(settings.DATA_DIR), []);
  assert.match(service.stdout(), /"level":40.*other users of this machine can open DATA_DIR .*\(mode 0755\)/);

  writeFileSync(data.at("token"), OWNER_TOKEN, { mode: 0o600 });
  const out = data.at("out");
  mkdirSync(out, { mode: 0o755 });
  const from = ["--api", service.url, "--token-file", data.at("token")];
  assert.equal(
    (await headwater(settings, "export", "--source", sourceId, "--out", `${out}/events`, ...from)).code,
    0,
  );
  assert.equal((await headwater(settings, "backup", "--to", data.at("backup"))).code, 0);
  await service.stop();
  const restored = { ...settings, DATA_DIR: data.at("restored") };
  assert.equal((await headwater(restored, "restore", "--from", data.at("backup"))).code, 0);
  assert.deepEqual(
    ["out", "backup", "restored"].flatMap((name) => openFiles(data.at(name))),
    [],
  );
});

test("A DATA_DIR that only its owner can read causes no warning.", async () => {
  using data = folder();
  const service = await serve({ DATA_DIR: data.path, LOG_LEVEL: "warn" });
  await service.stop();
  assert.equal(service.stdout(), "");
});
