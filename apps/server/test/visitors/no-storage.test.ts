/**
 * Visitors whose browser stores nothing (docs/api/ingest.md, "Without browser storage"). On PostgreSQL two nodes serve
 * them in turn.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { headwater } from "../cli/command-line.ts";
import { rowsOf, storedEvent } from "../ledger/reader.ts";
import { until } from "../support/until.ts";
import {
  bootstrapBody,
  bootstrapPath,
  drivenClock,
  eventsBody,
  eventsPath,
  HOUR,
  issuesOf,
  MINUTE,
  ORGANIZATION_ID,
  openWorld,
  outcomesOf,
  pageEvent,
  passTime,
  type TestSource,
  trackEvent,
  type World,
} from "../support/world.ts";

const ON_POSTGRES = process.env.TEST_LEDGER === "postgres";
const HOME = "203.0.113.7";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const DAILY_ID = /^\$none\.[0-9a-f]{32}$/;

describe("Visitors without browser storage", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-no-storage-"));
  const time = drivenClock();
  const lines: string[] = [];
  const logStream = { write: (line: string) => void lines.push(line) };
  const settings = { TRUST_PROXY: "1", LOG_LEVEL: "debug" };
  const nodes: World[] = [];
  let source: TestSource;
  let turn = 0;
  /** The node that serves the next request. */
  const node = () => nodes[turn++ % nodes.length]!;
  const open = () => openWorld(settings, { clock: time.clock, logStream }, dataDir);

  before(async () => {
    nodes.push(await open());
    if (ON_POSTGRES) nodes.push(await open());
  });
  after(async () => {
    await nodes[1]?.close();
    await nodes[0]?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    source = await nodes[0]!.createSource();
  });

  /** A page loads: its client knows nothing, and sends its first view with the bootstrap. */
  async function load(from: TestSource, headers: Record<string, string> = {}, over: object = {}) {
    const view = pageEvent({ anonymousId: "$none" }, time.now());
    const sent = { batchId: view.id, sentAt: new Date(time.now()).toISOString(), events: [view] };
    const body = bootstrapBody({ anonymousId: "$none", ...sent, ...over });
    const reply = await node().send(bootstrapPath(from), body, { "x-forwarded-for": HOME, ...headers });
    assert.deepEqual(outcomesOf(reply), ["accepted"]);
    assert.deepEqual(reply.body.results[0].warnings, []);
    assert.equal(reply.body.anonymousId, "$none");
    const { anonymousId, userId, sessionId } = storedEvent(dataDir, view.id);
    assert.equal(sessionId, reply.body.sessionId);
    assert.match(anonymousId, DAILY_ID);
    return { anonymousId, userId, sessionId, answer: reply.body };
  }
  const pass = async (ms: number) => {
    await passTime(nodes[0]!, time, ms);
    for (const one of nodes.slice(1)) await one.server.maintain();
  };
  const untilMidnight = () => 24 * HOUR - (time.now() % (24 * HOUR));

  it("three pages, two days, two sources: one visitor and one visit per day and source", async () => {
    const other = await nodes[0]!.createSource();
    const days = [];
    for (const day of [1, 2]) {
      const visits = [];
      for (const one of [source, other]) {
        const pages = [await load(one), await load(one), await load(one)];
        assert.equal(new Set(pages.map(({ sessionId }) => sessionId)).size, 1, `day ${day}`);
        assert.equal(new Set(pages.map(({ anonymousId }) => anonymousId)).size, 1, `day ${day}`);
        visits.push(pages[0]!.anonymousId);
      }
      days.push(...visits);
      if (day === 1) await pass(24 * HOUR);
    }
    assert.equal(new Set(days).size, 4);
  });

  it("another browser or address is another visitor", async () => {
    const ids = [
      await load(source),
      await load(source, { "user-agent": FIREFOX }),
      await load(source, { "x-forwarded-for": "203.0.113.8" }),
      await load(source, { "x-forwarded-for": "2001:db8::1" }),
    ];
    assert.equal(new Set(ids.map(({ anonymousId }) => anonymousId)).size, 4);
    assert.equal(new Set(ids.map(({ sessionId }) => sessionId)).size, 4);
  });

  it("a visit ends after half an hour; the visitor is the same all day", async () => {
    const first = await load(source);
    time.advance(20 * MINUTE);
    assert.equal((await load(source)).sessionId, first.sessionId);
    time.advance(31 * MINUTE);
    const second = await load(source);
    assert.notEqual(second.sessionId, first.sessionId);
    assert.equal(second.anonymousId, first.anonymousId);
  });

  it("a visit over midnight keeps its visitor; the next visit has the new day's", async () => {
    await pass(untilMidnight() - 10 * MINUTE);
    const before = await load(source);
    await pass(20 * MINUTE);
    const later = await load(source);
    time.advance(25 * MINUTE);
    const last = await load(source);
    for (const page of [later, last])
      assert.deepEqual([page.sessionId, page.anonymousId], [before.sessionId, before.anonymousId]);
    time.advance(31 * MINUTE);
    const next = await load(source);
    assert.notEqual(next.anonymousId, before.anonymousId);
    assert.notEqual(next.sessionId, before.sessionId);
  });

  it("a page that names its session stays in it when its address changes", async () => {
    const { sessionId, anonymousId } = await load(source);
    const moved = await load(source, { "x-forwarded-for": "198.51.100.9" }, { sessionId });
    assert.deepEqual([moved.sessionId, moved.anonymousId], [sessionId, anonymousId]);
    // an id that a browser has stored is not a visitor of the day
    const own = await nodes[0]!.openSession(source, { anonymousId: "stored" });
    assert.notEqual((await load(source, {}, { sessionId: own })).sessionId, own);
  });

  it("events that name the session belong to its visitor, whatever the address", async () => {
    const { sessionId, anonymousId } = await load(source);
    const [bare, named] = [trackEvent({}, time.now()), trackEvent({ anonymousId: "$none" }, time.now())];
    const body = eventsBody(sessionId, [bare, named], { anonymousId: "$none" }, time.now());
    const reply = await node().send(eventsPath(source), body, { "x-forwarded-for": "198.51.100.9" });
    assert.deepEqual(outcomesOf(reply), ["accepted", "accepted"]);
    for (const { id } of [bare, named]) assert.equal(storedEvent(dataDir, id).anonymousId, anonymousId);
  });

  it("two pages that load at once share a session", async () => {
    const one = nodes[0]!;
    const body = bootstrapBody({ anonymousId: "$none" });
    const headers = { "x-forwarded-for": HOME };
    const replies = await Promise.all([1, 2, 3].map(() => one.send(bootstrapPath(source), body, headers)));
    assert.equal(new Set(replies.map((reply) => reply.body.sessionId)).size, 1);
  });

  it("the user of one page is not the user of another: people who share an address share the visitor", async () => {
    const known = await load(source, {}, { userId: "ann" });
    assert.deepEqual([known.userId, known.answer.identifiedUserId], ["ann", "ann"]);
    const { sessionId } = known;
    const other = await load(source, {}, { sessionId });
    assert.deepEqual([other.sessionId, other.userId, other.answer.identifiedUserId], [sessionId, null, null]);
  });

  it("a visitor is erased by the id that an export shows; `$none` names nobody", async () => {
    const [mine, theirs] = [await load(source), await load(source, { "user-agent": FIREFOX })];
    const erase = (anonymousId: string) =>
      nodes[0]!.ask("/api/visitors/erase", {
        method: "POST",
        body: { organizationId: ORGANIZATION_ID, anonymousId },
      });
    const receipt = (await erase(mine.anonymousId)).headers.get("location")!;
    await until("it is erased", async () => {
      return (await nodes[0]!.ask(receipt)).body.status === "done";
    });
    const { text } = await nodes[0]!.ask(`/api/export/events?sourceId=${source.sourceId}&format=ndjson`);
    assert.ok(!text.includes(mine.anonymousId) && text.includes(theirs.anonymousId));
    const { body: debug } = await nodes[0]!.ask(`/api/tracking-sources/${source.sourceId}/debug`);
    assert.ok(JSON.stringify(debug).includes(theirs.anonymousId));
    assert.ok(!JSON.stringify(debug).includes(mine.anonymousId));
    const wrong = await erase("$none");
    assert.deepEqual(issuesOf(wrong), ["anonymousId: invalid_value"]);
    assert.match(wrong.body.issues[0].message, /begins with \$none\./);
  });

  /** The salts of the ledger, with their days. */
  function storedSalts(): { day: number; salt: Buffer }[] {
    if (ON_POSTGRES)
      return rowsOf(dataDir, "select day, encode(salt, 'hex') as salt from visitor_salts").map(
        ({ day, salt }) => ({ day, salt: Buffer.from(salt, "hex") }),
      );
    const bytes = readFileSync(join(dataDir, "visitor-salts"));
    const places = [0, 36, 72].filter((start) => start < bytes.length);
    return places
      .map((start) => ({ day: bytes.readUInt32LE(start), salt: bytes.subarray(start + 4, start + 36) }))
      .filter(({ day }) => day > 0);
  }
  /** The files below the folder that contain the salt in some form. */
  function filesWith(salt: Buffer, folder: string): string[] {
    const forms = [salt, ...(["hex", "base64", "base64url"] as const).map((form) => salt.toString(form))];
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile())
      .filter((path) => forms.some((form) => readFileSync(path).includes(form)));
  }

  it("a salt is in no backup or log, and after two days nowhere", async () => {
    await load(source);
    const today = Math.floor(time.now() / (24 * HOUR));
    const found = storedSalts().find(({ day }) => day === today);
    assert.ok(found && found.salt.length === 32 && found.salt.some((byte) => byte !== 0));
    if (!ON_POSTGRES) {
      assert.deepEqual(filesWith(found.salt, dataDir), [join(dataDir, "visitor-salts")]);
      assert.equal(statSync(join(dataDir, "visitor-salts")).mode & 0o777, 0o600);
      const backup = join(mkdtempSync(join(tmpdir(), "headwater-backup-")), "copy");
      const { code, stderr } = await headwater({ DATA_DIR: dataDir }, "backup", "--to", backup);
      assert.equal(code, 0, stderr);
      assert.deepEqual(filesWith(found.salt, backup), []);
    } else {
      const [{ persistence }] = rowsOf(
        dataDir,
        "select relpersistence as persistence from pg_class where relname = 'visitor_salts'",
      );
      assert.equal(persistence, "u");
    }
    const first = await load(source);
    const tables = "select pg_relation_filenode('visitor_salts') as file";
    const file = ON_POSTGRES ? rowsOf(dataDir, tables)[0].file : null;

    await pass(untilMidnight() + HOUR);
    assert.ok(
      storedSalts().some(({ salt }) => salt.equals(found.salt)),
      "it is yesterday's",
    );
    await pass(24 * HOUR);
    assert.ok(!storedSalts().some(({ salt }) => salt.equals(found.salt)));
    if (ON_POSTGRES) assert.notEqual(rowsOf(dataDir, tables)[0].file, file, "the table has a new file");
    else assert.deepEqual(filesWith(found.salt, dataDir), []);
    const log = lines.join("");
    for (const form of ["hex", "base64", "base64url"] as const)
      assert.ok(!log.includes(found.salt.toString(form)));
    assert.ok(!log.includes(HOME) && !log.includes(first.anonymousId));
    assert.notEqual((await load(source)).anonymousId, first.anonymousId);
  });

  it("a restart on the same day keeps the visitor", async () => {
    const { anonymousId, sessionId } = await load(source);
    for (const [index, one] of nodes.entries()) {
      await one.close();
      nodes[index] = await open();
    }
    const again = await load(source);
    assert.deepEqual([again.anonymousId, again.sessionId], [anonymousId, sessionId]);
  });
});
