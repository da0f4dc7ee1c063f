/** Under load, with faults at random times, every accepted event is stored in the warehouse exactly once. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startShipper } from "../../src/workers/shipper.ts";
import { createRandom } from "../faults/random.ts";
import { until } from "../support/until.ts";
import { accept, anEvent, type InsertFault, openStore, type Store } from "./store.ts";

const LOAD_MS = process.env.TEST_LONG ? 300_000 : 8_000;
/** The events are in two months, so that a page has rows of two partitions. */
const MONTH = Date.UTC(2026, 10, 1);
const HOUR_MS = 3_600_000;
const FAULTS: InsertFault[] = [
  "answer lost",
  "error after storing",
  "reset mid-body",
  "hung before",
  "hung after",
  "killed before",
  "killed during",
  "killed after",
];
const QUIET = { warn: () => undefined, error: () => undefined };

let store: Store;
before(async () => {
  store = await openStore(Date.now());
});
after(() => store[Symbol.asyncDispose]());

/** Starts a shipper as the service does. */
function shipping() {
  const newId = (prefix: string) => `${prefix}_${Date.now()}_${Math.random()}`;
  const { workers } = startShipper({
    ledger: store.ledger,
    warehouse: store.warehouse,
    clock: Date.now,
    newId,
    log: QUIET,
  });
  return { stop: () => Promise.all(workers.map((worker) => worker.stop())) };
}

test("Whatever faults the warehouse and the service have, the warehouse holds every accepted event exactly once.", async (t) => {
  const random = createRandom();
  t.diagnostic(`seed ${random.seed}`);
  const faultCounts = new Map<string, number>();
  const note = (fault: string) => faultCounts.set(fault, (faultCounts.get(fault) ?? 0) + 1);
  let [accepted, rounds, isOver] = [0, 0, false];
  let shipper = shipping();

  const load = async () => {
    for (const end = Date.now() + LOAD_MS; Date.now() < end; rounds++) {
      // sometimes more than a page, so that two pages are shipped at the same time
      const events = random.between(0, 49) === 0 ? 22_000 : random.between(1, 300);
      for (let left = events; left > 0; left -= 1_000) {
        const batch = Array.from({ length: Math.min(left, 1_000) }, () =>
          anEvent(MONTH + random.between(-HOUR_MS, HOUR_MS)),
        );
        await accept(store, batch, Date.now());
        accepted += batch.length;
      }
      await new Promise((resolve) => setTimeout(resolve, random.between(1, 200)));
    }
  };
  const causeFaults = async () => {
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, random.between(1, 3_000)));
      // one fault in twelve kills the warehouse, one restarts the service, and ten disturb an insert
      const kind = random.between(0, 11);
      if (kind === 0) {
        store.kill();
        note("killed");
      } else if (kind === 1) {
        await shipper.stop();
        shipper = shipping();
        note("service restarted");
      } else {
        const fault = random.pick(FAULTS);
        store.faults.push(fault);
        note(fault);
      }
    }
  };
  const faultsOver = causeFaults();
  await load().finally(() => {
    isOver = true;
  });
  await faultsOver;
  // from now on inserts succeed
  store.faults.length = 0;
  const waitingEvents = async () => (await store.ledger.probe({ now: Date.now() })).outboxEvents;
  t.diagnostic(
    `${rounds} rounds, ${accepted} events, ${await waitingEvents()} still wait: ${JSON.stringify([...faultCounts])}`,
  );
  try {
    await until("everything is shipped", async () => (await waitingEvents()) === 0);
  } finally {
    await shipper.stop();
  }
  const [held] = await store.ask(
    "SELECT toFloat64(count()) AS rows, toFloat64(uniqExact(analyticsEventId)) AS ids FROM events",
  );
  assert.deepEqual(held, { rows: accepted, ids: accepted });
});
