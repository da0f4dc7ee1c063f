/** deploy/backup/backup.sh: scheduled backups, each restored once, and the newest kept. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { BIN, folder, headwater, serve } from "../cli/command-line.ts";
import { metricValue } from "../support/metrics.ts";

const SCRIPT = fileURLToPath(new URL("../../../../deploy/backup/backup.sh", import.meta.url));
const run = promisify(execFile);

async function openBackups(data: ReturnType<typeof folder>) {
  const settings = { DATA_DIR: data.at("data"), WAREHOUSE: "off", LOG_LEVEL: "silent" };
  const service = await serve(settings);
  const made = await headwater(settings, "source", "create", "--name", "Shop", "--json");
  assert.equal(made.code, 0, made.stderr);
  mkdirSync(data.at("backups"));
  return {
    [Symbol.asyncDispose]: async () => void (await service.stop()),
    list: () => readdirSync(data.at("backups")),
    backUp: async (command = `${process.execPath} ${BIN}`) => {
      const env = {
        PATH: process.env.PATH,
        ...settings,
        BACKUP_DIR: data.at("backups"),
        BACKUP_KEEP: "2",
        HEADWATER: command,
      };
      return (await run(SCRIPT, [], { env })).stdout.trim().split("\n").at(-1) ?? "";
    },
  };
}

test("The script keeps the newest backups, and each of them restores.", async () => {
  using data = folder();
  await using backups = await openBackups(data);
  const { list, backUp } = backups;
  const first = await backUp();
  await backUp();
  const last = await backUp();
  assert.equal(list().length, 2);
  assert.ok(!list().some((name) => first.endsWith(name)), "the oldest is gone");
  const restored = { DATA_DIR: data.at("restored"), WAREHOUSE: "off" };
  assert.equal((await headwater(restored, "restore", "--from", last)).code, 0);
  const sources = await headwater(restored, "source", "list", "--json");
  assert.deepEqual(
    sources.json().sources.map(({ name }: { name: string }) => name),
    ["Shop"],
  );
});

test("A backup that does not restore fails, and the earlier ones stay.", async () => {
  using data = folder();
  await using backups = await openBackups(data);
  const { list, backUp } = backups;
  await backUp();
  const before = list();
  const damaging = data.at("damaging.sh");
  // makes the backup and then damages it
  const text = `#!/bin/sh
${process.execPath} ${BIN} "$@" || exit
[ "$1" != backup ] || printf damaged > "$3/ledger.sqlite"
`;
  writeFileSync(damaging, text);
  chmodSync(damaging, 0o755);
  await assert.rejects(backUp(damaging));
  assert.deepEqual(list(), before);
});

test("The time of the last backup is a metric, which a restart keeps and a failed backup does not change.", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.at("data") };
  const read = async (url: string) =>
    metricValue(await (await fetch(`${url}/metrics`)).text(), "headwater_last_backup_timestamp_seconds");
  const first = await serve(settings);
  assert.equal(await read(first.url), 0);
  const begunAt = Date.now();
  assert.equal((await headwater(settings, "backup", "--to", data.at("backup"))).code, 0);
  const backedUpAt = await read(first.url);
  assert.ok(backedUpAt! >= begunAt / 1_000 - 1 && backedUpAt! <= Date.now() / 1_000 + 1);
  assert.equal((await headwater(settings, "backup", "--to", data.at("backup"))).code, 1);
  await first.stop();
  const second = await serve(settings);
  assert.equal(await read(second.url), backedUpAt);
  await second.stop();
});
