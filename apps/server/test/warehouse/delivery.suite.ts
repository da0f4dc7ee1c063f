/** The statement of delivery, tested through the API of the whole service, with a given ledger and a real warehouse. */
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { DeliveryDay, DeliveryStatement } from "@headwater/contract";
import { headwaterHere } from "../cli/command-line.ts";
import { assertBalanced, newAccount } from "../delivery/day-account.ts";
import { storedEvents } from "../ledger/reader.ts";
import { until } from "../support/until.ts";
import { openWebhook, type Webhook } from "../support/webhook.ts";
import {
  DAY,
  drivenClock,
  eventsBody,
  eventsPath,
  fresh,
  HOUR,
  ORGANIZATION_ID,
  openWorld,
  pageEvent,
  SECOND,
  type TestSource,
  type World,
} from "../support/world.ts";
import { openProxiedWarehouse, type ProxiedWarehouse } from "./proxied-warehouse.ts";

const SECRET = "a secret of the webhook";
const newSequence = () => randomBytes(16).toString("hex");
const idOf = (sequence: string, number: number) => `${sequence}~${999_999 + number}`;

/** @param ledgerOf returns the settings of the ledger of a data directory */
export function deliverySuite(name: string, ledgerOf: (dataDir: string) => Promise<Record<string, string>>) {
  describe(`The statement of delivery on ${name}`, () => {
    const time = drivenClock(Math.floor(Date.now() / DAY) * DAY + DAY / 2);
    /** Noon, two days ago: what was lost then can arrive no more. */
    const then = time.now() - 2 * DAY;
    const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
    const dataDir = mkdtempSync(join(tmpdir(), "headwater-delivery-"));
    let warehouse: ProxiedWarehouse;
    let webhook: Webhook;
    let ledger: Record<string, string>;
    let world: World;
    const settings = () => ({
      ...ledger,
      ...warehouse.settings,
      ALERT_WEBHOOK_URL: webhook.url,
      ALERT_WEBHOOK_SECRET: SECRET,
      ALERT_STATEMENTS: "on",
    });
    const open = () => openWorld(settings(), { clock: time.clock }, dataDir);

    before(async () => {
      warehouse = await openProxiedWarehouse();
      webhook = await openWebhook();
      ledger = await ledgerOf(dataDir);
      world = await open();
    });
    after(async () => {
      await world[Symbol.asyncDispose]();
      await warehouse[Symbol.asyncDispose]();
      await webhook[Symbol.asyncDispose]();
    });

    /** Events of one visitor with these ids, each of which may report lost ones. */
    async function accept(source: TestSource, anonymousId: string, at: number, ids: string[], lost?: string) {
      const sessionId = await world.openSession(source, { anonymousId });
      const events = ids.map((id, index) => pageEvent({ id, ...(index === 0 && { lost }) }, at));
      const body = eventsBody(sessionId, events, { anonymousId }, time.now());
      const reply = await world.send(eventsPath(source), body);
      assert.equal(reply.body.accepted, ids.length, JSON.stringify(reply.body));
    }
    const backAgain = () =>
      until("the warehouse is back", async () => {
        const { body } = await world.ask("/readyz", { token: null });
        return body.warehouse.state === "up";
      });
    const shipped = () => until("all is shipped", () => storedEvents(dataDir).length === 0);
    async function statementOf({ sourceId }: TestSource, query = ""): Promise<DeliveryStatement> {
      const { status, body } = await world.ask(`/api/tracking-sources/${sourceId}/delivery?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      body.days.forEach(assertBalanced);
      return body;
    }
    async function dayAt(source: TestSource, at: number): Promise<DeliveryDay> {
      const { days } = await statementOf(source, `from=${dayOf(at)}&to=${dayOf(at)}`);
      assert.equal(days.length, 1);
      return days[0]!;
    }

    it("says what arrived, what its client reports as lost, what is missing and what may still come", async () => {
      const source = await world.createSource();
      const [whole, gappy, reported, next, recent] = Array.from({ length: 5 }, newSequence);
      const numbered = (sequence: string, ...numbers: number[]) => numbers.map((n) => idOf(sequence, n));
      const loss = (cause: string, number: number) => `${cause},event.${then}${idOf(reported!, number)}`;
      await accept(source, "ann", then, numbered(whole!, 1, 2, 3, 4, 5));
      await accept(source, "bob", then, numbered(gappy!, 1, 2, 5));
      await accept(source, "cid", then, numbered(reported!, 1, 2, 3));
      await accept(source, "dan", then, [fresh("other"), fresh("other")]);
      // the same report twice, and one of an event that arrived after all
      const report = [loss("too_old", 4), loss("plan_violation", 5), loss("too_old", 3), loss("too_old", 4)];
      await accept(source, "cid", time.now() - HOUR, numbered(next!, 1), report.join());
      await accept(source, "eve", time.now() - HOUR, numbered(recent!, 2, 4));
      await shipped();

      const past = {
        ...newAccount(),
        day: dayOf(then),
        produced: 17,
        accepted: 13,
        rejected: { plan_violation: 1 },
        dropped: { too_old: 1 },
        missing: 2,
        inWarehouse: 13,
      };
      const today = {
        ...newAccount(),
        day: dayOf(time.now()),
        produced: 5,
        accepted: 3,
        stillPossible: 2,
        inWarehouse: 3,
      };
      const between = { ...newAccount(), day: dayOf(then + DAY), produced: 0 };
      const { days } = await statementOf(source, `from=${dayOf(then)}`);
      assert.deepEqual(days, [past, between, today]);

      await world.close();
      world = await open();
      await backAgain();
      assert.deepEqual(await dayAt(source, then), past, "and says so after a restart");
      time.advance(2 * DAY);
      assert.equal((await dayAt(source, time.now() - 2 * DAY)).missing, 2, "nothing came");
      time.advance(-2 * DAY);
    });

    it("counts no gap of numbers that no client reaches: a stranger has made them up", async () => {
      const source = await world.createSource();
      await accept(source, "ann", then, [idOf(newSequence(), 1), idOf(newSequence(), 900_000)]);
      await shipped();
      const { produced, missing } = await dayAt(source, then);
      assert.deepEqual([produced, missing], [2, 0]);
    });

    it("names the pages that lost most, is signed, and is printed by the command line", async () => {
      const source = await world.createSource();
      const [first, second] = [newSequence(), newSequence()];
      await accept(source, "ann", then, [idOf(first, 1), idOf(first, 4)]);
      await accept(source, "bob", then, [idOf(second, 1)]);
      await shipped();
      const day = dayOf(then);
      const { signature, ...statement } = await statementOf(source, `from=${day}&to=${day}&by=page`);
      assert.deepEqual(
        statement.values?.map(({ accepted, lost }) => [accepted, lost]),
        [[3, 2]],
      );
      const expected = createHmac("sha256", SECRET).update(JSON.stringify(statement)).digest("hex");
      assert.equal(signature, `v1=${expected}`);
      const command = ["statement", source.sourceId, day, "--json"];
      const { code, json, stderr } = await headwaterHere({ ...settings(), DATA_DIR: dataDir }, ...command);
      assert.equal(code, 0, stderr);
      assert.deepEqual(json().days, statement.days);
    });

    it("finds the row that the warehouse has lost, and does not take it for one that never arrived", async () => {
      const source = await world.createSource();
      const times = [then, time.now() - HOUR];
      const lost: string[] = [];
      for (const at of times) {
        const sequence = newSequence();
        await accept(
          source,
          "ann",
          at,
          [1, 2, 3].map((number) => idOf(sequence, number)),
        );
        lost.push(`'${idOf(sequence, 2)}'`);
      }
      await shipped();
      const deletion = `ALTER TABLE events DELETE WHERE eventId IN (${lost.join()})`;
      await warehouse.change(`${deletion} SETTINGS mutations_sync = 2`);
      for (const at of times) {
        const { accepted, lostInWarehouse, missing, stillPossible } = await dayAt(source, at);
        assert.deepEqual([accepted, lostInWarehouse, missing, stillPossible], [3, 1, 0, 0]);
      }
    });

    it("counts what waits, and what was erased in the warehouse and before it was there", async () => {
      const source = await world.createSource();
      await accept(source, "ann", then, [fresh("e"), fresh("e")]);
      await accept(source, "bob", then, [fresh("e")]);
      await shipped();
      const hold = warehouse.holdRequests("INSERT");
      await accept(source, "bob", then, [fresh("e")]);
      await until("a page is being shipped", () => hold() > 0);
      await accept(source, "ann", then, [fresh("e"), fresh("e"), fresh("e")]);
      const { accepted, inWarehouse, waiting } = await dayAt(source, then);
      assert.deepEqual({ accepted, inWarehouse, waiting }, { accepted: 7, inWarehouse: 3, waiting: 4 });

      time.advance(SECOND);
      const body = { organizationId: ORGANIZATION_ID, anonymousId: "ann" };
      const receipt = await world.ask("/api/visitors/erase", { method: "POST", body });
      time.advance(SECOND);
      const statusOf = async () => (await world.ask(receipt.headers.get("location")!)).body.status;
      await until("the ledger is clean", async () => (await statusOf()) === "shipping");
      warehouse.holdRequests("never");
      warehouse.cut();
      warehouse.restore();
      await until("the visitor is erased", async () => (await statusOf()) === "done");
      await shipped();
      const erased = {
        ...newAccount(),
        day: dayOf(then),
        produced: 7,
        accepted: 7,
        inWarehouse: 2,
        erased: 5,
      };
      await until("the deletion is visible", async () => (await dayAt(source, then)).inWarehouse === 2);
      assert.deepEqual(await dayAt(source, then), erased);
    });

    it("counts an event once that is erased by several requests", async () => {
      const source = await world.createSource();
      await accept(source, "ann", then, [fresh("e"), fresh("e")]);
      await accept(source, "bob", then, [fresh("e")]);
      await shipped();
      time.advance(SECOND);
      const erase = async (anonymousId: string) => {
        const body = { organizationId: ORGANIZATION_ID, sourceId: source.sourceId, anonymousId };
        const receipt = await world.ask("/api/visitors/erase", { method: "POST", body });
        return async (...statuses: string[]) => {
          const { body } = await world.ask(receipt.headers.get("location")!);
          return statuses.includes(body.status);
        };
      };
      await warehouse.change("SYSTEM STOP MERGES events");
      const first = await erase("ann");
      await until("the visitor is being deleted", () => first("warehouse"));
      const others = [await erase("ann"), await erase("nobody"), await erase("nobody")];
      // when the last has left the ledger, a round has looked at the one before
      for (const other of others) await until("it has left the ledger", () => other("shipping", "warehouse"));
      await warehouse.change("SYSTEM START MERGES events");
      for (const one of [first, ...others]) await until("the visitor is erased", () => one("done"));
      const { accepted, erased, inWarehouse } = await dayAt(source, then);
      assert.deepEqual({ accepted, erased, inWarehouse }, { accepted: 3, erased: 2, inWarehouse: 1 });
    });

    it("counts what has expired", async () => {
      const source = await world.createSource();
      await accept(source, "ann", then, [fresh("e"), fresh("e")]);
      await shipped();
      const body = { organizationId: ORGANIZATION_ID, retentionDays: 1 };
      await world.ask(`/api/tracking-sources/${source.sourceId}`, { method: "PATCH", body });
      time.advance(HOUR);
      const expired = { ...newAccount(), day: dayOf(then), produced: 2, accepted: 2, expired: 2 };
      await until("the events have expired", async () => {
        await world.server.maintain();
        const rows = await warehouse.ask(`SELECT 1 FROM events WHERE sourceId = '${source.sourceId}'`);
        return rows.length === 0;
      });
      assert.deepEqual(await dayAt(source, then), expired);
    });

    it("refuses a span that is too long, and days that do not exist", async () => {
      const { sourceId } = await world.createSource();
      for (const query of [
        "from=2026-02-30",
        "from=2026-01-01&to=2026-02-01",
        "from=2026-01-02&to=2026-01-01",
      ]) {
        const { status, body } = await world.ask(`/api/tracking-sources/${sourceId}/delivery?${query}`);
        assert.deepEqual([status, body.code], [422, "invalid_payload"], query);
      }
    });

    /** Events of as many visitors, of whom the losing ones lack their first five. */
    async function acceptDay(
      source: TestSource,
      at: number,
      { whole, losing, events = 20 }: { whole: number; losing: number; events?: number },
    ) {
      const visits = [...Array<number>(losing).fill(6), ...Array<number>(whole).fill(1)];
      for (const [index, first] of visits.entries()) {
        const sequence = newSequence();
        const numbers = Array.from({ length: events }, (_, number) => idOf(sequence, first + number));
        await accept(source, `visitor-${at}-${index}`, at, numbers);
      }
    }

    it("is sent by the webhook once for each settled day, and an alert when few of its events arrived", async () => {
      const [low, stray, small] = [
        await world.createSource(),
        await world.createSource(),
        await world.createSource(),
      ];
      time.advance(DAY);
      const at = then + DAY;
      await acceptDay(low, at, { whole: 0, losing: 6 });
      // too few page views, and too few events
      await acceptDay(stray, at, { whole: 2, losing: 4 });
      await acceptDay(small, at, { whole: 0, losing: 6, events: 10 });
      await shipped();
      await world.server.maintain();
      const [alert, sent, ...more] = webhook.of(low).toSorted((a, b) => (a.body.type < b.body.type ? -1 : 1));
      assert.deepEqual(alert?.body.delivery, {
        day: dayOf(at),
        accepted: 120,
        lost: 30,
        arrivedPercent: 80,
      });
      assert.equal(alert?.body.type, "source.delivery_low");
      const listed = async () =>
        (await world.ask(`/api/tracking-sources/${low.sourceId}/alerts`)).body.alerts;
      const [current, ...others] = await listed();
      assert.deepEqual(
        [current.type, current.delivery, others],
        ["source.delivery_low", alert?.body.delivery, []],
      );
      assert.match(alert?.body.deliveryUrl, /\/sources\/delivery\?sourceId=src_/);
      const { signature, ...statement } = sent?.body.statement ?? {};
      assert.deepEqual(statement.days, [await dayAt(low, at)]);
      const expected = createHmac("sha256", SECRET).update(JSON.stringify(statement)).digest("hex");
      assert.equal(signature, `v1=${expected}`);
      assert.deepEqual(more, []);
      for (const source of [stray, small]) assert.deepEqual(webhook.typesOf(source), ["source.statement"]);

      await world.close();
      world = await open();
      await backAgain();
      await world.server.maintain();
      assert.equal(webhook.of(low).length, 2, "a restart sends nothing again");
      await acceptDay(low, at + DAY, { whole: 6, losing: 0 });
      await shipped();
      time.advance(DAY);
      await world.server.maintain();
      const types = [
        "source.delivery_low",
        "source.delivery_restored",
        "source.statement",
        "source.statement",
      ];
      assert.deepEqual(webhook.typesOf(low).toSorted(), types);
      assert.deepEqual(await listed(), []);
      const days = webhook.of(low).flatMap(({ body }) => body.statement?.from ?? []);
      assert.deepEqual(days, [dayOf(at), dayOf(at + DAY)]);
    });
  });
}
