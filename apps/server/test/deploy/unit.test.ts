/** The service under the seccomp filter of its systemd unit, with the embedded ledger and warehouse. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { BIN, folder } from "../cli/command-line.ts";
import { until } from "../support/until.ts";
import { deployFile } from "./front.ts";
import { underFilter, withoutFilter } from "./unit-filter.ts";

const UNIT = await deployFile("systemd/headwater.service");

interface Started extends AsyncDisposable {
  url: string;
  log(): string;
  /** The priorities of its processes and threads. */
  priorities(): Set<string>;
  kill(): Promise<void>;
}

/** @param unit the text of a unit, whose filter holds */
async function serveUnder(unit: string, dataDir: string): Promise<Started> {
  const [command, ...words] = underFilter(unit, [process.execPath, BIN, "serve", "--json"]);
  const settings = {
    DATA_DIR: dataDir,
    HOST: "127.0.0.1",
    PORT: "0",
    LOG_LEVEL: "debug",
    DISK_LOW_WATER_BYTES: "0",
  };
  const child = spawn(command!, words, { env: { PATH: process.env.PATH, ...settings } });
  let [log, said] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  await until("it has started", () => {
    assert.equal(child.exitCode, null, said);
    return said.includes("\n");
  });
  return {
    url: JSON.parse(said.split("\n")[0]!).url,
    log: () => log,
    priorities: () => prioritiesOf(child.pid!),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

function prioritiesOf(pid: number): Set<string> {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  const threads = [String(pid), ...children].flatMap((id) =>
    readdirSync(`/proc/${id}/task`).map((thread) => `/proc/${id}/task/${thread}/stat`),
  );
  // proc(5): the name, which may contain spaces, ends with a bracket; 16 fields later is the nice value
  return new Set(threads.map((path) => readFileSync(path, "utf8").split(") ")[1]!.split(" ")[16]!));
}

const whenUp = ({ url }: Started) =>
  until("service and warehouse are ready", async () => {
    const { status, warehouse } = (await (await fetch(`${url}/readyz`)).json()) as {
      status: string;
      warehouse: { state: string };
    };
    return status === "ready" && warehouse.state === "up";
  });

test("The service starts under the filter of the unit, with its warehouse, and again after kill -9.", {
  skip: withoutFilter,
}, async () => {
  using data = folder();
  await using first = await serveUnder(UNIT, data.at("data"));
  await whenUp(first);
  assert.ok(first.priorities().has("10"), "background work has a lower priority");
  await first.kill();
  await using second = await serveUnder(UNIT, data.at("data"));
  await whenUp(second);
});

test("The service also runs where it may not change priorities, and logs this once.", {
  skip: withoutFilter,
}, async () => {
  using data = folder();
  await using service = await serveUnder(`${UNIT}\nSystemCallFilter=~@resources`, data.at("data"));
  await whenUp(service);
  assert.deepEqual([...service.priorities()], ["0"]);
  assert.equal(service.log().match(/"background work runs with the priority of ingest"/g)?.length, 1);
});
