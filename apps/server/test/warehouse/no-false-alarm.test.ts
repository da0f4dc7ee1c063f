/** Erasures, retention, imports, restores and moves change what the warehouse holds, and are not reported as losses. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createSourceLists } from "../../src/channels/source-lists.ts";
import { createVisitClassifier } from "../../src/channels/visit-classifier.ts";
import type { WarehouseClient } from "../../src/clickhouse/client.ts";
import { readConfig } from "../../src/config/config.ts";
import { override } from "../../src/core/members.ts";
import { dayOf as dayNumber } from "../../src/core/time.ts";
import { compileAddressRules } from "../../src/ingest/address-rules.ts";
import { createEventParser } from "../../src/ingest/parse.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { type DayCount, sumEvents } from "../../src/ledger/warehouse-report.ts";
import { openLedgerBeside } from "../../src/open-ledger.ts";
import { acceptMissing, compareWarehouse, type MissingDay } from "../../src/shipping/compare.ts";
import { evaluateRow } from "../../tools/import/evaluate-row.ts";
import { storeEvents } from "../../tools/import/store-events.ts";
import { BIN, folder, headwaterHere, type Settings } from "../cli/command-line.ts";
import { until } from "../support/until.ts";
import { DAY, eventsBody, eventsPath, ORGANIZATION_ID, openWorld, trackEvent } from "../support/world.ts";
import { askWarehouse, onWarehouse } from "./ask.ts";
import { type DamagedService, openDamagedService } from "./damage.ts";
import { startEndpoint } from "./endpoint.ts";
import { settingsOf } from "./test-warehouse.ts";

const data = folder();
let service: DamagedService;
// biome-ignore lint/suspicious/noExplicitAny: a test reads the fields that it expects
let source: any;

const settings = (): Settings => ({ DATA_DIR: service.dataDir, WAREHOUSE: "" });
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Asserts that the command finds nothing missing. @returns its output */
async function assertComplete(environment = settings()): Promise<void> {
  const { code, stdout, stderr, json } = await headwaterHere(environment, "check-warehouse", "--json");
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
  await until("the visitor is erased", async () => {
    const { body: found } = await ask(receipt.headers.get("location")!);
    return found.status === "done";
  });
}

test("After the erasure of a visitor the warehouse is complete.", async () => {
  await erase("two");
  await assertComplete();
});

const untilNothingWaits = () =>
  until("no events wait", async () => {
    const { waitingEvents, state } = await service.warehouse();
    return waitingEvents === 0 && state === "up";
  });
const startBackup = (to: string) =>
  spawn(process.execPath, [BIN, "backup", "--to", to], {
    env: { PATH: process.env.PATH ?? "", ...settings() },
    stdio: "ignore",
  });

type ChangeLedger = (ledger: Ledger) => Ledger;
/** Compares once. The service must not be running. */
async function compareOnce(
  before = async (_client: WarehouseClient): Promise<unknown> => undefined,
  change: ChangeLedger = (ledger) => ledger,
): Promise<MissingDay[]> {
  return withStores(async (ledger, client) => {
    await before(client);
    return compare(change(ledger), client);
  });
}

const compare = (
  ledger: Ledger,
  client: WarehouseClient,
  onSurplus: (days: readonly DayCount[]) => void = () => undefined,
) =>
  compareWarehouse({
    onSurplus,
    ledger,
    client,
    now: Date.now(),
    startedAt: Date.now(),
    signal: new AbortController().signal,
  });

/** Opens both stores of the service, which must not be running. */
async function withStores<T>(work: (ledger: Ledger, client: WarehouseClient) => Promise<T>): Promise<T> {
  const ledger = await openLedgerBeside(readConfig(settings()), Date.now());
  try {
    return await onWarehouse(service.dataDir, (client) => work(ledger, client));
  } finally {
    await ledger.close();
  }
}

/** Deletes an event of the warehouse, as no part of the service does. */
const loseOne = (condition: string) => async (client: WarehouseClient) => {
  // found first: within a mutation each part would look for it anew
  const query = `SELECT analyticsEventId AS id FROM events WHERE ${condition} LIMIT 1`;
  const [event] = await (await client.query({ query, format: "JSONEachRow" })).json<{ id: string }>();
  await client.command({
    query: `ALTER TABLE events DELETE WHERE analyticsEventId = '${event!.id}'`,
    clickhouse_settings: { mutations_sync: "2" },
  });
};

/** Finds what `loseOne` has deleted, and gives up on it. */
async function assertOneMissing(missing: readonly MissingDay[]): Promise<void> {
  assert.deepEqual([missing.length, sumEvents(missing)], [1, 1]);
  assert.equal((await headwaterHere(settings(), "check-warehouse", "--accept")).code, 0);
  await assertComplete();
}

test("An event that the warehouse has lost is reported by the next comparison.", async () => {
  await service.restartAfter(async () => assertOneMissing(await compareOnce(loseOne("name = 'signup'"))));
});

test("Events that are being shipped hide a loss until nothing is on its way.", async () => {
  await service.restartAfter(async () => {
    let reads = 0;
    // five events of a page are in the warehouse and not counted yet, as many as are lost; then the page is counted
    const missing = await compareOnce(undefined, (ledger) =>
      override(ledger, {
        sealedPages: async () => (reads > 2 ? [] : ["pag_1"]),
        shippedDays: async (asked: Parameters<typeof ledger.shippedDays>[0]) => {
          const found = await ledger.shippedDays(asked);
          reads += 1;
          const [first, ...others] = found.days;
          const lost = reads > 2 ? 5 : -1;
          return { ...found, days: first ? [{ ...first, events: first.events + lost }, ...others] : [] };
        },
      }),
    );
    assert.equal(sumEvents(missing), 5);
  });
});

test("After an import of old and of recent events the warehouse is complete, and the loss of one is found at once.", async () => {
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
    for (const accepted of [60, 0]) {
      const words = ["import", file, "--source", source.sourceId, "--json"];
      const { json, stderr } = await headwaterHere(settings(), ...words);
      assert.equal(json().accepted, accepted, stderr);
    }
    const isOld = `occurredAt < fromUnixTimestamp64Milli(${Date.now() - 30 * DAY})`;
    await assertOneMissing(await compareOnce(loseOne(isOld)));
  });
  await untilNothingWaits();
  await assertComplete();
});

const forgetAll = (ledger: Ledger) =>
  ledger.expireShippedDays([{ sourceId: source.sourceId, before: dayNumber(Date.now()) + 1 }]);

test("A warehouse that is older than its ledger is compared from the first comparison on.", async () => {
  await service.restartAfter(async () => {
    await withStores(forgetAll);
    await assertComplete();
    await assertOneMissing(await compareOnce(loseOne("1")));
  });
});

/** Compares once before the first change of the counts, as another process may do. */
function comparedMeanwhile(ledger: Ledger, client: WarehouseClient): Ledger {
  let isFirst = true;
  return override(ledger, {
    addShippedDays: async (change: Parameters<Ledger["addShippedDays"]>[0]) => {
      if (isFirst) assert.deepEqual(await compare(ledger, client), []);
      isFirst = false;
      return ledger.addShippedDays(change);
    },
  });
}

test("A comparison tells how many events the warehouse holds besides those that the ledger counted as shipped.", async () => {
  await service.restartAfter(async () => {
    for (const words of [["check-warehouse"], ["check-warehouse", "--accept"]]) {
      await withStores(forgetAll);
      const { code, stderr } = await headwaterHere(settings(), ...words);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /holds \d+ events that the ledger had not counted as shipped/);
    }
    const again = await headwaterHere(settings(), "check-warehouse");
    assert.doesNotMatch(again.stderr, /not counted as shipped/);
  });
});

/** A ledger whose source gets a retention of a day when it is first asked for its counts, before the expired events are deleted. */
function expiringMeanwhile(ledger: Ledger): Ledger {
  const { sourceId } = source;
  let retentions: Awaited<ReturnType<Ledger["retentions"]>> = [];
  return override(ledger, {
    retentions: async () => retentions,
    shippedDays: async (asked: Parameters<Ledger["shippedDays"]>[0]) => {
      if (retentions.length === 0)
        await ledger.expireShippedDays([{ sourceId, before: dayNumber(Date.now()) - 1 }]);
      retentions = [{ sourceId, retentionDays: 1 }];
      return ledger.shippedDays(asked);
    },
  });
}

test("Events that expire during a comparison are not counted as shipped again.", async () => {
  await service.restartAfter(async () => {
    await withStores(async (ledger, client) => {
      const surplus: DayCount[] = [];
      const missing = await compare(expiringMeanwhile(ledger), client, (days) => surplus.push(...days));
      assert.deepEqual([missing, surplus], [[], []]);
    });
    await assertComplete();
  });
});

test("Two comparisons at the same time count events once.", async () => {
  await service.restartAfter(async () => {
    await withStores(async (ledger, client) => {
      await forgetAll(ledger);
      assert.deepEqual(await compare(comparedMeanwhile(ledger, client), client), []);
    });
    await assertComplete();
  });
});

test("An import and a comparison at the same time count events once.", async () => {
  const now = Date.now();
  const context = {
    sourceId: source.sourceId,
    now,
    maxEventBytes: 32_768,
    parseEvent: createEventParser(),
    addressRules: compileAddressRules(source),
    classifyVisit: createVisitClassifier(createSourceLists(null), source),
  };
  const event = evaluateRow(
    { ...trackEvent({}, now - 50 * DAY), sessionId: "ses_meanwhile", anonymousId: "meanwhile" },
    context,
  );
  assert.ok("candidate" in event);
  await service.restartAfter(async () => {
    await withStores(async (ledger, client) => {
      const stores = {
        client,
        sourceId: source.sourceId,
        now,
        newId: (prefix: string) => `${prefix}_meanwhile`,
      };
      const counting = comparedMeanwhile(ledger, client);
      const { accepted } = await storeEvents({ ...stores, ledger: counting }, [event], now - DAY);
      assert.equal(accepted, 1);
    });
    await assertComplete();
  });
});

test("A loss is accepted once.", async () => {
  await service.restartAfter(async () => {
    const missing = await compareOnce(loseOne("1"));
    await withStores(async (ledger) => {
      assert.equal(await acceptMissing(ledger, missing), true);
      assert.equal(await acceptMissing(ledger, missing), false);
    });
    await assertComplete();
  });
});

test("Events that wait in a restored ledger, and are in the warehouse already, are counted once.", async () => {
  using home = folder();
  const own = { DATA_DIR: home.at("data"), WAREHOUSE: "off" };
  const empty = await openWorld({ DATABASE_URL: "" }, {}, own.DATA_DIR);
  const { sourceId } = await empty.createSource();
  await empty.close();
  const rows = [trackEvent(), trackEvent()].map((event) => ({ ...event, sessionId: "s", anonymousId: "v" }));
  writeFileSync(home.at("rows"), rows.map((row) => JSON.stringify(row)).join("\n"));
  const taken = await headwaterHere(own, "import", home.at("rows"), "--source", sourceId, "--json");
  assert.equal(taken.json().accepted, rows.length, taken.stderr);
  cpSync(own.DATA_DIR, home.at("copy"), { recursive: true });
  const withWarehouse = { ...own, WAREHOUSE: "embedded" };
  const shipAll = async () => {
    const world = await openWorld({ DATABASE_URL: "", WAREHOUSE: "embedded" }, {}, own.DATA_DIR);
    await until("no event waits", async () => {
      const { warehouse } = (await world.ask("/readyz", { token: null })).body;
      return warehouse.state !== "starting" && warehouse.waitingEvents === 0;
    });
    await world.close();
  };
  await shipAll();
  const isLedger = (name: string) => name.startsWith("ledger.sqlite");
  for (const name of readdirSync(own.DATA_DIR).filter(isLedger)) rmSync(join(own.DATA_DIR, name));
  for (const name of readdirSync(home.at("copy")).filter(isLedger))
    cpSync(join(home.at("copy"), name), join(own.DATA_DIR, name));
  await assertComplete(withWarehouse);
  await shipAll();
  await assertComplete(withWarehouse);
});

test("A restored backup is complete, even when a visitor was erased while the backup was made.", async () => {
  const [copy, restored] = [data.at("copy"), data.at("restored")];
  await send("three", 40);
  await untilNothingWaits();
  const backup = startBackup(copy);
  const ended = once(backup, "exit");
  await until("the ledger is copied", () => existsSync(join(copy, "ledger.sqlite.unfinished")));
  // the copy of the ledger may still be growing: it is complete when the command turns to the next file
  await until("the next file is copied", () => existsSync(join(copy, "attempts.sqlite.unfinished")));
  backup.kill("SIGSTOP");
  await erase("three");
  backup.kill("SIGCONT");
  assert.deepEqual(await ended, [0, null]);
  const into = { DATA_DIR: restored, WAREHOUSE: "" };
  const { code, stderr } = await headwaterHere(into, "restore", "--from", copy);
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
  await until("old events are deleted", async () => {
    await world.server.maintain();
    return (await oldest()) === 0;
  });
  await assertComplete();
});

test("After a move to another warehouse that one is complete; without the move it is not.", async () => {
  await using target = await startEndpoint(false);
  await service.restartAfter(async () => {
    const moved = { ...settings(), ...settingsOf(target.endpoint) };
    assert.equal((await headwaterHere(moved, "check-warehouse")).code, 1);
    const { code, stderr } = await headwaterHere(moved, "move-warehouse");
    assert.equal(code, 0, stderr);
    await assertComplete(moved);
    const [{ events }] = await askWarehouse(
      service.dataDir,
      "SELECT toUInt32(count()) AS events FROM events",
    );
    assert.ok(events > 200);
  });
});
