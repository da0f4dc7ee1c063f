/**
 * The statement of delivery after days of traffic whose service is killed and whose storage fails, with an erasure, an import and
 * a retention: every count is that of clients that know what became of each of their events.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { DeliveryDay } from "@headwater/contract";
import { BIN, headwaterHere } from "../cli/command-line.ts";
import { assertBalanced, type DayAccount, newAccount } from "../delivery/day-account.ts";
import { until } from "../support/until.ts";
import { DAY, HOUR, ORGANIZATION_ID, openWorld, SECOND, type TestSource } from "../support/world.ts";
import { openProxiedWarehouse } from "../warehouse/proxied-warehouse.ts";
import { ask, type Child, createSource, startChild } from "./child.ts";
import { openVisitor, post, type Visitor } from "./load.ts";
import { createRandom, type SeededRandom } from "./random.ts";

/** The storage of a ledger that can fail while the service runs. */
export interface FailingStorage extends AsyncDisposable {
  readonly dataDir: string;
  readonly settings: Record<string, string>;
  /** Called again and again while events are sent. */
  fail(): Promise<void>;
  mend(): Promise<void>;
  /** Lets the claims of a killed node end, as they do after minutes. */
  endClaims(): Promise<unknown>;
}

const BATCHES = 12;
const EVENTS_A_BATCH = 5;
const RETRY_MS = 100;
const IMPORTED = 40;

/** Noon of the day, that many days ago. */
const noonBefore = (days: number) => (Math.floor(Date.now() / DAY) - days) * DAY + 12 * HOUR;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

const addTo = (counts: Record<string, number>, cause: string) => {
  counts[cause] = (counts[cause] ?? 0) + 1;
};

/** A client that numbers its events, and what it knows of them. */
class NumberingClient {
  readonly account = newAccount();
  readonly at: number;
  readonly visitor: Visitor;
  readonly #random: SeededRandom;
  readonly #sequence = randomBytes(16).toString("hex");
  #number = 0;
  #lost: string[] = [];

  constructor(visitor: Visitor, at: number, random: SeededRandom) {
    this.visitor = visitor;
    this.at = at;
    this.#random = random;
  }

  /** Some events are never sent, and of some the client says why. @param losses false: all are sent */
  nextBatch(losses: boolean): unknown[] {
    const events: unknown[] = [];
    while (events.length < EVENTS_A_BATCH) {
      this.#number += 1;
      const id = `${this.#sequence}~${999_999 + this.#number}`;
      const at = this.at + this.#number * SECOND;
      const fate = losses ? this.#random.between(1, 10) : 10;
      if (fate === 1) this.account.missing += 1;
      else if (fate === 2) this.#lose(id, at, "queue_full", this.account.dropped);
      else if (fate === 3) this.#lose(id, at, "plan_violation", this.account.rejected);
      else events.push(this.#eventOf(id, at));
    }
    return events;
  }

  #lose(id: string, at: number, cause: string, counts: Record<string, number>): void {
    this.#lost.push(`${cause},event.${at}${id}`);
    addTo(counts, cause);
  }

  #eventOf(id: string, at: number) {
    const lost = this.#lost.splice(0).join();
    const timestamp = new Date(at).toISOString();
    const name = this.#random.pick(["signup", "order"]);
    return { id, type: "track", name, timestamp, properties: { n: this.#number }, ...(lost && { lost }) };
  }
}

interface NumberedTraffic {
  readonly source: TestSource;
  /** null while the service does not run. */
  url: string | null;
  acknowledged: number;
  refused: number;
}

/** Sends a batch until it is answered, and one of three again. */
async function deliver(
  traffic: NumberedTraffic,
  client: NumberingClient,
  events: unknown[],
  random: SeededRandom,
): Promise<void> {
  const batchId = randomBytes(8).toString("hex");
  const wanted = random.between(1, 3) === 1 ? 2 : 1;
  for (let answers = 0; answers < wanted; ) {
    const sentAt = new Date().toISOString();
    const body = { ingestVersion: 2, sdkVersion: "test", batchId, sentAt, ...client.visitor, events };
    const path = `/api/ingest/v2/${traffic.source.publicKey}/events`;
    const reply = traffic.url === null ? null : await post(traffic.url + path, body).catch(() => null);
    if (reply?.status === 200) {
      assert.equal(reply.body.accepted + reply.body.duplicates, events.length, JSON.stringify(reply.body));
      answers += 1;
      traffic.acknowledged += 1;
    } else {
      traffic.refused += 1;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  client.account.accepted += events.length;
}

interface Sending {
  readonly clients: readonly NumberingClient[];
  readonly losses: boolean;
}

const sumOf = (clients: readonly NumberingClient[]): DayAccount => {
  const total = newAccount();
  for (const { account } of clients) {
    for (const name of ["accepted", "missing"] as const) total[name] += account[name];
    for (const name of ["rejected", "dropped"] as const)
      for (const [cause, events] of Object.entries(account[name]))
        total[name][cause] = (total[name][cause] ?? 0) + events;
  }
  return total;
};

const sumAt = (clients: readonly NumberingClient[], at: number): DayAccount =>
  sumOf(clients.filter((client) => client.at === at));

const askDelivery = ({ url }: { url: string }, { sourceId }: TestSource) =>
  ask(url, `/api/tracking-sources/${sourceId}/delivery?from=${dayOf(noonBefore(30))}`);

async function readDays(service: { url: string }, source: TestSource): Promise<DeliveryDay[]> {
  const { status, body } = await askDelivery(service, source);
  assert.equal(status, 200, JSON.stringify(body));
  body.days.forEach(assertBalanced);
  return body.days;
}

function accountAt(days: readonly DeliveryDay[], at: number): DayAccount {
  const { day: _, produced: __, ...account } = days.find(({ day }) => day === dayOf(at))!;
  return account;
}

export function statementOfDays(
  name: string,
  openStorage: () => Promise<FailingStorage>,
  missing: string | null,
) {
  test(`The statement of days with faults counts every event, on ${name}.`, {
    skip: missing ?? false,
  }, async (t) => {
    await using storage = await openStorage();
    await using warehouse = await openProxiedWarehouse();
    const random = createRandom();
    t.diagnostic(`seed ${random.seed}`);
    const trial = new StatementTrial(random, storage, warehouse);
    try {
      await trial.run();
    } finally {
      await trial.end();
    }
  });
}

type TrialWarehouse = Awaited<ReturnType<typeof openProxiedWarehouse>>;

class StatementTrial {
  readonly #storage: FailingStorage;
  readonly #warehouse: TrialWarehouse;
  readonly #settings: Record<string, string>;
  readonly #random: SeededRandom;
  readonly #days = {
    today: noonBefore(2),
    past: noonBefore(3),
    expiring: noonBefore(6),
    imported: noonBefore(20),
  };
  #child: Child | null = null;
  #traffic: NumberedTraffic | null = null;

  constructor(random: SeededRandom, storage: FailingStorage, warehouse: TrialWarehouse) {
    [this.#random, this.#storage, this.#warehouse] = [random, storage, warehouse];
    this.#settings = { ...storage.settings, ...warehouse.settings };
  }

  async end(): Promise<void> {
    await this.#child?.end("SIGKILL");
  }

  async run(): Promise<void> {
    const { today, past, expiring } = this.#days;
    const { url } = await this.#start();
    this.#traffic = { source: await createSource(url), url, acknowledged: 0, refused: 0 };
    const steady = [await this.#open(today), await this.#open(past)];
    const erased = [await this.#open(today), await this.#open(past)];
    const old = [await this.#open(expiring)];
    const withLosses = { clients: steady, losses: true };
    await this.#send([withLosses, { clients: [...erased, ...old], losses: false }], async () => {
      await this.#kill();
      await this.#kill();
    });

    // nothing reaches the warehouse now
    const hold = this.#warehouse.holdRequests("INSERT");
    const late = [await this.#open(today), await this.#open(today)];
    await this.#send([{ clients: late, losses: true }], () => this.#failStorage());
    await until("a page is being shipped", () => hold() > 0);
    // of erased visitors, some events are in the warehouse or in a page, and some in none
    await this.#send([{ clients: erased, losses: false }]);
    const all = [...steady, ...erased, ...old, ...late];
    const held = await this.#accounts(this.#child!);
    for (const at of [today, past, expiring]) assert.equal(held.get(at)!.accepted, sumAt(all, at).accepted);

    await this.#erase(erased);
    await this.#send([withLosses], () => this.#kill());
    await this.#child!.end("SIGTERM");
    await this.#importAgain();
    await this.#check({ clients: [...steady, ...late], erased, old });
  }

  get #source(): TestSource {
    return this.#traffic!.source;
  }

  async #start(): Promise<Child> {
    await this.#storage.endClaims();
    this.#child = await startChild(this.#storage.dataDir, { environment: this.#settings });
    if (this.#traffic) this.#traffic.url = this.#child.url;
    return this.#child;
  }

  #open = async (at: number) => {
    const open = () => openVisitor(this.#child!.url, this.#source).catch(() => null);
    return new NumberingClient(await until("a session is opened", open), at, this.#random);
  };

  /** The clients send at once, each its batches in order, until the fault is over. */
  async #send(all: readonly Sending[], fault?: () => Promise<void>): Promise<void> {
    let isOver = fault === undefined;
    const sendAs = async (client: NumberingClient, losses: boolean) => {
      for (let batch = 0; batch < BATCHES || !isOver; batch += 1)
        await deliver(this.#traffic!, client, client.nextBatch(losses), this.#random);
    };
    const sending = all.flatMap(({ clients, losses }) => clients.map((client) => sendAs(client, losses)));
    await fault?.();
    isOver = true;
    await Promise.all(sending);
  }

  /** The service is killed while requests are in flight, and started again. */
  async #kill(): Promise<void> {
    const traffic = this.#traffic!;
    const wanted = traffic.acknowledged + this.#random.between(10, 20);
    await until("some batches are answered", () => traffic.acknowledged >= wanted);
    await this.end();
    await this.#start();
  }

  async #failStorage(): Promise<void> {
    const traffic = this.#traffic!;
    const wanted = traffic.refused + 20;
    await until("clients are refused", async () => {
      await this.#storage.fail();
      return traffic.refused >= wanted;
    });
    await this.#storage.mend();
  }

  /** Erases visitors. The service is killed meanwhile, and the warehouse takes events again. */
  async #erase(clients: readonly NumberingClient[]): Promise<void> {
    const receipts: string[] = [];
    for (const { visitor } of clients) {
      const body = { organizationId: ORGANIZATION_ID, anonymousId: visitor.anonymousId };
      const reply = await ask(this.#child!.url, "/api/visitors/erase", body);
      assert.equal(reply.status, 202, JSON.stringify(reply.body));
      receipts.push(`/api/visitors/erase/${reply.body.receiptId}?organizationId=${ORGANIZATION_ID}`);
    }
    await this.end();
    this.#warehouse.holdRequests("never");
    this.#warehouse.cut();
    this.#warehouse.restore();
    const { url } = await this.#start();
    for (const path of receipts)
      await until("the visitor is erased", async () => (await ask(url, path)).body.status === "done");
  }

  async #accounts(service: { url: string }): Promise<Map<number, DayAccount>> {
    const days = await readDays(service, this.#source);
    return new Map(Object.values(this.#days).map((at) => [at, accountAt(days, at)]));
  }

  async #check(all: Record<"clients" | "erased" | "old", readonly NumberingClient[]>): Promise<void> {
    const { today, past, expiring, imported } = this.#days;
    const expected = new Map<number, DayAccount>();
    for (const at of Object.values(this.#days)) {
      const account = sumAt([...all.clients, ...all.old], at);
      account.accepted += at === past || at === imported ? IMPORTED : 0;
      const erased = sumAt(all.erased, at).accepted;
      expected.set(at, {
        ...account,
        accepted: account.accepted + erased,
        erased,
        inWarehouse: account.accepted,
      });
    }
    await this.#storage.endClaims();
    await using world = await openAgain(this.#settings, this.#storage.dataDir);
    const warehouseResponds = async () => (await askDelivery(world, this.#source)).status === 200;
    await until("the warehouse responds after the start", warehouseResponds);
    // the comparison after the start counts what the killed import has stored
    const isComplete = async () => {
      const accounts = await this.#accounts(world);
      return [...expected].every(([at, { accepted }]) => {
        const { waiting, accepted: counted } = accounts.get(at)!;
        return waiting === 0 && counted >= accepted;
      });
    };
    await until("nothing waits, and everything is counted", isComplete);
    assert.deepEqual(await this.#accounts(world), expected);

    const body = { organizationId: ORGANIZATION_ID, retentionDays: 5 };
    const patched = await world.ask(`/api/tracking-sources/${this.#source.sourceId}`, {
      method: "PATCH",
      body,
    });
    assert.equal(patched.status, 200, patched.text);
    await world.server.maintain();
    for (const at of [expiring, imported]) {
      const { accepted } = expected.get(at)!;
      expected.set(at, { ...newAccount(), accepted, expired: accepted });
    }
    const isOld = `occurredAt < '${dayOf(past)}'`;
    const hasExpired = async () =>
      (await this.#warehouse.ask(`SELECT 1 FROM events WHERE ${isOld}`)).length === 0;
    await until("the events have expired", hasExpired);
    assert.deepEqual(await this.#accounts(world), expected);

    const one = `SELECT min(eventId) FROM events WHERE toDate(occurredAt) = '${dayOf(today)}' AND empty(lost)`;
    await this.#warehouse.change(
      `ALTER TABLE events DELETE WHERE eventId IN (${one}) SETTINGS mutations_sync = 2`,
    );
    expected.get(today)!.inWarehouse -= 1;
    expected.get(today)!.lostInWarehouse += 1;
    const found = (await this.#accounts(world)).get(today)!;
    // that number is a gap too
    assert.deepEqual({ ...found, missing: 0 }, { ...expected.get(today), missing: 0 }, "a deleted row shows");
  }

  /**
   * Imports events of days that ingest accepts and of others. The command is killed before and after the warehouse has stored its
   * part, and made again, each time with more events.
   */
  async #importAgain(): Promise<void> {
    const { holdRequests, holdAnswers } = this.#warehouse;
    await this.#killImport(15, holdRequests("INSERT"));
    holdRequests("never");
    await this.#killImport(25, holdAnswers("INSERT"));
    holdAnswers("never");
    // of the recent events 25 are stored, and so are 25 of the old ones, which the killed command has not counted
    assert.deepEqual(await this.#import(IMPORTED), { accepted: 30, duplicates: 50 });
    assert.deepEqual(await this.#import(IMPORTED), { accepted: 0, duplicates: 80 });
  }

  /** The import of that many events of each day is killed when the warehouse has been asked to store them. */
  async #killImport(count: number, held: () => number): Promise<void> {
    const { settings, words } = this.#importCommand(count);
    const env = { PATH: process.env.PATH, DISK_LOW_WATER_BYTES: "0", ...settings };
    const command = spawn(process.execPath, [BIN, ...words], { env, stdio: "ignore" });
    const ended = once(command, "exit");
    await until("the warehouse is asked to store events", () => held() > 0);
    command.kill("SIGKILL");
    await ended;
    await until("the command has disconnected", () => held() === 0);
  }

  async #import(count: number) {
    const { settings, words } = this.#importCommand(count);
    const { code, json, stderr } = await headwaterHere(settings, ...words);
    assert.equal(code, 0, stderr);
    const { accepted, duplicates } = json();
    return { accepted, duplicates };
  }

  /** The command that imports that many events of each day. */
  #importCommand(count: number) {
    const days = [this.#days.past, this.#days.imported];
    const lines = days.flatMap((at) =>
      Array.from({ length: count }, (_, index) =>
        JSON.stringify({
          id: `imported ${at} ${index}`,
          type: "track",
          name: "order",
          timestamp: new Date(at).toISOString(),
          sessionId: `session ${index}`,
          anonymousId: `imported ${index}`,
        }),
      ),
    );
    const { dataDir } = this.#storage;
    const file = join(dataDir, "imported.ndjson");
    writeFileSync(file, lines.join("\n"));
    return {
      settings: { DATA_DIR: dataDir, ...this.#settings },
      words: ["import", file, "--source", this.#source.sourceId, "--json"],
    };
  }
}

/** A service in this process, whose ledger stays. */
async function openAgain(settings: Record<string, string>, dataDir: string) {
  const { close, ...world } = await openWorld(settings, {}, dataDir);
  return { ...world, [Symbol.asyncDispose]: close };
}
