/** Events are deleted from the warehouse after the retention days of their source. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { until } from "../support/until.ts";
import {
  DAY,
  drivenClock,
  eventsBody,
  eventsPath,
  HOUR,
  ORGANIZATION_ID,
  openWorld,
  pageEvent,
  passTime,
  type TestSource,
  type World,
} from "../support/world.ts";
import { openProxiedWarehouse, type ProxiedWarehouse } from "./proxied-warehouse.ts";

describe("retentionDays", () => {
  // noon, so that half a day either way is the same day
  const time = drivenClock(Math.floor(Date.now() / DAY) * DAY + DAY / 2);
  let warehouse: ProxiedWarehouse;
  let world: World;
  before(async () => {
    warehouse = await openProxiedWarehouse();
    world = await openWorld(warehouse.settings, { clock: time.clock });
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    await warehouse[Symbol.asyncDispose]();
  });

  /** Sends a page view for each of the last seven days. */
  const fill = async (source: TestSource) => {
    const sessionId = await world.openSession(source);
    const events = [0, 1, 2, 3, 4, 5, 6].map((ago) => pageEvent({}, time.now() - ago * DAY));
    const reply = await world.send(eventsPath(source), eventsBody(sessionId, events, {}, time.now()));
    assert.equal(reply.body.accepted, 7, JSON.stringify(reply.body));
    await until("they are in the warehouse", async () => (await daysOf(source)).length === 7);
  };
  const daysOf = async ({ sourceId }: TestSource): Promise<number[]> => {
    const rows = await warehouse.ask(
      `SELECT toUnixTimestamp64Milli(occurredAt) AS at FROM events WHERE sourceId = '${sourceId}' ORDER BY at`,
    );
    return rows.map(({ at }) => Math.round((time.now() - Number(at)) / DAY));
  };
  const mutations = async () =>
    Number(
      (await warehouse.ask("SELECT count() AS n FROM system.mutations WHERE database = currentDatabase()"))[0]
        .n,
    );
  const keep = ({ sourceId }: TestSource, retentionDays: number | null) =>
    world.ask(`/api/tracking-sources/${sourceId}`, {
      method: "PATCH",
      body: { organizationId: ORGANIZATION_ID, retentionDays },
    });
  /** Runs the maintenance until that many events are left. One run may not be enough, because it skips while a deletion is running. */
  const left = (source: TestSource, events: number) =>
    until(`${events} are left`, async () => {
      await world.server.maintain();
      return (await daysOf(source)).length === events;
    });

  it("applies by whole days and per source, a changed value applies to old events too, and no deletion runs without need", async () => {
    const kept = await world.createSource();
    const forever = await world.createSource();
    await fill(kept);
    await keep(kept, 4);
    await fill(forever);
    await left(kept, 5);
    assert.deepEqual(await daysOf(kept), [4, 3, 2, 1, 0]);

    const begun = await mutations();
    time.advance(HOUR);
    await world.server.maintain();
    assert.equal(await mutations(), begun, "no event has expired, so no deletion starts");
    assert.equal((await daysOf(forever)).length, 7);

    await keep(forever, 1);
    time.advance(HOUR);
    await left(forever, 2);
    assert.deepEqual(await daysOf(forever), [1, 0]);
    assert.equal((await daysOf(kept)).length, 5);

    await keep(kept, null);
    await passTime(world, time, 30 * DAY);
    await left(forever, 0);
    assert.equal((await daysOf(kept)).length, 5, "kept without a limit again");
  });
});
