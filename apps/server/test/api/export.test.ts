/** GET /api/export/events without a warehouse: accepted events are exported from the ledger. */
import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { createCompleteness } from "../../src/clickhouse/completeness.ts";
import { noWarehouse } from "../../src/clickhouse/warehouse.ts";
import { override } from "../../src/core/members.ts";
import { createExport, type SlowExport } from "../../src/export/export.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";
import { folder } from "../cli/command-line.ts";
import { linesOf, recordsOf } from "../export/exported.ts";
import {
  eventsBody,
  eventsPath,
  fresh,
  issuesOf,
  MINUTE,
  openWorld,
  pageEvent,
  refused,
  trackEvent,
  type World,
} from "../support/world.ts";

describe("Export without a warehouse", () => {
  let world: World;
  let sourceId: string;
  let elsewhere: string;
  const now = Date.now();
  const at = (minutesAgo: number) => ({ timestamp: new Date(now - minutesAgo * MINUTE).toISOString() });
  const sent = [
    pageEvent({
      id: fresh("e"),
      ...at(30),
      page: { url: "https://shop.example/a?utm_source=x", title: '=1+1;=2;"=3' },
    }),
    trackEvent({ id: fresh("e"), ...at(20), name: "buy", properties: { price: 9.5, note: 'a "b", c' } }),
    pageEvent({ id: fresh("e"), ...at(10), page: { path: "/b", title: "two\r\nlines" } }),
  ];
  const exported = async (query: Record<string, string> = {}) =>
    world.ask(`/api/export/events?${new URLSearchParams({ sourceId, ...query })}`);
  const idsOf = (rows: Record<string, string>[]) => rows.map(({ eventId }) => eventId);

  before(async () => {
    world = await openWorld();
    const source = await world.createSource();
    sourceId = source.sourceId;
    const sessionId = await world.openSession(source);
    for (const events of [[sent[0], sent[0], sent[1]], [sent[2]]]) {
      await world.send(eventsPath(source), eventsBody(sessionId, events, { context: { locale: "de-DE" } }));
    }
    const other = await world.createSource();
    elsewhere = other.sourceId;
    await world.send(
      eventsPath(other),
      eventsBody(await world.openSession(other), [pageEvent({ title: sourceId })]),
    );
  });
  after(() => world[Symbol.asyncDispose]());

  it("200: every accepted event once, in its normal form, and no event of another source", async () => {
    const { status, headers, body } = await exported();
    assert.deepEqual([status, headers.get("content-type")], [200, "application/x-ndjson"]);
    assert.match(headers.get("content-disposition")!, /filename="events\.ndjson"/);
    const rows = linesOf(body);
    assert.deepEqual(
      idsOf(rows),
      sent.map(({ id }) => id),
    );
    const [first, second] = rows;
    const nothing = { medium: null, campaign: null, term: null, content: null };
    assert.deepEqual(
      [first!.page.utm, first!.page.clickIds, first!.properties],
      [{ source: "x", ...nothing }, {}, {}],
    );
    assert.deepEqual(
      [first!.sourceId, first!.context, first!.name],
      [sourceId, { locale: "de-DE" }, "page_view"],
    );
    assert.deepEqual([second!.properties, second!.page.url], [{ price: 9.5, note: 'a "b", c' }, null]);
    assert.equal(linesOf((await exported({ sourceId: elsewhere })).body).length, 1);
  });

  it("exports a time range without its end, and at most `limit` events", async () => {
    const [one, two, three] = sent.map(({ id }) => id);
    const of = async (query: Record<string, string>) => idsOf(linesOf((await exported(query)).body));
    assert.deepEqual(await of({ from: sent[1]!.timestamp }), [two, three]);
    assert.deepEqual(await of({ to: sent[1]!.timestamp }), [one]);
    assert.deepEqual(await of({ from: sent[1]!.timestamp, to: sent[2]!.timestamp, format: "ndjson" }), [two]);
    assert.deepEqual(await of({ limit: "2" }), [one, two]);
    assert.deepEqual(await of({ to: "2020-01-01" }), []);
  });

  it("continues after a cursor, without a second header line", async () => {
    const all = linesOf((await exported()).body);
    const cursor = all[0]!.analyticsEventId;
    assert.deepEqual(linesOf((await exported({ cursor })).body), all.slice(1));
    const csv = (await exported({ format: "csv" })).body as string;
    const end = csv.indexOf("\n", csv.indexOf(cursor)) + 1;
    assert.equal(csv.slice(0, end) + (await exported({ format: "csv", cursor })).body, csv);
    assert.equal((await exported({ cursor: all.at(-1)!.analyticsEventId })).body, "");
  });

  it("writes CSV with one record per line and no formula in a cell", async () => {
    const { headers, body } = await exported({ format: "csv" });
    assert.equal(headers.get("content-type"), "text/csv; charset=utf-8");
    const rows = recordsOf(body);
    assert.deepEqual(
      rows.map(({ eventId, title, url, isBot }) => [eventId, title, url, isBot]),
      [
        [sent[0]!.id, `'=1+1;'=2;'"=3`, "https://shop.example/a?utm_source=x", "false"],
        [sent[1]!.id, "", "", "false"],
        [sent[2]!.id, "two lines", "https://shop.example/b", "false"],
      ],
    );
    assert.deepEqual(JSON.parse(rows[1]!.properties), { price: 9.5, note: 'a "b", c' });
  });

  it("503: Parquet needs a warehouse", async () => {
    const reply = await exported({ format: "parquet" });
    refused(reply, 503, "warehouse_off");
    assert.equal(reply.body.hint, "Export NDJSON or CSV instead.");
  });

  it("422: invalid parameters are named", async () => {
    const bad: [Record<string, string>, string][] = [
      [{ from: "yesterday" }, "from: invalid_timestamp"],
      [{ from: "2026-02-30" }, "from: invalid_timestamp"],
      [{ to: "2026-04-31T10:00:00Z" }, "to: invalid_timestamp"],
      [{ from: "2026-02-31T25:00:00Z" }, "from: invalid_timestamp"],
      [{ from: "2026-01-02", to: "2026-01-02" }, "from: invalid_value"],
      [{ format: "xlsx" }, "format: invalid_value"],
      [{ cursor: "evt_1" }, "cursor: invalid_value"],
      [{ cursor: `evt_${"0".repeat(32)}` }, "cursor: invalid_value"],
      [{ limit: "0" }, "limit: invalid_value"],
    ];
    for (const [query, issue] of bad) assert.deepEqual(issuesOf(await exported(query)), [issue]);
    assert.deepEqual(issuesOf(await world.ask("/api/export/events")), ["sourceId: required"]);
  });

  it("503: while the configured warehouse does not answer", async () => {
    await using down = await openWorld({ WAREHOUSE: "", CLICKHOUSE_URL: "http://127.0.0.1:9" });
    const source = await down.createSource();
    const reply = await down.ask(`/api/export/events?sourceId=${source.sourceId}`);
    refused(reply, 503, "warehouse_unavailable");
    assert.ok(reply.headers.get("retry-after"));
  });

  describe("slots", () => {
    /** The handler on an empty ledger, and what it logs. */
    async function openHandler(t: TestContext) {
      const data = folder();
      const ledger = await openSqliteLedger({ dataDir: data.path, now });
      t.after(async () => {
        await ledger.close();
        data[Symbol.dispose]();
      });
      const slow: SlowExport[] = [];
      const handler = createExport({
        warehouse: noWarehouse(null),
        completeness: createCompleteness(),
        ledger: override(ledger, { readOutbox: async () => [] }),
        stopping: new AbortController().signal,
        onSlowClient: (ended) => slow.push(ended),
      });
      const open = async (organizationId: string, client = new AbortController()) => {
        const call = {
          source: { sourceId },
          query: { format: "csv" },
          organizationId,
          signal: client.signal,
        };
        const answer = await handler(call as never);
        assert.ok("stream" in answer && answer.cutOff);
        const parts = answer.stream[Symbol.asyncIterator]();
        t.after(async () => {
          client.abort();
          await parts.return?.();
        });
        return { parts, stream: answer.stream, cutOff: answer.cutOff, leave: () => client.abort() };
      };
      const assertFull = (organizationId: string) =>
        assert.rejects(open(organizationId), { code: "overloaded" });
      return { open, assertFull, slow };
    }

    it("503: more exports of a workspace than its share, until one ends; another workspace gets a slot", async (t) => {
      const { open, assertFull } = await openHandler(t);
      const [first, second] = [await open("org_1"), await open("org_1")];
      await assertFull("org_1");
      await open("org_2");
      first.leave();
      await open("org_1");
      await assertFull("org_1");
      for await (const _ of second.stream);
      await open("org_1");
    });

    it("503: more exports of all workspaces than allowed, until one ends", async (t) => {
      const { open, assertFull } = await openHandler(t);
      const [first] = [await open("org_1"), await open("org_1"), await open("org_2"), await open("org_3")];
      await assertFull("org_2");
      first.leave();
      await open("org_2");
      await assertFull("org_4");
    });

    it("an export whose client reads nothing for 10 s gives its slot to another, the slowest one first", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const { open, assertFull, slow } = await openHandler(t);
      const [first, second] = [await open("org_1"), await open("org_1")];
      await second.parts.next();
      t.mock.timers.tick(1_000);
      await first.parts.next();
      t.mock.timers.tick(8_000);
      await assertFull("org_1");
      t.mock.timers.tick(1_000);
      await open("org_1");
      assert.deepEqual([first.cutOff.aborted, second.cutOff.aborted], [false, true]);
      assert.deepEqual(
        slow.map(({ organizationId, stalledSeconds }) => [organizationId, stalledSeconds]),
        [["org_1", 10]],
      );
      await assertFull("org_1");
    });

    it("an export does not end for a workspace that has used up its share of its own exports", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const { open, assertFull } = await openHandler(t);
      const stalled = await open("org_1");
      await stalled.parts.next();
      t.mock.timers.tick(20_000);
      await open("org_2");
      await open("org_2");
      await assertFull("org_2");
      assert.ok(!stalled.cutOff.aborted);
    });

    it("an export ends when its client reads nothing for 30 s, and its slot is free; one that waits for events does not", async (t) => {
      t.mock.timers.enable({ apis: ["setInterval"] });
      const { open, slow } = await openHandler(t);
      const [stalled, idle] = [await open("org_1"), await open("org_1")];
      await stalled.parts.next();
      t.mock.timers.tick(29_000);
      assert.ok(!stalled.cutOff.aborted);
      t.mock.timers.tick(1_000);
      assert.deepEqual([stalled.cutOff.aborted, idle.cutOff.aborted], [true, false]);
      assert.deepEqual(
        slow.map(({ stalledSeconds }) => stalledSeconds),
        [30],
      );
      await open("org_1");
    });
  });
});
