/** Erasing a visitor, tested through the API of the whole service, with a given ledger and a real warehouse. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { rowsOf, storedEvents } from "../ledger/reader.ts";
import { until } from "../support/until.ts";
import {
  drivenClock,
  eventsBody,
  eventsPath,
  fresh,
  MINUTE,
  ORGANIZATION_ID,
  openWorld,
  outcomesOf,
  pageEvent,
  SECOND,
  type TestSource,
  type World,
} from "../support/world.ts";
import { openProxiedWarehouse, type ProxiedWarehouse } from "./proxied-warehouse.ts";

/** @param ledgerOf returns the settings of the ledger of a data directory */
export function erasureSuite(name: string, ledgerOf: (dataDir: string) => Promise<Record<string, string>>) {
  describe(`Erasing a visitor on ${name}`, () => {
    const time = drivenClock(Date.now());
    const dataDir = mkdtempSync(join(tmpdir(), "headwater-erase-"));
    let warehouse: ProxiedWarehouse;
    let world: World;
    const open = async (environment: Record<string, string>) =>
      openWorld({ ...(await ledgerOf(dataDir)), ...environment }, { clock: time.clock }, dataDir);
    const withWarehouse = () => open(warehouse.settings);

    before(async () => {
      warehouse = await openProxiedWarehouse();
      world = await withWarehouse();
    });
    after(async () => {
      await world[Symbol.asyncDispose]();
      await warehouse[Symbol.asyncDispose]();
    });

    const visit = async (
      source: TestSource,
      anonymousId: string,
      over: object = {},
      events = [fresh("e")],
    ) => {
      const sessionId = await world.openSession(source, { anonymousId });
      const sent = events.map((id) => pageEvent({ id }, time.now()));
      const body = eventsBody(sessionId, sent, { anonymousId, ...over }, time.now());
      return { sessionId, reply: await world.send(eventsPath(source), body) };
    };
    const accept = async (source: TestSource, anonymousId: string, over: object = {}, events?: string[]) => {
      const { reply } = await visit(source, anonymousId, over, events);
      assert.equal(reply.body.accepted, reply.body.results.length, JSON.stringify(reply.body));
    };
    const erase = async (body: object) => {
      // events received in the same millisecond are erased too
      time.advance(SECOND);
      const request = { organizationId: ORGANIZATION_ID, ...body };
      const reply = await world.ask("/api/visitors/erase", { method: "POST", body: request });
      assert.equal(reply.status, 202, JSON.stringify(reply.body));
      time.advance(SECOND);
      const location = reply.headers.get("location")!;
      return async () => (await world.ask(location)).body;
    };
    const done = (receipt: () => Promise<{ status: string }>) =>
      until("the visitor is erased", async () => (await receipt()).status === "done");
    /** Events in the warehouse as `source visitor`, sorted. */
    const held = async (sources: TestSource[]): Promise<string[]> => {
      const ids = sources.map(({ sourceId }) => `'${sourceId}'`);
      const rows = await warehouse.ask(
        `SELECT sourceId, anonymousId, eventId FROM events WHERE sourceId IN (${ids})`,
      );
      assert.equal(
        new Set(rows.map(({ eventId }) => eventId)).size,
        rows.length,
        "each event is stored once",
      );
      const names = new Map(sources.map(({ sourceId }, index) => [sourceId, index + 1]));
      return rows.map(({ sourceId, anonymousId }) => `${names.get(sourceId)} ${anonymousId}`).sort();
    };
    const shipped = (sources: TestSource[], events: number) =>
      until("they are in the warehouse", async () => (await held(sources)).length === events);

    it("works during an outage, with a sealed page and over a restart, and leaves other workspaces untouched", async () => {
      const organizationId = await world.workspace();
      const own = await world.createSource();
      const theirs = await world.createSource({ organizationId });
      const sources = [own, theirs];
      for (const source of sources) for (const who of ["ann", "bob"]) await accept(source, who);
      await shipped(sources, 4);
      await until("no page is sealed", () => pages() === 0);

      warehouse.cut();
      await accept(own, "ann");
      await accept(own, "bob");
      // the page that is being shipped is sealed, and contains events of the visitor
      await until("a page is sealed", () => pages() > 0);
      await accept(theirs, "ann");
      await accept(own, "ann", {}, ["waits"]);
      const receipt = await erase({ anonymousId: "ann" });
      await until("the ledger is clean", async () => (await receipt()).status === "shipping");
      await accept(own, "ann", {}, ["new"]);
      await world.close();

      world = await withWarehouse();
      assert.equal((await receipt()).status, "shipping");
      warehouse.restore();
      await done(receipt);
      await until("all is shipped", () => storedEvents(dataDir).length === 0);
      assert.deepEqual(await held(sources), ["1 ann", "1 bob", "1 bob", "2 ann", "2 ann", "2 bob"]);
      const [left] = await warehouse.ask(
        `SELECT eventId FROM events WHERE sourceId = '${own.sourceId}' AND anonymousId = 'ann'`,
      );
      assert.equal(left.eventId, "new", "an event received after the request is kept");
      const { status, by, sourceId, finishedAt } = await receipt();
      assert.deepEqual([status, by, sourceId, typeof finishedAt], ["done", "anonymousId", null, "string"]);
      const late = await visit(own, "ann", {}, ["waits"]);
      assert.deepEqual(outcomesOf(late.reply), ["duplicate"], "a late retry is a duplicate");
    });
    const pages = () => rowsOf(dataDir, "select page_id from outbox_pages").length;

    it("erases by user in one source, and keeps other sources and the visitor's other events", async () => {
      const [one, other] = [await world.createSource(), await world.createSource()];
      const userId = `ünï "o'hara" \\ ${fresh("u")}`;
      await accept(one, "carl", { userId });
      await accept(one, "carl");
      await accept(other, "carl", { userId });
      await shipped([one, other], 3);
      await done(await erase({ userId, sourceId: one.sourceId }));
      assert.deepEqual(await held([one, other]), ["1 carl", "2 carl"]);
    });

    it("erases sessions and debug snapshots, and the audit log does not name the visitor", async () => {
      const source = await world.createSource();
      const { sessionId } = await visit(source, "dora-1");
      const kept = await visit(source, "dora-2");
      const attempts = async () => {
        const debug = await world.ask(`/api/tracking-sources/${source.sourceId}/debug`);
        return [...debug.body.bootstrapAttempts, ...debug.body.eventAttempts].map(
          ({ anonymousId }) => anonymousId,
        );
      };
      await until("all are recorded", async () => (await attempts()).length === 4);
      await done(await erase({ anonymousId: "dora-1" }));
      assert.deepEqual(await attempts(), ["dora-2", "dora-2"]);
      const ids = rowsOf(dataDir, "select session_id from sessions").map(({ session_id: id }) => id);
      assert.ok(!ids.includes(sessionId) && ids.includes(kept.sessionId));
      const late = eventsBody(sessionId, [pageEvent({}, time.now())], {}, time.now());
      const refused = await world.send(eventsPath(source), late);
      assert.equal(refused.body.code, "invalid_session", "the session is unknown");
      const audit = await world.ask(`/api/audit?organizationId=${ORGANIZATION_ID}`);
      const [entry] = audit.body.entries;
      assert.deepEqual([entry.action, entry.after.by], ["visitor.erased", "anonymousId"]);
      assert.ok(!JSON.stringify(audit.body).includes("dora"));
      assert.ok(!JSON.stringify(rowsOf(dataDir, "select * from erasures")).includes("dora"));
    });

    it("without a warehouse erases the events in the ledger, including those of sealed pages", async () => {
      const source = await world.createSource();
      warehouse.cut();
      await accept(source, "erin");
      await until("a page is sealed", () => pages() > 0);
      await accept(source, "erin");
      await accept(source, "fred");
      await world.close();
      world = await open({ WAREHOUSE: "off" });
      time.advance(MINUTE);
      await done(await erase({ anonymousId: "erin" }));
      const left = storedEvents(dataDir).filter(({ sourceId }) => sourceId === source.sourceId);
      assert.deepEqual(
        left.map(({ anonymousId }) => anonymousId),
        ["fred"],
      );
    });

    it("is not done while the data directory has a warehouse that is not open", async () => {
      const source = await world.createSource();
      await accept(source, "gina");
      const folder = join(dataDir, "warehouse");
      mkdirSync(folder);
      const receipt = await erase({ anonymousId: "gina" });
      await until("the ledger is clean", async () => (await receipt()).status !== "ledger");
      const names = () => storedEvents(dataDir).map(({ anonymousId }) => anonymousId);
      assert.ok(!names().includes("gina"));
      assert.notEqual((await receipt()).status, "done");
      rmdirSync(folder);
      await done(receipt);
    });

    it("requires exactly one of the two ids, and a source of the workspace", async () => {
      const post = (body: object) =>
        world.ask("/api/visitors/erase", {
          method: "POST",
          body: { organizationId: ORGANIZATION_ID, ...body },
        });
      assert.equal((await post({})).body.issues[0].code, "required");
      assert.equal((await post({ anonymousId: "a", userId: "b" })).body.issues[0].path[0], "userId");
      assert.equal((await post({ anonymousId: "a", sourceId: "src_never" })).body.code, "source_not_found");
      const never = await world.ask(`/api/visitors/erase/era_never?organizationId=${ORGANIZATION_ID}`);
      assert.equal(never.body.code, "erasure_not_found");
    });
  });
}
