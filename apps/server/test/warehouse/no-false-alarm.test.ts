/** Erasures, retention, imports, restores and moves change what the warehouse holds, and are not reported as losses. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readConfig } from "../../src/config/config.ts";
import { override } from "../../src/core/override.ts";
import { sumEvents } from "../../src/core/warehouse-report.ts";
import { openLedgerBeside } from "../../src/open-ledger.ts";
import { compareWarehouse, type SurplusMemory } from "../../src/shipping/compare.ts";
import { BIN, folder, headwater, type Settings } from "../cli/command-line.ts";
import { until } from "../faults/child.ts";
import { DAY, eventsBody, eventsPath, MINUTE, ORGANIZATION_ID, trackEvent } from "../support/world.ts";
import { askWarehouse, onWarehouse } from "./ask.ts";
import { type DamagedService, openDamagedService } from "./damage.ts";
import { startEndpoint } from "./endpoint.ts";
import { PATIENCE_MS } from "./store.ts";
import { settingsOf } from "./test-warehouse.ts";

const data = folder();
let service: DamagedService;
// biome-ignore lint/suspicious/noExplicitAny: a test reads the fields that it expects
let source: any;

const settings = (): Settings => ({ DATA_DIR: service.dataDir, WAREHOUSE: "" });
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Asserts that the command finds nothing missing. @returns its output */
async function assertComplete(environment = settings()): Promise<void> {
  const { code, stdout, stderr, json } = await headwater(environment, "check-warehouse", "--json");
  assert.equal(code, 0, stdout + stderr);
  assert.deepEqual(json(), { missingEvents: 0, days: [], detachedParts: [] });
}

/** Sends events of a visitor, the oldest three days old. */
async function send(anonymousId: string, count: number): Promise<void> {
  const { world } = service;
  const sessionId = await world.openSession(source, { anonymousId });
  const events = Array.from({ length: count }, (_, index) => trackEvent({}, Date.now() - (index % 4) * DAY));
  const { body } = await world.send(eventsPath(source), eventsBody(sessionId, events, { anonymousId }));
  assert.equal(body.accepted, count);
}

before(async () => {
  service = await openDamagedService();
  source = await service.world.createSource();
  await send("one", 120);
  await send("two", 40);
  await service.ship(source, 200);
});
after(async () => {
  await service[Symbol.asyncDispose]();
  data[Symbol.dispose]();
});

test("A service that has lost nothing is complete.", async () => {
  await service.untilWarehouse({ state: "up", missingEvents: 0 });
  await assertComplete();
});

async function erase(anonymousId: string): Promise<void> {
  const { ask } = service.world;
  const body = { organizationId: ORGANIZATION_ID, anonymousId };
  const receipt = await ask("/api/visitors/erase", { method: "POST", body });
  await until("the visitor is erased", PATIENCE_MS, async () => {
    const { body: found } = await ask(receipt.headers.get("location")!);
    return found.status === "done";
  });
}

test("After the erasure of a visitor the warehouse is complete.", async () => {
  await erase("two");
  await assertComplete();
});

const untilNothingWaits = () =>
  until("no events wait", PATIENCE_MS, async () => {
    const { waitingEvents, state } = await service.warehouse();
    return waitingEvents === 0 && state === "up";
  });
const startBackup = (to: string) =>
  spawn(process.execPath, [BIN, "backup", "--to", to], {
    env: { PATH: process.env.PATH ?? "", ...settings() },
    stdio: "ignore",
  });

/** How many events each of two comparisons adopts, the second an hour later. The service must not be running. */
async function adoptedByTwoComparisons(): Promise<number[]> {
  const ledger = await openLedgerBeside(readConfig(settings()), Date.now());
  const { signal } = new AbortController();
  const surplus: SurplusMemory = new Map();
  try {
    return await onWarehouse(service.dataDir, async (client) => {
      const adopt = async (now: number) =>
        (await compareWarehouse({ ledger, client, now, signal, surplus })).adopted;
      return [await adopt(Date.now()), await adopt(Date.now() + 60 * MINUTE)];
    });
  } finally {
    await ledger.close();
  }
}

test("Missing events are counted several times, because events that are just being shipped hide them.", async () => {
  const countMissing = async (isSuspicious: boolean) => {
    const ledger = await openLedgerBeside(readConfig(settings()), Date.now());
    let reads = 0;
    // six shipped events of a day are lost; at the first count as many are in the warehouse and not counted yet
    const busy = override(ledger, {
      shippedDays: async (asked: Parameters<typeof ledger.shippedDays>[0]) => {
        const found = await ledger.shippedDays(asked);
        reads += 1;
        const days = found.days.map((day) => ({ ...day, events: day.events + (reads === 1 ? 0 : 6) }));
        return { ...found, days: days.slice(0, 1) };
      },
    });
    const { signal } = new AbortController();
    try {
      return await onWarehouse(service.dataDir, async (client) => {
        const { missing } = await compareWarehouse({
          ledger: busy,
          client,
          now: Date.now(),
          signal,
          isSuspicious,
        });
        return sumEvents(missing);
      });
    } finally {
      await ledger.close();
    }
  };
  await service.restartAfter(async () => {
    assert.deepEqual([await countMissing(true), await countMissing(false)], [6, 0]);
  });
});

test("After an import of old and of recent events the warehouse is complete.", async () => {
  const rows = Array.from({ length: 60 }, (_, index) => ({
    id: `imported-${index}`,
    type: "track",
    name: "imported",
    timestamp: new Date(Date.now() - (index % 2 === 0 ? 40 : 2) * DAY).toISOString(),
    sessionId: "ses_imported",
    anonymousId: "imported",
  }));
  const file = join(data.path, "rows.ndjson");
  writeFileSync(file, rows.map((row) => JSON.stringify(row)).join("\n"));
  await service.restartAfter(async () => {
    const { code, stderr } = await headwater(settings(), "import", file, "--source", source.sourceId);
    assert.equal(code, 0, stderr);
    await assertComplete();
    assert.deepEqual(await adoptedByTwoComparisons(), [0, 0], "an event that waits may be one of them");
  });
  await untilNothingWaits();
  await assertComplete();
  await service.restartAfter(async () => {
    assert.deepEqual(await adoptedByTwoComparisons(), [0, 30], "the old events are compared from now on");
    await assertComplete();
  });
});

test("A restored backup is complete, also when a visitor was erased while the backup was made.", async () => {
  const [copy, restored] = [data.at("copy"), data.at("restored")];
  await send("three", 40);
  await untilNothingWaits();
  const backup = startBackup(copy);
  const ended = once(backup, "exit");
  await until("the ledger is copied", PATIENCE_MS, () => existsSync(join(copy, "ledger.sqlite.unfinished")));
  // the copy of the ledger may still be growing: it is complete when the command turns to the next file
  await until("the next file is copied", PATIENCE_MS, () =>
    existsSync(join(copy, "attempts.sqlite.unfinished")),
  );
  backup.kill("SIGSTOP");
  await erase("three");
  backup.kill("SIGCONT");
  assert.deepEqual(await ended, [0, null]);
  const into = { DATA_DIR: restored, WAREHOUSE: "" };
  const { code, stderr } = await headwater(into, "restore", "--from", copy);
  assert.equal(code, 0, stderr);
  await assertComplete(into);
});

test("After retention the warehouse is complete.", async () => {
  const { world } = service;
  const path = `/api/tracking-sources/${source.sourceId}`;
  const body = { organizationId: ORGANIZATION_ID, retentionDays: 1 };
  assert.equal((await world.ask(path, { method: "PATCH", body })).status, 200);
  const oldest = async () => {
    const range = { dateRange: [dayOf(Date.now() - 60 * DAY), dayOf(Date.now() - 2 * DAY)] };
    const query = { sourceId: source.sourceId, metrics: ["events"], ...range };
    const answer = await world.ask("/api/stats/query", { method: "POST", body: query });
    return answer.body.results[0].metrics[0];
  };
  assert.notEqual(await oldest(), 0);
  await until("old events are deleted", PATIENCE_MS, async () => {
    await world.server.maintain();
    return (await oldest()) === 0;
  });
  await assertComplete();
});

test("After a move to another warehouse that one is complete; without the move it is not.", async () => {
  await using target = await startEndpoint(false);
  await service.restartAfter(async () => {
    const moved = { ...settings(), ...settingsOf(target.endpoint) };
    assert.equal((await headwater(moved, "check-warehouse")).code, 1);
    const { code, stderr } = await headwater(moved, "move-warehouse");
    assert.equal(code, 0, stderr);
    await assertComplete(moved);
    const [{ events }] = await askWarehouse(
      service.dataDir,
      "SELECT toUInt32(count()) AS events FROM events",
    );
    assert.ok(events > 200);
  });
});
