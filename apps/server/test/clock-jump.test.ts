/** A jump of the clock deletes nothing: what is deleted for its age waits until the new time has held or is confirmed. */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { headwater } from "./cli/command-line.ts";
import { until } from "./support/until.ts";
import {
  DAY,
  drivenClock,
  eventsBody,
  eventsPath,
  HOUR,
  MINUTE,
  ORGANIZATION_ID,
  openWorld,
  outcomesOf,
  passTime,
  trackEvent,
} from "./support/world.ts";

/** pino's number for `error`. */
const ERROR_LEVEL = 50;
const SETTINGS = { RETENTION_DAYS: "30", AUDIT_RETENTION_DAYS: "30", LOG_LEVEL: "warn" };

/** A service with a driven clock that has stored something of every kind that is deleted for its age. */
async function openFilled(start?: number) {
  const time = drivenClock(start);
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-clock-"));
  const lines: { level: number; msg: string; before?: string; now?: string }[] = [];
  const logStream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const open = () => openWorld(SETTINGS, { clock: time.clock, logStream }, dataDir);
  let world = await open();
  const source = await world.createSource();
  const event = trackEvent({}, time.now());
  const send = async () => {
    const sessionId = await world.openSession(source);
    const body = eventsBody(sessionId, [event], {}, time.now());
    return outcomesOf(await world.send(eventsPath(source), body));
  };
  const erase = await world.ask("/api/visitors/erase", {
    method: "POST",
    body: { organizationId: ORGANIZATION_ID, anonymousId: "somebody" },
  });
  const receipt = erase.headers.get("location")!;
  await until("the erasure is done", async () => (await world.ask(receipt)).body.status === "done");
  assert.deepEqual(await send(), ["accepted"]);

  const count = async (path: string) => (await world.ask(path)).text.split("\n").filter(Boolean).length;
  return {
    time,
    lines,
    dataDir,
    world: () => world,
    send,
    pass: (ms: number) => passTime(world, time, ms),
    jump: async (ms: number) => {
      time.advance(ms);
      await world.server.maintain();
    },
    restart: async () => {
      await world.close();
      world = await open();
    },
    /** How much of each kind is left: events, audit entries, receipts. */
    left: async () => ({
      events: await count(`/api/export/events?sourceId=${source.sourceId}&format=ndjson`),
      // not the entries of the exports above
      audit:
        (await world.ask(`/api/audit?organizationId=${ORGANIZATION_ID}&action=source.created`)).body.entries
          .length > 0,
      receipt: (await world.ask(receipt)).status === 200,
    }),
    /** The seconds of the jump, on which /metrics and /readyz must agree. */
    jumpSeconds: async () => {
      const text = await (await fetch(`${world.url}/metrics`)).text();
      const jumpSeconds = Number(/^headwater_clock_jump_seconds (\S+)/m.exec(text)?.[1]);
      const { status, body } = await world.ask("/readyz", { token: null });
      const state = jumpSeconds === 0 ? "trusted" : "jumped";
      assert.deepEqual([status, body.clock], [200, { state, jumpSeconds }]);
      return jumpSeconds;
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

const ALL = { events: 1, audit: true, receipt: true };
const NONE = { events: 0, audit: false, receipt: false };

it("A clock that jumps ahead and back deletes nothing, is reported, and every id is still known", async () => {
  await using filled = await openFilled();
  const start = new Date(filled.time.now()).toISOString();
  await filled.jump(100 * DAY);
  for (let round = 0; round < 5; round += 1) await filled.jump(30 * MINUTE);
  assert.deepEqual(await filled.left(), ALL);
  assert.equal(await filled.jumpSeconds(), (100 * DAY) / 1_000);
  const [line, ...more] = filled.lines.filter(({ msg }) => /clock has jumped/.test(msg));
  assert.deepEqual(more, [], "reported once");
  assert.deepEqual([line?.level, line?.before], [ERROR_LEVEL, start]);
  assert.match(line?.msg ?? "", /run `npx headwater accept-clock`/);
  assert.equal(Date.parse(line?.now ?? "") - Date.parse(start), 100 * DAY);

  await filled.jump(-100 * DAY);
  assert.deepEqual([await filled.left(), await filled.jumpSeconds()], [ALL, 0]);
  assert.deepEqual(await filled.send(), ["duplicate"]);
  assert.match(filled.lines.at(-1)?.msg ?? "", /the clock is trusted again; deletions by age continue/);
  await filled.pass(91 * DAY);
  assert.deepEqual(await filled.left(), NONE, "time that passes still deletes");
});

it("A clock that jumps back keeps what is accepted meanwhile", async () => {
  await using filled = await openFilled();
  await filled.jump(-100 * DAY);
  assert.ok((await filled.jumpSeconds()) < 0);
  const world = filled.world();
  const late = await world.createSource({ name: "Late" });
  const body = eventsBody(
    await world.openSession(late),
    [trackEvent({}, filled.time.now())],
    {},
    filled.time.now(),
  );
  assert.deepEqual(outcomesOf(await world.send(eventsPath(late), body)), ["accepted"]);
  await filled.jump(100 * DAY);
  await filled.jump(MINUTE);
  assert.equal(await filled.jumpSeconds(), 0);
  const kept = await world.ask(`/api/export/events?sourceId=${late.sourceId}&format=ndjson`);
  assert.equal(kept.text.split("\n").filter(Boolean).length, 1);
  assert.deepEqual(await filled.left(), ALL);
});

it("A new time is trusted after it has held for a day, and not when it has changed again", async () => {
  await using filled = await openFilled();
  await filled.jump(100 * DAY);
  for (let hours = 0; hours < 23; hours += 1) await filled.jump(HOUR);
  assert.deepEqual(await filled.left(), ALL);
  await filled.jump(100 * DAY);
  for (let hours = 0; hours < 23; hours += 1) await filled.jump(HOUR);
  assert.deepEqual(await filled.left(), ALL, "the day begins anew");
  await filled.jump(HOUR);
  assert.deepEqual([await filled.left(), await filled.jumpSeconds()], [NONE, 0]);
});

it("A start with a wrong clock is recognized", async () => {
  await using filled = await openFilled();
  filled.time.advance(100 * DAY);
  await filled.restart();
  await filled.world().server.maintain();
  assert.deepEqual(await filled.left(), ALL);
  assert.ok((await filled.jumpSeconds()) > 0);
  filled.time.advance(-100 * DAY);
  await filled.restart();
  await filled.world().server.maintain();
  assert.deepEqual([await filled.left(), await filled.jumpSeconds()], [ALL, 0]);
});

it("`headwater accept-clock` confirms a jump", async () => {
  // the command reads the real clock
  await using filled = await openFilled(Date.now() - 100 * DAY);
  await filled.jump(100 * DAY);
  assert.deepEqual(await filled.left(), ALL);
  const postgres =
    process.env.TEST_LEDGER === "postgres"
      ? { DATABASE_URL: (await import("./postgres/databases.ts")).addressIn(filled.dataDir) ?? "" }
      : {};
  const { code, stderr, json } = await headwater(
    { DATA_DIR: filled.dataDir, ...postgres },
    "accept-clock",
    "--json",
  );
  assert.equal(code, 0, stderr);
  assert.ok(Math.abs(Date.parse(json().time) - filled.time.now()) < HOUR);
  await filled.jump(MINUTE);
  assert.deepEqual([await filled.left(), await filled.jumpSeconds()], [NONE, 0]);
});
